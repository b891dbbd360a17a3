/** Places in a SKILL.md, counted as findings count them, and what edits make of a text. */
import type { Problem, TextEdit } from '../core.ts';

export type Place = Problem['start'];

export function place(line: number, column: number): Place {
  return { line, column };
}

/** The text after the edits, none of which overlaps another. */
export function applied(text: string, edits: readonly TextEdit[]): string {
  const starts = lineStarts(text);
  const offset = ({ line, column }: Place): number => {
    const start = starts[Math.min(line, starts.length) - 1] ?? text.length;
    if (line > starts.length) return text.length;
    return Math.min(start + column - 1, text.length);
  };
  const sorted = edits
    .map((edit) => ({ from: offset(edit.start), to: offset(edit.end), text: edit.text }))
    .sort((a, b) => b.from - a.from);
  let changed = text;
  for (const { from, to, text: inserted } of sorted) {
    changed = changed.slice(0, from) + inserted + changed.slice(to);
  }
  return changed;
}

function lineStarts(text: string): number[] {
  return [
    0,
    ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length),
  ];
}

/** The lines between the fences; the first is line 2 of the file. None without a header. */
export function headerLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (!/^---[ \t]*$/.test(lines[0] ?? '')) return [];
  const close = lines.findIndex((line, index) => index > 0 && /^---[ \t]*$/.test(line));
  return lines.slice(1, close < 0 ? lines.length : close);
}

/** The line of the file on which a field of the top map begins. */
export function lineOfField(text: string, name: string): number | null {
  const at = headerLines(text).findIndex((line) => new RegExp(`^${name}\\s*:`).test(line));
  return at < 0 ? null : at + 2;
}

/** The last line of the field that begins on `line`: those below it that are indented, or blank. */
export function fieldEnd(text: string, line: number): number {
  const all = headerLines(text);
  let end = line;
  while (end - 1 < all.length && /^(?:[ \t]|-[ \t]|$|[\]}])/.test(all[end - 1] ?? '')) end += 1;
  return end;
}
