/** Tokens in the editor's secret store: each machine has its own names, and one window at a time writes. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { EditorSecrets } from '../../extension/editor/editor-secrets.ts';

/** What the editor's store does, as far as it is used. */
function store() {
  const kept = new Map<string, string>();
  const listeners: ((event: { key: string }) => void)[] = [];
  const changed = (key: string) => Promise.resolve(listeners.forEach((tell) => tell({ key })));
  const secrets = {
    get: (name: string) => Promise.resolve(kept.get(name)),
    store: (name: string, value: string) => changed((kept.set(name, value), name)),
    delete: (name: string) => changed((kept.delete(name), name)),
    onDidChange: (listener: (event: { key: string }) => void) => {
      listeners.push(listener);
      return { dispose: () => listeners.splice(listeners.indexOf(listener), 1) };
    },
  };
  return { secrets: secrets as unknown as vscode.SecretStorage, kept, changed };
}

test('windows of a machine share tokens, other machines do not', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-secrets-'));
  context.after(() => rm(folder, { recursive: true }));
  const { secrets, kept, changed } = store();
  const [one, two, other] = ['a', 'a', 'b'].map(
    (machine) => new EditorSecrets(secrets, join(folder, machine)),
  );
  assert.ok(one && two && other);
  const told: string[] = [];
  two.onChange(() => told.push('two'));
  other.onChange(() => told.push('other'));
  await one.set('name', 'token');
  await changed('apiKey:https://models.example');
  assert.deepEqual(
    [await one.get('name'), await two.get('name'), await other.get('name')],
    ['token', 'token', null],
  );
  assert.deepEqual(told, ['two']);
  // What is kept stands in the store alone.
  const events: string[] = [];
  await Promise.all(
    [one, two].map((window) =>
      window.locked('name', async () => {
        events.push('in');
        await window.set('name', 'next');
        events.push('out');
      }),
    ),
  );
  assert.deepEqual(events, ['in', 'out', 'in', 'out']);
  assert.deepEqual(await readdir(join(folder, 'a'), { recursive: true }), ['sign-ins']);
  await two.set('name', null);
  assert.deepEqual([await one.get('name'), kept.size], [null, 0]);
});
