/**
 * Which addresses a sign-in may touch. A server chooses who signs its users in, and whoever that is
 * chooses further addresses: so each is checked, before it is asked or shown, for what it is and for
 * where it leads. A server out in the public never leads into a private network or to this machine.
 */
import { BlockList, isIP } from 'node:net';
import { SIGN_IN_ADDRESS_CHARACTERS } from '../../limits.ts';
import { SignInFailure } from './failure.ts';

/** Who can be at an address: this machine, a private network, anybody. */
export type Reach = 'loopback' | 'private' | 'public';

const order: readonly Reach[] = ['loopback', 'private', 'public'];

/** True when what was found at `from` may lead to `to`: never to something nearer. */
export function mayLeadTo(from: Reach, to: Reach): boolean {
  return order.indexOf(to) >= order.indexOf(from);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Private, link-local (a cloud's own metadata), shared, unspecified, multicast and reserved. */
const inside = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  inside.addSubnet(net, bits, 'ipv4');
}
for (const [net, bits] of [
  ['::', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  inside.addSubnet(net, bits, 'ipv6');
}

/** Of an IP address as text. */
function reachOfAddress(address: string): Reach {
  const plain = embedded(address);
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(plain, family)) return 'loopback';
  return inside.check(plain, family) ? 'private' : 'public';
}

/** An IPv4 address that is written as IPv6 (mapped, compatible, NAT64, 6to4), else as it was. */
function embedded(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups === null) return address;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const four = (high: number, low: number): string =>
    [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const zeros = a === 0 && b === 0 && c === 0 && d === 0;
  if (zeros && (e === 0 || e === 0xffff) && (f === 0xffff || (f === 0 && g !== 0)))
    return four(g, h);
  if (a === 0x64 && b === 0xff9b) return four(g, h);
  return a === 0x2002 ? four(b, c) : address;
}

/** The eight groups of an IPv6 address without zone. */
function groupsOf(address: string): number[] | null {
  const plain = address.replace(/%.*$/u, '');
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(plain);
  const text =
    dotted === null
      ? plain
      : `${dotted[1] ?? ''}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}`;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  if (missing < 0 || left.length + right.length + missing !== 8) return null;
  return [...left, ...Array<string>(missing).fill('0'), ...right].map((group) =>
    Number.parseInt(group, 16),
  );
}

function hex(high = '0', low = '0'): string {
  return ((Number(high) << 8) | Number(low)).toString(16);
}

/** Without brackets and the dot of the root. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/gu, '')
    .replace(/\.$/u, '')
    .toLowerCase();
}

/** True for this machine by a name that needs no look-up. */
export function isThisMachine(url: URL): boolean {
  const host = hostOf(url);
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isIP(host) !== 0 && reachOfAddress(host) === 'loopback';
}

/** `addresses`: what its name was resolved to; none where it could not be. The nearest one counts. */
export function reachOf(url: URL, addresses: readonly string[]): Reach {
  const reaches = reachesOf(url, addresses);
  return order.find((reach) => reaches.includes(reach)) ?? 'public';
}

/** The same for who leads somewhere: the farthest counts, or a second address would open every door. */
export function farthestOf(url: URL, addresses: readonly string[]): Reach {
  const reaches = reachesOf(url, addresses);
  return order.findLast((reach) => reaches.includes(reach)) ?? 'public';
}

function reachesOf(url: URL, addresses: readonly string[]): readonly Reach[] {
  if (isThisMachine(url)) return ['loopback'];
  const host = hostOf(url);
  return (isIP(host) === 0 ? addresses : [host]).map(reachOfAddress);
}

/**
 * An address that may be asked or opened: https, or http on this machine. `what` names it in a message,
 * such as `its token endpoint`.
 */
export function safeAddress(value: unknown, what: string): URL {
  if (typeof value !== 'string') throw unsafe(what, 'is not text');
  if (value.length > SIGN_IN_ADDRESS_CHARACTERS) throw unsafe(what, 'is too long');
  // The parser of addresses drops some of these in silence; others look like what they are not.
  if (/[^\x21-\x7e]|\\/u.test(value)) {
    throw unsafe(what, 'holds characters that no address may hold');
  }
  if (!URL.canParse(value)) throw unsafe(what, 'is not an address');
  const url = new URL(value);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isThisMachine(url))) {
    throw unsafe(what, `begins with ${JSON.stringify(url.protocol.slice(0, 40))}`);
  }
  if (url.username !== '' || url.password !== '') throw unsafe(what, 'holds a user name');
  if (url.hash !== '' || value.includes('#')) throw unsafe(what, 'has a fragment');
  return url;
}

function unsafe(what: string, why: string): SignInFailure {
  return new SignInFailure(
    'unsafe-address',
    `The address of ${what} ${why}. Only https is used, and http on this machine.`,
    'Check the address of the server; if it is right, its operator has to mend this.',
  );
}

/** How a server is known: its own address, as the parser writes it, without a fragment. */
export function serverAddress(text: string): URL {
  const plain = text.replace(/#.*$/su, '');
  return safeAddress(URL.canParse(plain) ? new URL(plain).href : plain, 'the server');
}

/** The resource identifier of a server: a lone slash at the end says nothing and is left out. */
export function canonical(url: URL): string {
  return url.pathname === '/' && url.search === '' ? url.origin : url.href;
}

/** True when metadata about `resource` speaks for `server`: the same origin, and its path or one above. */
export function speaksFor(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin) return false;
  if (resource.search !== '' && resource.search !== server.search) return false;
  const above = resource.pathname.replace(/\/$/u, '');
  return server.pathname === resource.pathname || `${server.pathname}/`.startsWith(`${above}/`);
}
