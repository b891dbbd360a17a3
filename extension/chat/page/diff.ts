/**
 * A unified diff without header, as spans → rows to draw. Numbers come from its hunks; a diff without
 * hunks has none, and its lines that are no change are headings.
 */
import type { Span } from '../../core.ts';
import { COMPARED_LINE_UNITS } from '../../limits.ts';

export interface Segment {
  readonly text: string;
  /** What stands in its place until it is revealed; null where nothing is to hide. */
  readonly masked: string | null;
  /** The part that differs from the line it replaces. */
  readonly differs: boolean;
}

export type DiffRow =
  | {
      readonly kind: 'same' | 'add' | 'remove';
      readonly number: number | null;
      readonly segments: readonly Segment[];
    }
  | { readonly kind: 'gap'; readonly unchanged: number }
  | { readonly kind: 'heading'; readonly segments: readonly Segment[] };

export interface Diff {
  readonly rows: readonly DiffRow[];
  readonly numbered: boolean;
}

export function readDiff(content: readonly Span[]): Diff {
  const lines = splitLines(content);
  const numbered = lines.some((line) => hunk.test(text(line)));
  const rows: DiffRow[] = [];
  let before = 0;
  let after = 0;
  for (const line of lines) {
    const head = hunk.exec(text(line));
    if (head !== null) {
      const start = Number(head[2]);
      if (after > 0 && start > after) rows.push({ kind: 'gap', unchanged: start - after });
      before = Number(head[1]);
      after = start;
      continue;
    }
    const sign = text(line).charAt(0);
    const segments = withoutFirst(line);
    if (sign === '+') rows.push({ kind: 'add', number: numbered ? after++ : null, segments });
    else if (sign === '-')
      rows.push({ kind: 'remove', number: numbered ? before++ : null, segments });
    else if (sign === ' ' || (numbered && sign === '')) {
      rows.push({ kind: 'same', number: numbered ? after++ : null, segments });
      before += 1;
    } else rows.push({ kind: 'heading', segments: line });
  }
  return { rows: compared(rows), numbered };
}

const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

function text(line: readonly Segment[]): string {
  return line.map((segment) => segment.text).join('');
}

/**
 * The spans as lines; the last line break ends the text and starts no line. A secret stays whole but
 * where it spans lines: then each line of it is hidden by itself.
 */
function splitLines(content: readonly Span[]): Segment[][] {
  const lines: Segment[][] = [[]];
  for (const span of content) {
    const parts = span.text.split('\n');
    parts.forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '')
        lines
          .at(-1)
          ?.push({ text: part, masked: maskOf(span, part, parts.length), differs: false });
    });
  }
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

function maskOf(span: Span, part: string, parts: number): string | null {
  if (span.kind !== 'secret') return null;
  if (parts === 1) return span.masked;
  // The sign says what the line is, and is no secret.
  return /^[-+ ]/.test(part) ? `${part.charAt(0)}••••••••` : '••••••••';
}

/** The line without its sign, which may share a segment with what follows. */
function withoutFirst(line: readonly Segment[]): Segment[] {
  const [first, ...rest] = line;
  if (first === undefined) return [];
  const text = first.text.slice(1);
  const masked = first.masked === null ? null : first.masked.slice(1);
  return text === '' ? rest : [{ ...first, text, masked }, ...rest];
}

/** Marks the part that differs where as many lines were removed as added, one for one. */
function compared(rows: readonly DiffRow[]): DiffRow[] {
  const list = rows.slice();
  for (let at = 0; at < list.length;) {
    const removed = count(list, at, 'remove');
    const added = count(list, at + removed, 'add');
    if (removed > 0 && removed === added) {
      for (let n = 0; n < removed; n += 1) markPair(list, at + n, at + removed + n);
    }
    at += Math.max(1, removed + added);
  }
  return list;
}

function count(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): number {
  let n = 0;
  while (rows[from + n]?.kind === kind) n += 1;
  return n;
}

function markPair(rows: DiffRow[], one: number, other: number): void {
  const a = rows[one];
  const b = rows[other];
  if (a?.kind !== 'remove' || b?.kind !== 'add') return;
  const x = text(a.segments);
  const y = text(b.segments);
  if (x.length > COMPARED_LINE_UNITS || y.length > COMPARED_LINE_UNITS) return;
  const most = Math.min(x.length, y.length);
  let start = 0;
  while (start < most && x[start] === y[start]) start += 1;
  let end = 0;
  while (end < most - start && x[x.length - 1 - end] === y[y.length - 1 - end]) end += 1;
  // Lines that have little in common are two lines, not one that changed.
  if (start + end < most / 3) return;
  rows[one] = { ...a, segments: marked(a.segments, start, x.length - end) };
  rows[other] = { ...b, segments: marked(b.segments, start, y.length - end) };
}

/** Cuts segments at two places; what lies between them differs. */
function marked(segments: readonly Segment[], from: number, to: number): Segment[] {
  const list: Segment[] = [];
  let at = 0;
  for (const segment of segments) {
    const end = at + segment.text.length;
    if (segment.masked !== null) {
      list.push(segment);
      at = end;
      continue;
    }
    for (const [lower, upper, differs] of [
      [at, Math.min(end, from), false],
      [Math.max(at, from), Math.min(end, to), true],
      [Math.max(at, to), end, false],
    ] as const) {
      if (upper > lower)
        list.push({ ...segment, text: segment.text.slice(lower - at, upper - at), differs });
    }
    at = end;
  }
  return list;
}
