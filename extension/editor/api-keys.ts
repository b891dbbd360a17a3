/**
 * Keys of model servers, in the editor's secret store. A key belongs to the address it was given for
 * and is sent nowhere else; the store is not synced.
 */
import type * as vscode from 'vscode';

export class ApiKeys {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** The key for a base URL; empty for none. */
  async get(baseUrl: string): Promise<string> {
    return (await this.#secrets.get(name(baseUrl))) ?? '';
  }

  /** An empty key takes the old one away. */
  async set(baseUrl: string, key: string): Promise<void> {
    if (key === '') await this.#secrets.delete(name(baseUrl));
    else await this.#secrets.store(name(baseUrl), key);
  }
}

/** Scheme, host and port: another port can be another server. */
function name(baseUrl: string): string {
  return `apiKey:${URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl}`;
}
