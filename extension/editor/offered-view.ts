/** Shows a skill of a server: a document that nobody can change, as there is no file of it. */
import * as vscode from 'vscode';

const scheme = 'gbs-agent-skill';

export class OfferedView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #closed = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    if (uri.scheme === scheme) this.#texts.delete(uri.toString());
  });

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** `name` as `server:name`. */
  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${name.replace(':', '/')}/SKILL.md` });
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    await vscode.commands.executeCommand('vscode.open', uri);
  }

  dispose(): void {
    this.#closed.dispose();
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
