/** Keys of model servers stand in the editor's secret store, each for its own server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { ApiKeys } from '../../extension/editor/api-keys.ts';

/** What the editor's store does, as far as it is used. */
function store(): { readonly secrets: vscode.SecretStorage; readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const secrets = {
    get: (name: string) => Promise.resolve(kept.get(name)),
    store: (name: string, value: string) => Promise.resolve(void kept.set(name, value)),
    delete: (name: string) => Promise.resolve(void kept.delete(name)),
  };
  return { secrets: secrets as unknown as vscode.SecretStorage, kept };
}

test('a key belongs to the server it was given for, whatever the path', async () => {
  const { secrets } = store();
  const keys = new ApiKeys(secrets);
  await keys.set('https://models.example/v1', 'sk-1');
  assert.equal(await keys.get('https://models.example/openai/v1/'), 'sk-1');
  for (const other of [
    'http://models.example/v1',
    'https://models.example:8443/v1',
    'https://models.example.evil.example/v1',
    'http://localhost:11434/v1',
    'no address',
  ]) {
    assert.equal(await keys.get(other), '', other);
  }
});

test('an empty key takes the old one away', async () => {
  const { secrets, kept } = store();
  const keys = new ApiKeys(secrets);
  await keys.set('http://localhost:8080/v1', 'sk-2');
  await keys.set('http://localhost:8080/v1', '');
  assert.equal(await keys.get('http://localhost:8080/v1'), '');
  assert.equal(kept.size, 0);
});
