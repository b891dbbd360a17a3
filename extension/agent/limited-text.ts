/** Text in parts that fit, cut at line ends where there are any. */

/** `text` in parts of at most `limit` UTF-16 units; at least one part. */
export function partsOf(text: string, limit: number): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  while (text.length - start > limit) {
    const line = text.lastIndexOf('\n', start + limit - 1);
    let end = line > start + limit / 2 ? line + 1 : start + limit;
    // A surrogate pair stays whole.
    const unit = text.charCodeAt(end - 1);
    if (unit >= 0xd800 && unit < 0xdc00) end--;
    parts.push(text.slice(start, end));
    start = end;
  }
  parts.push(text.slice(start));
  return parts;
}

/** The head and the tail of a text that is too long, and in between how much is missing. */
export function headAndTail(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.max(0, Math.floor((limit - 60) / 2));
  const head = partsOf(text.slice(0, half + 1), half)[0] ?? '';
  const tailStart = text.length - half;
  const line = text.indexOf('\n', tailStart);
  const cut = line >= 0 && line < tailStart + half / 2 ? line + 1 : tailStart;
  const unit = text.charCodeAt(cut);
  const tail = text.slice(unit >= 0xdc00 && unit < 0xe000 ? cut + 1 : cut);
  return `${head.trimEnd()}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`;
}
