/**
 * Browsers that come back by an address of the editor's own: the way of remote windows, whose browser
 * is on another machine. It stands apart from all else of signing in, since it is there from the start.
 */
import * as vscode from 'vscode';
import { Arrivals } from '../arrivals.ts';
import type { Landing, LandingPlace } from '../mcp/oauth/flow.ts';
import { landedAddress } from './landed-address.ts';

/** Answers that come in by the editor's own address, for whoever waits for their state. */
export class EditorLandings implements vscode.UriHandler {
  readonly #arrivals = new Arrivals();
  /** Where the answer with each state comes to. */
  readonly #paths = new Map<string, string>();

  handleUri(uri: vscode.Uri): void {
    const address = landedAddress(uri);
    const state = new URL(address).searchParams.get('state');
    if (state === null || this.#paths.get(state) !== uri.path) return;
    this.#arrivals.take(state, address);
  }

  async land({ own }: LandingPlace): Promise<Landing> {
    const path = own === '' ? signedIn : `${signedIn}/${own}`;
    const here = vscode.Uri.parse(`${vscode.env.uriScheme}://gbs.gbs-agent${path}`);
    const outside = await vscode.env.asExternalUri(here);
    const states = new Set<string>();
    return {
      redirectUri: outside.toString(true),
      expect: (state) => {
        states.add(state);
        this.#paths.set(state, path);
        this.#arrivals.expect(state);
      },
      arrival: (state, signal) => this.#arrivals.of(state, signal),
      close: () => {
        for (const state of states) {
          this.#arrivals.forget(state);
          this.#paths.delete(state);
        }
        return Promise.resolve();
      },
    };
  }
}

const signedIn = '/signed-in';
