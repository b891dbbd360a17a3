/** The text in a file's bytes, so that what is written back keeps its mark, its line ends, its bytes. */
import { BINARY_PROBE_BYTES } from '../limits.ts';

export type TextFile =
  | {
      readonly kind: 'text';
      /** Without a byte order mark; line ends as they are. */
      readonly text: string;
      readonly encoding: 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be';
      /** False when some bytes are no text of this encoding: then it cannot be written back. */
      readonly faithful: boolean;
    }
  | { readonly kind: 'binary' };

export function textOf(data: Buffer): TextFile {
  if (data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf) {
    return utf8(data.subarray(3), 'utf8-bom');
  }
  if (data[0] === 0xff && data[1] === 0xfe) {
    return {
      kind: 'text',
      text: data.toString('utf16le', 2),
      encoding: 'utf16le',
      faithful: data.length % 2 === 0,
    };
  }
  if (data[0] === 0xfe && data[1] === 0xff && data.length % 2 === 0) {
    const swapped = Buffer.from(data.subarray(2)).swap16();
    return { kind: 'text', text: swapped.toString('utf16le'), encoding: 'utf16be', faithful: true };
  }
  if (data.subarray(0, BINARY_PROBE_BYTES).includes(0)) return { kind: 'binary' };
  return utf8(data, 'utf8');
}

function utf8(data: Buffer, encoding: 'utf8' | 'utf8-bom'): TextFile {
  const text = data.toString('utf8');
  return { kind: 'text', text, encoding, faithful: Buffer.from(text, 'utf8').equals(data) };
}

/** The bytes of `text` in the encoding that the file had. */
export function bytesOf(
  text: string,
  encoding: 'utf8' | 'utf8-bom' | 'utf16le' | 'utf16be',
): Buffer {
  switch (encoding) {
    case 'utf8':
      return Buffer.from(text, 'utf8');
    case 'utf8-bom':
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text, 'utf8')]);
    case 'utf16le':
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    case 'utf16be':
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);
  }
}
