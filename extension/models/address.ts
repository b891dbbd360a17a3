/** Where a model server listens, and whether that is this machine. */
import { ModelError } from './provider.ts';

/** Throws a `ModelError` when `baseUrl` is no http address; `example` is a right one. */
export function addressOf(baseUrl: string, example: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new ModelError(
      'badRequest',
      `${JSON.stringify(baseUrl)} is not the address of a model server.`,
      `Write it as ${example}.`,
    );
  }
  return url;
}

/** True for this machine by any of its names. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^::ffff:7f[0-9a-f]{2}:/.test(name)
  );
}
