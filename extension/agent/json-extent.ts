/**
 * Where a JSON value ends in a text that is nearly JSON: in double or single quotes, with the damage
 * that models do. It tells a value that is complete from one that was cut off, which no repair may
 * finish: half a command is another command.
 */

export interface Extent {
  /** The index after the value; the text's length when it is cut off. */
  readonly end: number;
  readonly complete: boolean;
  readonly depth: number;
}

/** The extent of the object or array that begins at `start`. */
export function jsonExtent(text: string, start: number): Extent {
  let depth = 0;
  let deepest = 0;
  let quote = '';
  for (let i = start; i < text.length; i++) {
    const c = text[i];
    if (quote !== '') {
      if (c === '\\') i++;
      else if (c === quote) quote = '';
      continue;
    }
    if (c === '"' || c === "'") quote = c;
    else if (c === '{' || c === '[') deepest = Math.max(deepest, ++depth);
    else if ((c === '}' || c === ']') && --depth === 0) {
      return { end: i + 1, complete: true, depth: deepest };
    }
  }
  return { end: text.length, complete: false, depth: deepest };
}
