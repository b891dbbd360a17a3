/**
 * Noticing that skills changed on disk. The watcher itself is handed in: the editor's own, or a
 * library's on the command line. What it says is only ever "look again".
 */
import { join } from 'node:path';
import type { Workspace } from '../agent/contributor.ts';
import { SKILLS_SETTLE_AT_MOST_MS, SKILLS_SETTLE_MS } from '../limits.ts';

/** Watches folders and everything below, whether they exist yet or not. */
export type Watcher = (
  folders: readonly string[],
  changed: () => void,
) => { dispose(): void | Promise<void> };

/** Calls once after a burst, however long it is. */
export class Settled {
  readonly #call: () => void;
  #timer: NodeJS.Timeout | null = null;
  #since = 0;

  constructor(
    call: () => void,
    readonly now: () => number = () => performance.now(),
  ) {
    this.#call = call;
  }

  touch(): void {
    const now = this.now();
    if (this.#timer === null) this.#since = now;
    else clearTimeout(this.#timer);
    const left = Math.max(0, this.#since + SKILLS_SETTLE_AT_MOST_MS - now);
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#call();
      },
      Math.min(SKILLS_SETTLE_MS, left),
    );
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Watches the skills folders of a workspace and of the user. */
export class SkillWatch {
  readonly #settled: Settled;
  readonly #watching: { dispose(): void | Promise<void> };

  constructor(
    watcher: Watcher,
    folders: readonly string[],
    settled: () => void,
    now?: () => number,
  ) {
    this.#settled = new Settled(settled, now);
    this.#watching = watcher(folders, () => {
      this.#settled.touch();
    });
  }

  async dispose(): Promise<void> {
    this.#settled.dispose();
    await this.#watching.dispose();
  }
}

/** The folders in which skills may appear. */
export function watchedFolders(
  workspace: Workspace,
  userFolders: readonly string[],
): readonly string[] {
  const names = ['.gbs', '.agents/skills', '.claude/skills', '.github/skills'];
  const ofWorkspace = workspace.trusted
    ? workspace.folders.flatMap((folder) => names.map((name) => join(folder, ...name.split('/'))))
    : [];
  return [...ofWorkspace, ...userFolders];
}
