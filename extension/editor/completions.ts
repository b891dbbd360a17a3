/** What `@` offers of the workspace's files. */
import * as vscode from 'vscode';
import { pathBelow } from '../agent/folder-names.ts';
import type { Completion } from '../chat/protocol.ts';
import { COMPLETIONS } from '../limits.ts';
import type { Log } from '../log.ts';
import { best, walkedFiles, wantedOf } from './matching-files.ts';
import { workspace } from './surroundings.ts';

/** Beside what the editor's own settings leave out. */
const unsearched = '**/{node_modules,.git}/**';

export class FileCompletions {
  readonly #log: Log;
  /** Ends the search for what was typed before. */
  #last = new AbortController();
  /** Whether the editor's own search cannot run here: it is not tried with every key again. */
  #unable = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Files of the workspace whose path holds the characters of `query` in a row. */
  async of(query: string): Promise<readonly Completion[]> {
    this.#last.abort();
    this.#last = new AbortController();
    const { signal } = this.#last;
    const wanted = wantedOf(query);
    const { folders } = workspace();
    const found =
      (await this.#searched(wanted, folders)) ?? (await this.#walked(wanted, folders, signal));
    return best(found, wanted, COMPLETIONS).map((path) => {
      const cut = path.lastIndexOf('/') + 1;
      return {
        insert: `@${path}`,
        label: path.slice(cut),
        detail: path.slice(0, cut),
        icon: 'file',
        group: vscode.l10n.t('Files'),
      };
    });
  }

  /** By a walk of ours. Who only types is not told what fails; the log is. */
  async #walked(
    wanted: string,
    folders: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    try {
      return await walkedFiles(folders, wanted, COMPLETIONS * 4, signal);
    } catch (error) {
      this.#log.warn(`Looking for files: ${String(error)}`);
      return [];
    }
  }

  /** By the editor's search; null where it cannot run. */
  async #searched(wanted: string, folders: readonly string[]): Promise<readonly string[] | null> {
    if (this.#unable) return null;
    const name = wanted.split('/').at(-1) ?? '';
    try {
      const found = await vscode.workspace.findFiles(
        `**/*${anyCase(name)}*`,
        unsearched,
        COMPLETIONS * 4,
      );
      return found
        .filter((uri) => uri.scheme === 'file')
        .map((uri) => pathBelow(uri.fsPath, folders));
    } catch (error) {
      // Its program is missing, say. Files are found without it, if later.
      this.#unable = true;
      this.#log.warn(`The editor's search for files does not run here: ${String(error)}`);
      return null;
    }
  }
}

/** `text` as a glob that takes either case; what means something in a glob stands for itself. */
function anyCase(text: string): string {
  return [...text]
    .map((character) => {
      const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
      if (/[*?{}[\],!\\]/.test(character)) return '?';
      return lower === upper ? character : `[${lower}${upper}]`;
    })
    .join('');
}
