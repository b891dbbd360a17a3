/** Looks at our files as they are typed: opened, changed, a moment after the last key. */
import * as vscode from 'vscode';
import { TYPING_REST_MS } from '../limits.ts';
import { ourFiles, type Finder } from './problem-panel.ts';

export class Documents implements vscode.Disposable {
  readonly #check: (finder: Finder, document: vscode.TextDocument) => void;
  readonly #closed: () => void;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #listeners: vscode.Disposable;

  /** `closed`: a document with changes that were never saved is gone; what is on disk holds again. */
  constructor(check: (finder: Finder, document: vscode.TextDocument) => void, closed: () => void) {
    this.#check = check;
    this.#closed = closed;
    const { workspace } = vscode;
    this.#listeners = vscode.Disposable.from(
      workspace.onDidOpenTextDocument((document) => this.#look(document, 0)),
      workspace.onDidChangeTextDocument(({ document }) => this.#look(document, TYPING_REST_MS)),
      workspace.onDidCloseTextDocument((document) => {
        if (finderOf(document) !== null) this.#closed();
      }),
    );
    for (const document of workspace.textDocuments) this.#look(document, 0);
  }

  dispose(): void {
    this.#listeners.dispose();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #look(document: vscode.TextDocument, afterMs: number): void {
    const finder = finderOf(document);
    if (finder === null) return;
    const key = document.uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        if (!document.isClosed) this.#check(finder, document);
      }, afterMs),
    );
  }
}

function finderOf(document: vscode.TextDocument): Finder | null {
  if (vscode.languages.match(ourFiles, document) === 0) return null;
  return /skill\.md$/i.test(document.uri.path) ? 'skills' : 'servers';
}
