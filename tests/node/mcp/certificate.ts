/** A certificate that nobody vouches for, made here: its parts as DER (RFC 5280), signed by its own key. */
import { generateKeyPairSync, sign } from 'node:crypto';

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const set = (...parts: readonly Buffer[]): Buffer => der(0x31, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const time = (text: string): Buffer => der(0x18, Buffer.from(text));
const bits = (content: Buffer): Buffer => der(0x03, Buffer.from([0]), content);

/** `years`: the first and the last in which it is good. */
export function selfSigned(
  name: string,
  years: readonly [number, number],
): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256, and an X.520 common name.
  const algorithm = sequence(identifier('2a8648ce3d040302'));
  const who = sequence(set(sequence(identifier('550403'), der(0x0c, Buffer.from(name)))));
  const [from, to] = years;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    who,
    sequence(time(`${String(from)}0101000000Z`), time(`${String(to)}1231235959Z`)),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const whole = sequence(body, algorithm, bits(sign('sha256', body, privateKey)));
  const text = whole.toString('base64').replace(/.{64}/gu, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
