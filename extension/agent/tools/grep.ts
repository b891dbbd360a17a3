/** `grep`: lines that match a pattern, by ripgrep where it is found, else by our own search. */
import { HIT_CHARS, LISTED_ENTRIES } from '../../limits.ts';
import { below, isInside, type Place } from '../files.ts';
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
    subject: async (args) => ({
      kind: 'read',
      paths: (await starts(args)).map((place) => place.path),
    }),
    run: async (args, { signal }) => {
      const folders = await files.folders();
      const lines: string[] = [];
      let cut = false;
      let literal = false;
      for (const place of await starts(args)) {
        const search: Search = {
          pattern: requiredText(args, 'pattern'),
          ignoreCase: booleanArgument(args, 'ignore_case'),
          literal,
          root: folders.find((f) => isInside(place.path, f)) ?? place.path,
          start: place.path,
          isFile: place.kind === 'file',
          glob: textArgument(args, 'glob'),
          signal,
        };
        if (search.pattern === '') throw new ToolRefusal('The pattern is empty.');
        let result = await searched(search);
        if (result.kind === 'badPattern' && !literal) {
          literal = true;
          result = await searched({ ...search, literal });
        }
        if (result.kind === 'badPattern')
          throw new ToolRefusal(`The pattern is not understood: ${result.why}`);
        lines.push(...result.hits.map((hit) => drawnHit(hit, place)));
        cut ||= result.cut;
      }
      return drawn(lines, cut, literal);
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

  async function starts(args: Arguments): Promise<readonly Place[]> {
    const places = await files.searched(textArgument(args, 'path') ?? null);
    const other = places.find(({ kind }) => kind !== 'file' && kind !== 'folder');
    if (other !== undefined) throw new ToolRefusal(`There is no file or folder ${other.shown}.`);
    return places;
  }
}

function drawnHit({ path, line, text }: Hit, place: Place): string {
  const name =
    place.kind === 'folder' && isInside(path, place.path)
      ? below(
          place,
          oneLine(
            path
              .slice(place.path.length)
              .replace(/^[\\/]/u, '')
              .replaceAll('\\', '/'),
          ),
        )
      : place.shown;
  return `${name}:${line}: ${shortened(text)}`;
}

function drawn(all: readonly string[], cut: boolean, literal: boolean): ToolResult {
  const lines = all.slice(0, LISTED_ENTRIES);
  const notes = [
    ...(literal ? ['[Not a regular expression, so searched as plain text]'] : []),
    ...(all.length > LISTED_ENTRIES || cut
      ? ['[There are more; narrow the pattern, path or glob]']
      : []),
  ];
  const count = `${all.length}${cut ? '+' : ''} ${all.length === 1 && !cut ? 'hit' : 'hits'}`;
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
