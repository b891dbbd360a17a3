/** What the editor knows about where we are: folders, trust, the open file, settings. */
import * as vscode from 'vscode';
import type { Workspace } from '../agent/contributor.ts';
import type { Mode } from '../agent/events.ts';
import type { Settings } from '../agent/settings.ts';
import type { Log } from '../log.ts';
import { readSettings } from '../settings.ts';

/** The window's folders on disk. A folder elsewhere (a virtual file system) is left out. */
export function workspace(): Workspace {
  const folders = (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === 'file')
    .map((folder) => folder.uri.fsPath);
  const open = vscode.window.activeTextEditor?.document.uri;
  return {
    folders,
    trusted: vscode.workspace.isTrusted,
    openFile: open?.scheme === 'file' ? open.fsPath : null,
  };
}

/** A path as people name it: relative to its workspace folder, with that folder's name where there are several. */
export function shortPath(path: string): string {
  return vscode.workspace.asRelativePath(path, workspace().folders.length > 1);
}

/** `gbsAgent.*` with the mode that was picked for this window. */
export class WindowSettings implements vscode.Disposable {
  readonly #log: Log;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#changed.event;
  readonly #listener: vscode.Disposable;
  #read: Settings | null = null;
  #mode: Mode | null = null;

  constructor(log: Log) {
    this.#log = log;
    this.#listener = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('gbsAgent')) return;
      this.#read = null;
      this.#changed.fire();
    });
  }

  readonly current = (): Settings => {
    if (this.#read === null) {
      const configuration = vscode.workspace.getConfiguration('gbsAgent');
      const { settings, problems } = readSettings((key) => configuration.inspect(key));
      for (const problem of problems) this.#log.warn(problem);
      this.#read = settings;
    }
    return this.#mode === null ? this.#read : { ...this.#read, permissionMode: this.#mode };
  };

  /** For this window, until it is closed: another window may be in the middle of something. */
  setMode(mode: Mode): void {
    this.#mode = mode;
    this.#changed.fire();
  }

  /** True when the user set it. */
  named(key: string): boolean {
    return vscode.workspace.getConfiguration('gbsAgent').inspect(key)?.globalValue !== undefined;
  }

  /** Writes a user setting; `undefined` takes it away. */
  async write(key: string, value: unknown): Promise<void> {
    await vscode.workspace
      .getConfiguration('gbsAgent')
      .update(key, value, vscode.ConfigurationTarget.Global);
  }

  /** Writes it for this workspace alone; `undefined` takes it away. */
  async writeHere(key: string, value: unknown): Promise<void> {
    await vscode.workspace
      .getConfiguration('gbsAgent')
      .update(key, value, vscode.ConfigurationTarget.Workspace);
    this.#read = null;
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}
