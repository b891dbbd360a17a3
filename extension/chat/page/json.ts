/** JSON text → coloured stretches, in one pass; text that is not JSON comes out whole as well. */
type JsonClass = 'key' | 'string' | 'number' | 'literal' | 'plain';

export interface JsonToken {
  readonly kind: JsonClass;
  readonly text: string;
}

export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  let plain = '';
  const push = (kind: JsonClass, part: string): void => {
    if (plain !== '') tokens.push({ kind: 'plain', text: plain });
    plain = '';
    tokens.push({ kind, text: part });
  };
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === '"') {
      const end = stringEnd(text, at);
      push(isKey(text, end) ? 'key' : 'string', text.slice(at, end));
      at = end;
    } else if (/[-\d]/.test(character)) {
      const end = wordEnd(text, at, /[-+.\deE]/);
      push('number', text.slice(at, end));
      at = end;
    } else if (/[a-z]/.test(character)) {
      const end = wordEnd(text, at, /[a-z]/);
      const word = text.slice(at, end);
      if (word === 'true' || word === 'false' || word === 'null') push('literal', word);
      else plain += word;
      at = end;
    } else {
      plain += character;
      at += 1;
    }
  }
  if (plain !== '') tokens.push({ kind: 'plain', text: plain });
  return tokens;
}

/** The place after the closing quote, or the end of the text. */
function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '\\') at += 2;
    else if (character === '"') return at + 1;
    else at += 1;
  }
  return text.length;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charAt(at) === ':';
}

function wordEnd(text: string, from: number, part: RegExp): number {
  let at = from;
  while (at < text.length && part.test(text.charAt(at))) at += 1;
  return at;
}
