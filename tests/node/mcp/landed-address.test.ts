/** What the editors make of the address at which a sign-in ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { landedAddress } from '../../../extension/editor/landed-address.ts';
import { arrivedOrBrought } from '../../../extension/mcp/oauth/landing.ts';

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

/** Where a workbench in a browser has it come: the place of one issuer stands in the query. */
const workbench = (own: string): string => {
  const query = new URLSearchParams({
    'vscode-scheme': 'code-oss',
    'vscode-authority': 'gbs.gbs-agent',
    'vscode-path': `/signed-in/${own}`,
  });
  return `https://editor.example/callback?${query.toString()}`;
};
const back = '&code=c&state=s';
const never = new Promise<never>(() => undefined);
const notGiven = (): Error => new Error('not given');

test('what arrives by itself while the user looks for its address is taken as it is', async () => {
  const arrives = landedAddress({ ...at, path: '/signed-in/one', query: 'code=c&state=s' });
  let arrive: (address: string) => void = () => undefined;
  let close: (text: null) => void = () => undefined;
  const arrived = new Promise<string>((resolve) => (arrive = resolve));
  const closed = new Promise<null>((resolve) => (close = resolve));
  const came = arrivedOrBrought(workbench('one'), arrived, () => closed, notGiven);
  arrive(arrives);
  assert.equal(await came, arrives);
  // The box is put away then, which is no answer of the user's and must not fail anything.
  close(null);
  await closed;
});

test('what the user brings has to be where the browser was told to come, with its query', async () => {
  const given = workbench('one');
  const brings = (text: string | null): Promise<string> =>
    arrivedOrBrought(given, never, () => Promise.resolve(text), notGiven);
  assert.equal(await brings(` ${given}${back}\n`), `${given}${back}`);
  for (const other of [
    `${workbench('two')}${back}`,
    `${workbench('two')}${back}&vscode-path=/signed-in/one`,
    `https://editor.example/callback?code=c&state=s`,
    given.replace('editor', 'other') + back,
  ]) {
    await assert.rejects(brings(other), /The browser ended at another address/, other);
  }
  for (const nothing of [null, '', ' ']) await assert.rejects(brings(nothing), /not given/);
});
