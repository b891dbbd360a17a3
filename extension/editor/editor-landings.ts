/**
 * Browsers that come back by an address of the editor's own: the way of remote windows, whose browser
 * is on another machine. It stands apart from all else of signing in, since it is there from the start.
 */
import * as vscode from 'vscode';
import type { Landing } from '../mcp/oauth/flow.ts';
import { onStop } from '../on-stop.ts';

/** Answers that come in by the editor's own address, for whoever waits for their state. */
export class EditorLandings implements vscode.UriHandler {
  readonly #waiting = new Map<string, (address: string) => void>();

  handleUri(uri: vscode.Uri): void {
    const state = new URL(addressOf(uri)).searchParams.get('state');
    if (uri.path === path && state !== null) this.#waiting.get(state)?.(addressOf(uri));
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

/** The editor has undone the escapes of the whole query: each value gets its own again. */
function addressOf({ scheme, authority, path: at, query }: vscode.Uri): string {
  const address = new URL(`${scheme}://${authority}${at}`);
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    address.searchParams.append(name, value.join('='));
  }
  return address.href;
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('stopped');
}
