/**
 * Browsers that come back by an address of the editor's own: the way of remote windows, whose browser
 * is on another machine. It stands apart from all else of signing in, since it is there from the start.
 */
import * as vscode from 'vscode';
import type { Landing } from '../mcp/oauth/flow.ts';
import { landedAddress } from './landed-address.ts';
import { onStop } from '../on-stop.ts';

/** Answers that come in by the editor's own address, for whoever waits for their state. */
export class EditorLandings implements vscode.UriHandler {
  readonly #waiting = new Map<string, (address: string) => void>();

  handleUri(uri: vscode.Uri): void {
    const state = new URL(landedAddress(uri)).searchParams.get('state');
    if (uri.path === path && state !== null) this.#waiting.get(state)?.(landedAddress(uri));
  }

  async land(): Promise<Landing> {
    const own = vscode.Uri.parse(`${vscode.env.uriScheme}://gbs.gbs-agent${path}`);
    const outside = await vscode.env.asExternalUri(own);
    const states: string[] = [];
    return {
      redirectUri: outside.toString(true),
      arrival: (state, signal) =>
        new Promise((resolve, reject) => {
          states.push(state);
          this.#waiting.set(state, resolve);
          onStop(signal, () => reject(reasonOf(signal)));
        }),
      close: () => {
        for (const state of states) this.#waiting.delete(state);
        return Promise.resolve();
      },
    };
  }
}

const path = '/signed-in';

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('stopped');
}
