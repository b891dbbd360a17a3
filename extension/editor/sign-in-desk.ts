/**
 * Signing in from the editor: a dialog that says who asks for what, the browser, and the way back. On
 * this machine that is a listener; in a remote window, whose browser is elsewhere, an address of the
 * editor's own, or the user pastes where the browser ended.
 */
import * as vscode from 'vscode';
import { SignInFailure } from '../mcp/oauth/failure.ts';
import type { Landing, LandingPlace, SignInDesk, SignInQuestion } from '../mcp/oauth/flow.ts';
import type { EnteredClient } from '../mcp/oauth/kept.ts';
import { arrivedOrBrought, brought, listen } from '../mcp/oauth/landing.ts';
import { never } from '../never.ts';
import type { EditorLandings } from './editor-landings.ts';

/** How the browser comes back. */
export type WayBack = 'listener' | 'editor' | 'paste';

/** The ways that fit this window, the best first. */
export function waysBack(): readonly WayBack[] {
  const here = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  return here ? ['listener'] : ['editor', 'paste'];
}

export interface EditorDeskParts {
  readonly landings: EditorLandings;
  /** Draws hidden characters as marks. */
  visible(text: string): string;
}

export class EditorDesk implements SignInDesk {
  readonly #parts: EditorDeskParts;
  readonly #way: WayBack;
  readonly #agreed: Set<string>;
  #name = '';

  /** `agreed`: questions that were answered with yes, so that a second way back does not ask again. */
  constructor(parts: EditorDeskParts, way: WayBack, agreed: Set<string>) {
    this.#parts = parts;
    this.#way = way;
    this.#agreed = agreed;
  }

  async agrees(question: SignInQuestion): Promise<boolean> {
    this.#name = this.#parts.visible(question.name);
    const key = JSON.stringify(question);
    if (this.#agreed.has(key)) return true;
    const open = vscode.l10n.t('Open the Browser');
    const chosen = await vscode.window.showWarningMessage(
      vscode.l10n.t('Sign in to the server "{0}"?', this.#name),
      { modal: true, detail: detailOf(question, this.#parts.visible) },
      open,
    );
    if (chosen === open) this.#agreed.add(key);
    return chosen === open;
  }

  async client(issuer: string): Promise<EnteredClient | null> {
    const { l10n, window } = vscode;
    const id = await window.showInputBox({
      title: l10n.t('Sign in to the server {0}', this.#name),
      prompt: l10n.t(
        '{0} registers no programs by itself. Register one there, and enter its client id.',
        this.#parts.visible(issuer),
      ),
      ignoreFocusOut: true,
    });
    if (id === undefined || id.trim() === '') return null;
    const secret = await window.showInputBox({
      title: l10n.t('Sign in to the server {0}', this.#name),
      prompt: l10n.t('Its client secret. Empty if it has none.'),
      password: true,
      ignoreFocusOut: true,
    });
    if (secret === undefined) return null;
    return { issuer, id: id.trim(), secret: secret === '' ? null : secret };
  }

  async land(place: LandingPlace): Promise<Landing> {
    const landing = await this.#land(place);
    return { ...landing, arrival: (state, signal) => this.#wait(landing, state, signal) };
  }

  async open(page: URL): Promise<void> {
    // As text, which is opened as it is: an address object would be written anew, and the parameters
    // in it with other escapes.
    const opened = await vscode.env.openExternal(page.href as unknown as vscode.Uri);
    if (!opened) {
      throw new SignInFailure(
        'declined',
        vscode.l10n.t('Nobody was signed in: no browser was opened.'),
      );
    }
  }

  #land(place: LandingPlace): Promise<Landing> {
    const { l10n } = vscode;
    switch (this.#way) {
      case 'listener':
        return listen(place, {
          title: l10n.t('Back to the editor'),
          text: l10n.t('GBS Agent goes on with signing in. This page can be closed.'),
        });
      case 'editor':
        return this.#parts.landings.land(place);
      case 'paste':
        return Promise.resolve(brought(place, () => this.#paste(), notGiven));
      default:
        return never(this.#way);
    }
  }

  /** Shows that it waits; whoever stops that may still paste where the browser ended. */
  async #wait(landing: Landing, state: string, signal: AbortSignal): Promise<string> {
    if (this.#way === 'paste') return landing.arrival(state, signal);
    const { l10n, window } = vscode;
    const left = new AbortController();
    const arrived = landing.arrival(state, AbortSignal.any([signal, left.signal]));
    const first = await window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: l10n.t(
          'Waiting for the browser to sign you in to {0}. Cancel to stop, or to paste its address.',
          this.#name,
        ),
        cancellable: true,
      },
      (_progress, token) =>
        Promise.race([
          arrived,
          new Promise<null>((resolve) => token.onCancellationRequested(() => resolve(null))),
        ]),
    );
    if (first !== null) return first;
    // It may still come in by itself while the user looks for it.
    const box = new vscode.CancellationTokenSource();
    const paste = (): Promise<string | null> => this.#paste(box.token);
    return arrivedOrBrought(landing.redirectUri, arrived, paste, notGiven).finally(() => {
      box.cancel();
      box.dispose();
      left.abort(notGiven());
    });
  }

  async #paste(token?: vscode.CancellationToken): Promise<string | null> {
    const { l10n, window } = vscode;
    const options = {
      title: l10n.t('Sign in to the server {0}', this.#name),
      prompt: l10n.t(
        'Paste the whole address that the browser ended at, even if it shows no page.',
      ),
      ignoreFocusOut: true,
    };
    const pasted = await window.showInputBox(options, token);
    return pasted ?? null;
  }
}

function notGiven(): SignInFailure {
  return new SignInFailure('no-answer', vscode.l10n.t('Nobody was signed in: you stopped it.'));
}

/** Everything that the user agrees to, whole. Text of others stands in quotes. */
function detailOf(question: SignInQuestion, visible: (text: string) => string): string {
  const { l10n } = vscode;
  const { address, issuer, page, resource, scopes, added, client } = question;
  const quoted = (text: string): string => `"${visible(text)}"`;
  const known = (): string => {
    switch (client) {
      case 'entered':
        return l10n.t('It knows GBS Agent by the client id that you entered.');
      case 'document':
        return l10n.t('It knows GBS Agent by your client document.');
      case 'known':
        return l10n.t('It knows GBS Agent from before.');
      case 'register':
        return l10n.t('GBS Agent registers itself there first.');
      case 'unknown':
        return l10n.t('It asks for a client id, which you are asked for next.');
      default:
        return never(client);
    }
  };
  return [
    l10n.t('Address: {0}', quoted(address)),
    l10n.t('Signed in by: {0}', quoted(issuer)),
    l10n.t('Page: {0}', quoted(page)),
    ...(resource === null ? [] : [l10n.t('Good for: {0}', quoted(resource))]),
    scopes.length === 0
      ? l10n.t('Asks for: what it gives by itself')
      : l10n.t('Asks for: {0}', scopes.map(quoted).join(', ')),
    ...(added.length === 0 ? [] : [l10n.t('New: {0}', added.map(quoted).join(', '))]),
    '',
    known(),
    l10n.t(
      'The server can then do in your name what this gives. Not checked: whether you know who signs you in.',
    ),
  ].join('\n');
}
