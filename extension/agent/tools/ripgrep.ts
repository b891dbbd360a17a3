/** Finds ripgrep, and searches by it. */
import { spawn } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';
import type { Core } from '../../core.ts';
import {
  LISTED_ENTRIES,
  SEARCH_ERROR_CHARS,
  SEARCH_MS,
  SEARCH_OUTPUT_BYTES,
} from '../../limits.ts';
import { onStop } from '../../on-stop.ts';
import { isObject } from '../arguments.ts';
import { childEnvironment } from '../child-environment.ts';
import { ToolRefusal } from '../tool.ts';
import type { Hit, Search, Searched } from './grep.ts';

/** The first of `candidates` that is there, else `rg` on PATH, never in the current folder. */
export async function findRipgrep(
  candidates: readonly string[],
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Promise<string | null> {
  const name = platform === 'win32' ? 'rg.exe' : 'rg';
  const path =
    Object.entries(environment).find(
      ([key]) => key === 'PATH' || (platform === 'win32' && key.toUpperCase() === 'PATH'),
    )?.[1] ?? '';
  const onPath = path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  for (const candidate of [...candidates, ...onPath]) {
    if (await runs(candidate)) return candidate;
  }
  return null;
}

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (error) {
    // Not there, or not ours to run: the next candidate.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

export async function searchByRipgrep(
  search: Search,
  program: string,
  parts: {
    readonly core: Core;
    readonly environment: Readonly<Record<string, string>>;
    readonly platform: NodeJS.Platform;
  },
): Promise<Searched> {
  const args = [
    '--json',
    '--no-config',
    '--hidden',
    '--glob=!.git',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-exclude',
    '--no-ignore-dot',
    '--no-messages',
    '--sort=path',
    `--max-count=${LISTED_ENTRIES}`,
    ...(search.ignoreCase ? ['--ignore-case'] : []),
    ...(search.literal ? ['--fixed-strings'] : []),
    `--regexp=${search.pattern}`,
    '--',
    search.start,
  ];
  const child = spawn(program, args, {
    cwd: search.root,
    env: childEnvironment(parts.environment, parts.platform),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), SEARCH_MS);
  const listening = onStop(search.signal, () => child.kill('SIGKILL'));
  try {
    // Its own --glob would bring ignored files back, so the paths are matched by the core.
    const found = await read(child, search.glob === null);
    if (search.signal.aborted) throw new ToolRefusal('The search was stopped.');
    return matching(found, search, parts.core);
  } finally {
    clearTimeout(timer);
    listening();
    child.kill('SIGKILL');
  }
}

async function read(child: ReturnType<typeof spawn>, enough: boolean): Promise<Searched> {
  const hits: Hit[] = [];
  let rest = '';
  let bytes = 0;
  let cut = false;
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < SEARCH_ERROR_CHARS) said += text;
  });
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    bytes += text.length;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const hit = hitOf(line);
      if (hit !== null) hits.push(hit);
    }
    if ((enough && hits.length > LISTED_ENTRIES) || bytes > SEARCH_OUTPUT_BYTES) {
      cut = true;
      child.kill('SIGKILL');
    }
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // 2 with hits is a file that could not be read; without, the pattern.
  if (code === 2 && hits.length === 0 && said !== '') {
    if (/regex/iu.test(said)) return { kind: 'badPattern', why: said.split('\n').at(-2) ?? said };
    throw new ToolRefusal(`The search failed: ${said.slice(0, 400)}`);
  }
  return { kind: 'found', hits, cut: cut || code === null };
}

function matching(found: Searched, search: Search, core: Core): Searched {
  if (found.kind === 'badPattern') return found;
  const most = (hits: readonly Hit[]): Searched => ({
    kind: 'found',
    hits: hits.slice(0, LISTED_ENTRIES),
    cut: found.cut || hits.length > LISTED_ENTRIES,
  });
  if (search.glob === null || search.isFile) return most(found.hits);
  const paths = [...new Set(found.hits.map((hit) => hit.path))];
  const names = paths.map((path) => relative(search.start, path).split(sep).join('/'));
  const { problem, matches } = core.matchGlob(search.glob, names);
  if (problem !== null) throw new ToolRefusal(`The glob is not understood: ${problem}.`);
  const kept = new Set(matches.map((index) => paths[index]));
  return most(found.hits.filter((hit) => kept.has(hit.path)));
}

function hitOf(line: string): Hit | null {
  if (!line.startsWith('{"type":"match"')) return null;
  const value: unknown = JSON.parse(line);
  const data = isObject(value) ? value['data'] : null;
  if (!isObject(data)) return null;
  const path = textIn(data['path']);
  const text = textIn(data['lines']);
  const number = data['line_number'];
  return path === null || typeof number !== 'number'
    ? null
    : { path, line: number, text: text ?? '' };
}

/** Text, or base64 where it is not UTF-8. */
function textIn(value: unknown): string | null {
  if (!isObject(value)) return null;
  if (typeof value['text'] === 'string') return value['text'];
  return typeof value['bytes'] === 'string'
    ? Buffer.from(value['bytes'], 'base64').toString('utf8')
    : null;
}
