/**
 * How many lines of a stream of events have come since the last empty one, which ends an event. A parser
 * keeps the lines until then, and each costs many times the letter that may be all there is in it.
 */
const EMPTY_LINES = ['\n\n', '\r\r', '\r\n\r\n'] as const;
/** What of a piece can be the beginning of an empty line. */
const BEGINNING = 3;

export class OpenLines {
  #count = 0;
  #before = '';

  /** Gives how many there are with `text`; a line that ends in CR LF counts twice. */
  add(text: string): number {
    const joined = this.#before + text;
    const ends = EMPTY_LINES.map((line) => {
      const at = joined.lastIndexOf(line);
      return at < 0 ? -1 : at + line.length;
    });
    const end = Math.max(...ends);
    const known = this.#before.length;
    // Of what stands before this piece everything is counted already.
    if (end >= 0) this.#count = end < known ? breaksIn(joined.slice(end, known)) : 0;
    this.#count += breaksIn(joined.slice(Math.max(end, known)));
    this.#before = joined.slice(-BEGINNING);
    return this.#count;
  }
}

function breaksIn(text: string): number {
  let count = 0;
  for (const mark of ['\n', '\r']) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) count += 1;
  }
  return count;
}
