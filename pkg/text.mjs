/** Bytes as text, by the fastest way that the host has. */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const { isUtf8: fastIsUtf8, transcode } =
  globalThis.process?.getBuiltinModule?.('node:buffer') ?? {};
const node = typeof Buffer === 'function' && typeof Buffer.prototype.latin1Slice === 'function';

/** Bytes from which on Node's vector routine is the faster one, though it makes a copy between. */
const LONG = 512;

/** `bytes` with Node's methods, without a copy. */
function buffer(bytes) {
  return bytes instanceof Buffer
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** `bytes` as text, from one to another; each byte is one character below 128. */
export function asciiText(bytes, start = 0, end = bytes.byteLength) {
  return node ? buffer(bytes).latin1Slice(start, end) : decoder.decode(bytes.slice(start, end));
}

/** `bytes` as text; what is not UTF-8 is replaced. */
export function text(bytes) {
  return node ? buffer(bytes).utf8Slice() : decoder.decode(bytes);
}

/** `bytes`, which are UTF-8, as text, from one to another. */
export function validText(bytes, start = 0, end = bytes.byteLength) {
  if (!node) return decoder.decode(bytes.slice(start, end));
  if (end - start < LONG || transcode === undefined) return buffer(bytes).utf8Slice(start, end);
  return transcode(bytes.subarray(start, end), 'utf8', 'ucs2').ucs2Slice();
}

/** UTF-8 as UTF-16, in one go, where the host has a vector routine for it and it is worth that; else null. */
export function wideText(bytes, start, end) {
  if (!node || transcode === undefined || end - start < LONG) return null;
  return transcode(buffer(bytes).subarray(start, end), 'utf8', 'ucs2');
}

/** In Node a vector routine; elsewhere the decoder that throws. */
export function isUtf8(bytes) {
  if (fastIsUtf8 !== undefined) return fastIsUtf8(bytes);
  try {
    strict.decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
