/**
 * Walks the files below a folder as `.gitignore` files say, from the workspace folder down. Links are
 * not followed, `.git` is never entered. In: a workspace folder and a place inside it. Out: files one
 * by one, in a fixed order.
 */
import { lstat, readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { IGNORE_FILE_BYTES, WALK_DEPTH, WALKED_FILES } from '../limits.ts';
import { missing } from './files.ts';

interface WalkedFile {
  readonly path: string;
  /** Relative to where the walk began, with `/`. */
  readonly name: string;
}

export interface Walk {
  readonly files: AsyncIterable<WalkedFile>;
  /** True once the walk gave up before its end. */
  readonly isCut: () => boolean;
}

/** The rules of one folder, for paths below it. */
interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

/** Files below `start`, which is `root` or inside it. A start that is itself ignored is walked whole. */
export function walk(root: string, start: string, signal: AbortSignal): Walk {
  const state = { cut: false, count: 0 };
  async function* files(): AsyncGenerator<WalkedFile> {
    let rules: readonly Rules[] = [];
    let folder = root;
    rules = await withRules(rules, folder);
    for (const part of relative(root, start)
      .split(sep)
      .filter((p) => p !== '')) {
      folder = join(folder, part);
      if (part === '.git' || ignored(folder, true, rules)) {
        yield* below(start, null, 0);
        return;
      }
      rules = await withRules(rules, folder);
    }
    yield* below(start, rules, 0);
  }
  async function* below(
    folder: string,
    rules: readonly Rules[] | null,
    depth: number,
  ): AsyncGenerator<WalkedFile> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))) {
      if (signal.aborted) return;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (entry.name === '.git' && rules !== null) continue;
      if (!isFolder && !entry.isFile()) continue;
      if (rules !== null && ignored(path, isFolder, rules)) continue;
      if (isFolder) {
        if (depth >= WALK_DEPTH) state.cut = true;
        else yield* below(path, rules === null ? null : await withRules(rules, path), depth + 1);
        if (state.cut && state.count >= WALKED_FILES) return;
        continue;
      }
      if (++state.count > WALKED_FILES) {
        state.cut = true;
        return;
      }
      yield { path, name: relative(start, path).split(sep).join('/') };
    }
  }
  return { files: files(), isCut: () => state.cut };
}

async function withRules(rules: readonly Rules[], folder: string): Promise<readonly Rules[]> {
  const file = join(folder, '.gitignore');
  const found = await lstat(file).catch(missing);
  if (found?.isFile() !== true || found.size > IGNORE_FILE_BYTES) return rules;
  const text = await readFile(file, 'utf8').catch(missing);
  if (text === null) return rules;
  const lines = text.split(/\r?\n/u).filter(tame);
  return [...rules, { folder, matcher: ignore({ ignorecase: false }).add(lines) }];
}

/**
 * Patterns become regular expressions whose time grows with the power of the stars in one part, and a
 * repository may be hostile: those with more than any author writes are left out.
 */
function tame(line: string): boolean {
  const parts = line.split('/');
  return (
    line.length <= 400 &&
    parts.length <= 24 &&
    parts.every((part) => part === '**' || (part.match(/\*+/gu)?.length ?? 0) <= 3) &&
    parts.filter((part) => part === '**').length <= 3
  );
}

function ignored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  let result = false;
  for (const { folder, matcher } of rules) {
    const name = relative(folder, path).split(sep).join('/');
    if (name === '') continue;
    const test = matcher.test(isFolder ? `${name}/` : name);
    if (test.ignored) result = true;
    else if (test.unignored) result = false;
  }
  return result;
}

/** A folder that cannot be read has nothing to give. */
function unreadable(error: unknown): [] {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(String(code))) return [];
  throw error;
}
