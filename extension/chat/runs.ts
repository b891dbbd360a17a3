/** Folds runs of reads and searches of a turn into one line each, so that they take little room. */
import type { Item } from './transcript.ts';

export type LineItem = Extract<Item, { readonly kind: 'line' }>;

export type Row =
  | { readonly kind: 'item'; readonly id: string; readonly item: Item }
  | {
      readonly kind: 'run';
      readonly id: string;
      readonly lines: readonly LineItem[];
      readonly reads: number;
      /** True where more than files was read, such as folders. */
      readonly mixed: boolean;
      readonly searches: number;
      /** Together; 0 where it is not known. */
      readonly seconds: number;
    };

/** Only what went well folds: a failed or waiting line has something to say. */
function folds(item: Item): item is LineItem {
  return (
    item.kind === 'line' &&
    item.line.state === 'done' &&
    (item.line.icon === 'read' || item.line.icon === 'search')
  );
}

export function rows(items: readonly Item[]): Row[] {
  const list: Row[] = [];
  let run: LineItem[] = [];
  const close = (): void => {
    const [first] = run;
    if (first !== undefined) list.push(run.length === 1 ? single(first) : fold(first, run));
    run = [];
  };
  for (const item of items) {
    if (folds(item)) run.push(item);
    else {
      close();
      list.push(single(item));
    }
  }
  close();
  return list;
}

function single(item: Item): Row {
  return { kind: 'item', id: `${item.kind}-${item.id}`, item };
}

function fold(first: LineItem, lines: readonly LineItem[]): Row {
  const reads = lines.filter((item) => item.line.icon === 'read');
  return {
    kind: 'run',
    id: `run-${first.id}`,
    lines,
    reads: reads.length,
    mixed: reads.some((item) => item.line.verb !== 'Read'),
    searches: lines.length - reads.length,
    seconds: lines.reduce((sum, item) => sum + item.seconds, 0),
  };
}
