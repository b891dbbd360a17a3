/** What the editors make of the address at which a sign-in ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landedAddress } from '../../../extension/editor/landed-address.ts';

const at = { scheme: 'vscode', authority: 'gbs.gbs-agent', path: '/signed-in' };

/** The query of a desktop's editor: the escapes are undone as a whole. */
const desktop = (query: string): string => decodeURIComponent(query);
/** The query of a workbench in a browser: read and written as a form. */
const browser = (query: string): string => new URLSearchParams(query).toString();

for (const [name, values] of [
  ['an issuer', { code: 'a1', state: 's', iss: 'http://127.0.0.1:8080/one?x' }],
  ['a code with signs of its own', { code: 'a/b+c==', state: 's-_.', iss: 'https://a.example' }],
  [
    'a refusal',
    { error: 'access_denied', error_description: 'The user said no, twice.', state: 's' },
  ],
  ['nothing to escape', { code: 'abc', state: 'def' }],
] as const) {
  test(name, () => {
    // As servers write it: %20 for a blank, as a desktop's editor understands.
    const sent = Object.entries(values)
      .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
      .join('&');
    for (const query of [desktop(sent), browser(sent)]) {
      const found = new URL(landedAddress({ ...at, query }));
      assert.deepEqual(Object.fromEntries(found.searchParams), values, query);
    }
  });
}
