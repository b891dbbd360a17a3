/**
 * Tokens in the editor's secret store, which is not synced, with locks as files: all windows of one
 * machine share both. Windows of other machines (over SSH, in containers) share the store alone, so
 * each machine has names of its own there.
 */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { FileLocks, type SecretStore } from '../mcp/oauth/secret-store.ts';

export class EditorSecrets extends FileLocks implements SecretStore {
  readonly #secrets: vscode.SecretStorage;
  readonly #prefix: string;

  /** `stateRoot`: this machine's folder of what is remembered. */
  constructor(secrets: vscode.SecretStorage, stateRoot: string) {
    super(join(stateRoot, 'sign-ins'));
    const machine = createHash('sha256').update(`${hostname()}\n${stateRoot}`).digest('hex');
    this.#secrets = secrets;
    this.#prefix = `signIn:${machine.slice(0, 16)}:`;
  }

  async get(name: string): Promise<string | null> {
    return (await this.#secrets.get(this.#prefix + name)) ?? null;
  }

  async set(name: string, text: string | null): Promise<void> {
    if (text === null) await this.#secrets.delete(this.#prefix + name);
    else await this.#secrets.store(this.#prefix + name, text);
  }

  /** Told when any window changed one of these. */
  onChange(listener: () => void): vscode.Disposable {
    return this.#secrets.onDidChange(({ key }) => {
      if (key.startsWith(this.#prefix)) listener();
    });
  }
}
