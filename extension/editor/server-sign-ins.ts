/** Signing in to servers, and out of them, by the commands and rows of the editor. */
import * as vscode from 'vscode';
import type { Log } from '../log.ts';
import { SignInFailure } from '../mcp/oauth/failure.ts';
import { SignIns, type Need } from '../mcp/oauth/sign-ins.ts';
import type { PlannedServer } from '../mcp/plans.ts';
import type { EditorLandings } from './editor-landings.ts';
import { EditorSecrets } from './editor-secrets.ts';
import { EditorDesk, waysBack } from './sign-in-desk.ts';

export interface ServerSignInsParts {
  readonly secrets: vscode.SecretStorage;
  /** Absolute folder of what is remembered. */
  readonly stateRoot: string;
  readonly log: Log;
  readonly landings: EditorLandings;
  /** Address of the user's client id metadata document; empty for none. */
  clientDocument(): string;
  visible(text: string): string;
  changed(): void;
}

export class ServerSignIns implements vscode.Disposable {
  readonly signIns: SignIns;
  readonly #parts: ServerSignInsParts;
  readonly #watch: vscode.Disposable;
  readonly #ended = new AbortController();
  readonly #signingIn = new Map<string, Promise<boolean>>();
  /** Names of the servers of the last plan that somebody is signed in to. */
  #signedIn: ReadonlySet<string> = new Set();

  constructor(parts: ServerSignInsParts) {
    this.#parts = parts;
    const { log, clientDocument } = parts;
    const store = new EditorSecrets(parts.secrets, parts.stateRoot);
    this.signIns = new SignIns({ store, log, clientDocument: () => clientDocument() });
    const stop = this.signIns.onChange(() => parts.changed());
    this.#watch = vscode.Disposable.from(
      store.onChange(() => this.signIns.forget()),
      new vscode.Disposable(() => void stop()),
    );
  }

  /** Why somebody has to sign in to it; null for no reason. */
  need({ name, address }: PlannedServer): Need | null {
    return address === null ? null : this.signIns.need({ name, url: address.url });
  }

  isSignedIn({ name }: PlannedServer): boolean {
    return this.#signedIn.has(name);
  }

  /** Looks who is signed in to the servers of a plan. */
  async look(servers: readonly PlannedServer[]): Promise<void> {
    const names = new Set<string>();
    for (const { name, address } of servers) {
      if (address !== null && (await this.signIns.isSignedIn({ name, url: address.url }))) {
        names.add(name);
      }
    }
    this.#signedIn = names;
  }

  /** Asks, opens the browser and waits. False where the user did not want to, or not go on. */
  signIn({ name, address }: PlannedServer): Promise<boolean> {
    if (address === null) return Promise.resolve(false);
    const under = this.#signingIn.get(address.url);
    if (under !== undefined) return under;
    const done = this.#signIn({ name, ...address }).finally(() => {
      this.#signingIn.delete(address.url);
    });
    this.#signingIn.set(address.url, done);
    const title = vscode.l10n.t('Signing in to {0}', this.#parts.visible(name));
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
      done.catch(() => false),
    );
    return done;
  }

  async #signIn(server: {
    readonly name: string;
    readonly url: string;
    readonly shown: string;
  }): Promise<boolean> {
    const agreed = new Set<string>();
    const [first, ...others] = waysBack();
    if (first === undefined) return false;
    for (let way = first; ;) {
      try {
        const desk = new EditorDesk(this.#parts, way, agreed);
        await this.signIns.signIn(server, desk, { signal: this.#ended.signal });
        return true;
      } catch (error) {
        const next = others.shift();
        // Some take no address of an editor: this machine's, which the user brings, they take.
        const again = error instanceof SignInFailure && error.code === 'registration-refused';
        if (again && next !== undefined) {
          way = next;
          continue;
        }
        if (!(error instanceof SignInFailure)) throw error;
        if (error.code !== 'declined') this.#say(server.name, error);
        return false;
      }
    }
  }

  async signOut({ name, address }: PlannedServer): Promise<void> {
    if (address === null) return;
    const { l10n, window } = vscode;
    const { was, told } = await this.signIns.signOut(address.url, this.#ended.signal);
    const shown = this.#parts.visible(name);
    void window.showInformationMessage(
      !was
        ? l10n.t('You were not signed in to {0}.', shown)
        : told
          ? l10n.t('Signed out of {0}.', shown)
          : l10n.t(
              'Signed out of {0}. Who signs you in was not told: a token lives there until it ends.',
              shown,
            ),
    );
  }

  dispose(): void {
    this.#ended.abort();
    this.#watch.dispose();
  }

  #say(name: string, { message, remedy }: SignInFailure): void {
    const { visible, log } = this.#parts;
    const text = visible(`${name}: ${message} ${remedy}`.trim());
    log.warn(text);
    void vscode.window.showWarningMessage(text);
  }
}
