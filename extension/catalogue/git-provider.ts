/**
 * The skills of a git repository: a team's catalogue, pinned by a branch, a tag or a commit.
 *
 * Each state of the repository is checked out into a folder of its own and then taken as a whole, so
 * that no call ever sees half of one. When the remote cannot be reached, what is there goes on being
 * served, and a warning says so; the next try may succeed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Core } from '../core.ts';
import { errorCode } from '../error-code.ts';
import { CATALOGUE_CHECKOUT_MS, CATALOGUE_REFRESH_MS } from '../limits.ts';
import { FolderProvider } from './folder-provider.ts';
import { runGit } from './git.ts';
import type { FileBytes, SkillProvider, Stamp, SubdirEntry } from './provider.ts';

/** A repository as it is written after `--git`. */
export interface GitSource {
  readonly url: string;
  /** A branch, a tag or a whole commit id; the remote's own branch unless told. */
  readonly ref: string;
}

/** The source cannot be used as it is written. */
export class GitRefusal extends Error {
  override readonly name = 'GitRefusal';
}

/** `URL` or `URL#ref`. */
export function gitSource(text: string): GitSource {
  const at = text.lastIndexOf('#');
  const url = at < 0 ? text : text.slice(0, at);
  const ref = at < 0 ? 'HEAD' : text.slice(at + 1);
  const known = /^(https?|ssh|git|file):\/\//i.test(url) || isAbsolute(url) || scpLike.test(url);
  if (!known || url.includes('\0')) {
    throw new GitRefusal(
      `${JSON.stringify(url)} is not the address of a git repository. Give https://…, ssh://…, user@host:path, file://… or an absolute path.`,
    );
  }
  if (!refName.test(ref) || ref.includes('..')) {
    throw new GitRefusal(`${JSON.stringify(ref)} is not a branch, tag or commit.`);
  }
  return { url, ref };
}

const scpLike = /^[\w.][\w.-]*@[\w.][\w.-]*:[^\s:]+$/;
const refName = /^[\p{L}\p{N}_][\p{L}\p{N}_./+@-]*$/u;
const commitId = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

export interface GitParts {
  readonly core: Core;
  readonly source: GitSource;
  /** Absolute; repositories and their checkouts are kept below it. */
  readonly cache: string;
  /** Told when the remote could not be reached, and null when it could again. */
  readonly onProblem: (message: string | null) => void;
  /** Milliseconds between two looks at the remote; 0 for none but the first. */
  readonly refreshMs?: number;
}

