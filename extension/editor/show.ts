/** Opens things in the editor: files, changes that wait for an answer, links. */
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { RunEvent } from '../agent/events.ts';
import type { Card } from '../core.ts';

/** `path` absolute, or below the first of `folders` that has it. */
export async function openFile(
  path: string,
  line: number | null,
  folders: readonly string[],
): Promise<void> {
  const uri = await locate(path, folders);
  if (uri === null) {
    void vscode.window.showWarningMessage(vscode.l10n.t('There is no file {0}.', path));
    return;
  }
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const options: vscode.TextDocumentShowOptions =
    line === null ? {} : { selection: new vscode.Range(at, at) };
  await vscode.commands.executeCommand('vscode.open', uri, options);
}

async function locate(path: string, folders: readonly string[]): Promise<vscode.Uri | null> {
  // With several folders a path may begin with the name of its own.
  const named = folders.filter((folder) => path.split(/[\\/]/)[0] === basename(folder));
  const candidates = isAbsolute(path)
    ? [path]
    : [...folders, ...named.map(dirname)].map((folder) => join(folder, path));
  for (const candidate of candidates) {
    const uri = vscode.Uri.file(candidate);
    const found = await vscode.workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (found) return uri;
  }
  return null;
}

/** A link of an answer; the editor asks before it leaves for a host it does not trust. */
export async function openLink(url: string): Promise<void> {
  const uri = vscode.Uri.parse(url, true);
  if (uri.scheme === 'http' || uri.scheme === 'https') await vscode.env.openExternal(uri);
}

const scheme = 'gbs-agent-change';

/** Shows what a card's change would make of a file, beside the file as it stands. */
export class ChangeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #closed = vscode.workspace.onDidCloseTextDocument((document) => {
    if (document.uri.scheme === scheme) this.#texts.delete(document.uri.toString());
  });

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  async show(id: string, card: Card, folders: readonly string[]): Promise<void> {
    const path = card.about[0];
    const pane = card.panes.find((each) => each.kind === 'diff');
    if (path === undefined || pane === undefined) return;
    const file = await locate(path, folders);
    const before = file === null ? '' : await text(file);
    const after = await patched(before, pane.content.map((span) => span.text).join(''));
    if (after === null) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t('{0} changed since the card was made. The card shows the change.', path),
      );
      return;
    }
    const left = this.#put(`${id}/before`, path, before);
    const right = this.#put(`${id}/after`, path, after);
    const title = vscode.l10n.t('{0} (change that waits)', path.split(/[\\/]/).at(-1) ?? path);
    await vscode.commands.executeCommand('vscode.diff', file ?? left, right, title, {
      preview: true,
    });
  }

  /** Once a card is answered, its change no longer waits. */
  readonly noticing = (event: RunEvent): void => {
    if (event.type !== 'answered') return;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const shown = tabs.filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff &&
        input.modified.scheme === scheme &&
        input.modified.query === `${event.id}/after`,
    );
    if (shown.length > 0) void vscode.window.tabGroups.close(shown);
  };

  dispose(): void {
    this.#closed.dispose();
    this.#registration.dispose();
  }

  #put(query: string, path: string, content: string): vscode.Uri {
    const uri = vscode.Uri.file(path).with({ scheme, query });
    this.#texts.set(uri.toString(), content);
    return uri;
  }
}

async function text(uri: vscode.Uri): Promise<string> {
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === `${uri}`);
  return open?.getText() ?? new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** `before` with a card's diff applied; null where it no longer fits. */
async function patched(before: string, hunks: string): Promise<string | null> {
  const { applyPatch } = await import(/* webpackChunkName: "diff" */ 'diff');
  const after = applyPatch(before, `--- a\n+++ b\n${hunks}${hunks.endsWith('\n') ? '' : '\n'}`, {
    autoConvertLineEndings: true,
  });
  return after === false ? null : after;
}
