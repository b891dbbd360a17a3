/** `grep`: lines that match a pattern, by ripgrep where it is found, else by our own search. */
import { HIT_CHARS, LISTED_ENTRIES } from '../../limits.ts';
import { isInside, type Place } from '../files.ts';
import { ToolRefusal, type Arguments, type Tool, type ToolResult } from '../tool.ts';
import { searchByRipgrep } from './ripgrep.ts';
import { oneLine } from './list-dir.ts';
import { searchByScript } from './search-script.ts';
import { booleanArgument, parametersOf, requiredText, textArgument } from './parameters.ts';
import type { Workbench } from './workbench.ts';

/** A line that matches. */
export interface Hit {
  /** Absolute. */
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface Search {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The pattern is plain text. */
  readonly literal: boolean;
  readonly root: string;
  readonly start: string;
  readonly isFile: boolean;
  readonly glob: string | null;
  readonly signal: AbortSignal;
}

export type Searched =
  | { readonly kind: 'found'; readonly hits: readonly Hit[]; readonly cut: boolean }
  /** The pattern is no regular expression. */
  | { readonly kind: 'badPattern'; readonly why: string };

export function grepTool(bench: Workbench): Tool {
  const { core, files } = bench;
  return {
    name: 'grep',
    description:
      'Search file contents by a regular expression. glob narrows the files, path the folder. Ignored files are left out.',
    parameters: parametersOf(
      {
        pattern: { type: 'string' },
        path: { type: 'string' },
        glob: { type: 'string' },
        ignore_case: { type: 'boolean' },
      },
      ['pattern'],
    ),
    origin: { kind: 'builtin' },
    parallel: true,
    readOnly: true,
    line: (args) => ({ icon: 'search', verb: 'Searched', object: String(args['pattern'] ?? '') }),
    subject: async (args) => ({ kind: 'read', paths: [(await start(args)).path] }),
    run: async (args, { signal }) => {
      const place = await start(args);
      const folders = await files.folders();
      const root = folders.find((f) => isInside(place.path, f)) ?? place.path;
      const search: Search = {
        pattern: requiredText(args, 'pattern'),
        ignoreCase: booleanArgument(args, 'ignore_case'),
        literal: false,
        root,
        start: place.path,
        isFile: place.kind === 'file',
        glob: textArgument(args, 'glob'),
        signal,
      };
      if (search.pattern === '') throw new ToolRefusal('The pattern is empty.');
      const first = await searched(search);
      const literal = first.kind === 'badPattern';
      const result = literal ? await searched({ ...search, literal: true }) : first;
      if (result.kind === 'badPattern')
        throw new ToolRefusal(`The pattern is not understood: ${result.why}`);
      return drawn(result.hits, result.cut, literal, place, root);
    },
  };

  async function searched(search: Search): Promise<Searched> {
    const program = await bench.ripgrep();
    const found =
      program === null
        ? await searchByScript(search, core)
        : await searchByRipgrep(search, program, bench);
    if (found.kind === 'badPattern' || search.isFile) return found;
    // What looks like credentials is read only when it is named, which asks.
    const secret = new Set(core.credentialPaths([...new Set(found.hits.map((hit) => hit.path))]));
    return { ...found, hits: found.hits.filter((hit) => !secret.has(hit.path)) };
  }

  async function start(args: Arguments): Promise<Place> {
    const place = await files.place(textArgument(args, 'path') ?? '.', 'read');
    if (place.kind === 'file' || place.kind === 'folder') return place;
    throw new ToolRefusal(`There is no file or folder ${place.shown}.`);
  }
}

function drawn(
  hits: readonly Hit[],
  cut: boolean,
  literal: boolean,
  place: Place,
  root: string,
): ToolResult {
  const base = place.kind === 'folder' && place.shown !== '.' ? place.path : root;
  const shownName = (path: string): string => {
    const rest = path.slice(base.length + 1).replaceAll('\\', '/');
    const prefix = base === root ? '' : `${place.shown}/`;
    return isInside(path, root) ? `${prefix}${oneLine(rest)}` : place.shown;
  };
  const lines = hits
    .slice(0, LISTED_ENTRIES)
    .map((hit) => `${shownName(hit.path)}:${hit.line}: ${shortened(hit.text)}`);
  const notes = [
    ...(literal ? ['[Not a regular expression, so searched as plain text]'] : []),
    ...(hits.length > LISTED_ENTRIES || cut
      ? ['[There are more; narrow the pattern, path or glob]']
      : []),
  ];
  const count = `${hits.length}${cut ? '+' : ''} ${hits.length === 1 && !cut ? 'hit' : 'hits'}`;
  return {
    text: [...(lines.length === 0 ? ['Nothing matches.'] : lines), ...notes].join('\n'),
    isError: false,
    measure: count,
  };
}

function shortened(line: string): string {
  const clean = line.replace(/[\r\n]+$/u, '').trim();
  return clean.length <= HIT_CHARS ? clean : `${clean.slice(0, HIT_CHARS)}…`;
}
