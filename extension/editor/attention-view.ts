/** Draws what `Attention` decides: the badge, the item in the status bar, the notification. */
import * as vscode from 'vscode';
import type { AttentionParts } from '../chat/attention.ts';
import { cardWords, waitingWords } from './words.ts';

export class AttentionView implements AttentionParts, vscode.Disposable {
  readonly #view: () => vscode.WebviewView | null;
  readonly #item: vscode.StatusBarItem;

  constructor(view: () => vscode.WebviewView | null) {
    this.#view = view;
    this.#item = vscode.window.createStatusBarItem(
      'gbsAgent.waiting',
      vscode.StatusBarAlignment.Left,
      0,
    );
    this.#item.name = vscode.l10n.t('GBS Agent: waiting cards');
    this.#item.command = 'gbsAgent.showCard';
    this.#item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  }

  badge(count: number, tooltip: string): void {
    const view = this.#view();
    if (view !== null) view.badge = count === 0 ? undefined : { value: count, tooltip };
  }

  statusItem(text: string | null): void {
    if (text === null) return this.#item.hide();
    this.#item.text = `$(bell-dot) ${text}`;
    this.#item.tooltip = vscode.l10n.t('Show the card');
    this.#item.show();
  }

  /** A message box cannot be taken away again; one that shows progress goes when its work is done. */
  notify(text: string): () => void {
    const gone = new AbortController();
    const show = `[${vscode.l10n.t('Show')}](command:gbsAgent.showCard)`;
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `${text} ${show}` },
      () =>
        new Promise<void>((resolve) =>
          gone.signal.addEventListener('abort', () => resolve(), { once: true }),
        ),
    );
    return () => gone.abort();
  }

  words = cardWords;
  waitingText = waitingWords;

  dispose(): void {
    this.#item.dispose();
  }
}