export class GitProvider implements SkillProvider {
  readonly #parts: GitParts;
  readonly #repository: string;
  readonly #checkouts: string;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #serving: { readonly commit: string; readonly folder: FolderProvider } | null = null;
  #fetching: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: GitParts) {
    const { url, ref } = parts.source;
    const name = createHash('sha256').update(`${url}\0${ref}`).digest('hex').slice(0, 32);
    this.#parts = parts;
    this.#repository = join(parts.cache, name, 'repository');
    this.#checkouts = join(parts.cache, name, 'checkouts');
  }

  /** The commit that is served. */
  get commit(): string | null {
    return this.#serving?.commit ?? null;
  }

  async list(): Promise<readonly string[]> {
    return (await this.#folder()).list();
  }

  async stat(id: string): Promise<Stamp | null> {
    return (await this.#folder()).stat(id);
  }

  async read(id: string, limit: number): Promise<FileBytes | null> {
    return (await this.#folder()).read(id, limit);
  }

  async listSubdir(id: string, folder: string): Promise<readonly SubdirEntry[] | null> {
    return (await this.#folder()).listSubdir(id, folder);
  }

  async readSubfile(
    id: string,
    folder: string,
    name: string,
    limit: number,
  ): Promise<FileBytes | null> {
    return (await this.#folder()).readSubfile(id, folder, name, limit);
  }

  watch(changed: () => void): () => void {
    this.#listeners.add(changed);
    this.#plan();
    return () => this.#listeners.delete(changed);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#fetching;
  }

  /** Looks at the remote; one look at a time. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#refresh().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #folder(): Promise<FolderProvider> {
    if (this.#serving === null) await this.refresh();
    if (this.#serving === null)
      throw new Error(`nothing came from ${shown(this.#parts.source.url)}`);
    return this.#serving.folder;
  }

  async #refresh(): Promise<void> {
    const { onProblem, source } = this.#parts;
    try {
      await this.#take(await this.#fetch());
      onProblem(null);
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      const why = error instanceof Error ? error.message : String(error);
      const kept = await this.#takeKept();
      const rest = kept ? ` What was fetched before is served: commit ${kept.slice(0, 12)}.` : '';
      onProblem(`${shown(source.url)} could not be fetched: ${why}.${rest}`);
    }
  }

  /** Brings the commit of the ref and nothing else; gives its id. */
  async #fetch(): Promise<string> {
    const { url, ref } = this.#parts.source;
    if (!existsSync(join(this.#repository, 'HEAD'))) {
      await mkdir(this.#repository, { recursive: true });
      await this.#git(['init', '--quiet', '--bare', this.#repository]);
    }
    const fetched = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-write-fetch-head'];
    // Kept under a name of its own, so that the cleaning-up of git leaves it.
    const mine = 'refs/gbs/served';
    if (!(commitId.test(ref) && (await this.#has(ref)))) {
      await this.#inRepository([...fetched, '--', url, `+${ref}:${mine}`]);
      return (await this.#inRepository(['rev-parse', '--verify', `${mine}^{commit}`])).trim();
    }
    return ref;
  }

  async #has(commit: string): Promise<boolean> {
    try {
      await this.#inRepository(['cat-file', '-e', `${commit}^{commit}`]);
      return true;
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      return false;
    }
  }

  async #take(commit: string): Promise<void> {
    if (this.#serving?.commit === commit) return;
    const folder = join(this.#checkouts, commit);
    if (!existsSync(folder)) await this.#checkOut(commit, folder);
    this.#serve(commit, folder);
    await this.#tidy(commit);
  }

  /** Written beside and renamed: a checkout that is there is whole, also for other processes. */
  async #checkOut(commit: string, folder: string): Promise<void> {
    const beside = join(this.#checkouts, `new-${randomUUID()}`);
    await mkdir(beside, { recursive: true });
    try {
      await this.#inRepository(
        [`--work-tree=${beside}`, 'checkout', '--quiet', '--force', commit, '--', '.'],
        { GIT_INDEX_FILE: `${beside}.index` },
      );
      await rename(beside, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(`${beside}.index`, { force: true });
      await rm(beside, { recursive: true, force: true });
    }
  }

  #serve(commit: string, checkout: string): void {
    // A repository of skills alone has them at its root, others in a folder of this name.
    const inside = join(checkout, 'skills');
    const root = existsSync(inside) && !existsSync(join(inside, 'SKILL.md')) ? inside : checkout;
    this.#serving = { commit, folder: new FolderProvider(this.#parts.core, root) };
    for (const listener of [...this.#listeners]) listener();
  }

  /** What an earlier run fetched, the newest first; null when there is nothing. */
  async #takeKept(): Promise<string | null> {
    if (this.#serving !== null) return this.#serving.commit;
    const [newest] = await this.#kept();
    if (newest === undefined) return null;
    this.#serve(newest.commit, join(this.#checkouts, newest.commit));
    return newest.commit;
  }

  async #kept(): Promise<readonly { readonly commit: string; readonly used: number }[]> {
    if (!existsSync(this.#checkouts)) return [];
    const commits = (await readdir(this.#checkouts)).filter((name) => commitId.test(name));
    const kept = await Promise.all(
      commits.map(async (commit) => {
        // Another process may have tidied it away since.
        const there = await stat(join(this.#checkouts, commit)).catch((error: unknown) => {
          if (errorCode(error) === 'ENOENT') return null;
          throw error;
        });
        return there === null ? [] : [{ commit, used: there.mtimeMs }];
      }),
    );
    return kept.flat().sort((a, b) => b.used - a.used);
  }

  /** Old checkouts go, but not those that a call or another process may still read. */
  async #tidy(serving: string): Promise<void> {
    const now = new Date();
    await utimes(join(this.#checkouts, serving), now, now);
    for (const { commit, used } of await this.#kept()) {
      if (commit === serving || now.getTime() - used < CATALOGUE_CHECKOUT_MS) continue;
      await rm(join(this.#checkouts, commit), { recursive: true, force: true });
    }
  }

  #plan(): void {
    const { refreshMs = CATALOGUE_REFRESH_MS, source } = this.#parts;
    // A commit never becomes another one.
    if (refreshMs === 0 || this.#timer !== null || this.#stop.signal.aborted) return;
    if (commitId.test(source.ref) && this.#serving !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.refresh().then(() => this.#plan());
    }, refreshMs);
    this.#timer.unref();
  }

  #inRepository(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    return this.#git([`--git-dir=${this.#repository}`, ...args], environment);
  }

  #git(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    return runGit(args, environment, this.#stop.signal);
  }
}

/** An address without the password that may stand in it. */
function shown(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, '$1');
}
