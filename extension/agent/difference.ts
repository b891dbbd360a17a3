/** What changed between two texts: a unified diff without header, whole, and its counts. */
import { structuredPatch } from 'diff';
import { DIFF_EDITS } from '../limits.ts';

export interface Difference {
  /** Lines begin with ` `, `+`, `-`; hunks with `@@`. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

export function difference(before: string, after: string): Difference {
  if (before === after) return { text: '', added: 0, removed: 0 };
  const patch = structuredPatch('', '', before, after, '', '', {
    context: 3,
    maxEditLength: DIFF_EDITS,
  });
  const lines =
    patch === undefined
      ? replaced(before, after)
      : patch.hunks.flatMap((hunk) => [
          `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`,
          ...hunk.lines,
        ]);
  const count = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  return { text: lines.join('\n'), added: count('+'), removed: count('-') };
}

/** A range of no lines is named by the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** Two texts that have little in common: the one taken away, the other put in. */
function replaced(before: string, after: string): string[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return [
    `@@ -${range(1, old.length)} +${range(1, fresh.length)} @@`,
    ...old.map((line) => `-${line}`),
    ...fresh.map((line) => `+${line}`),
  ];
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}
