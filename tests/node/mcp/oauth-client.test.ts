/** How a client with a secret proves itself to a token endpoint. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proofOf } from '../../../extension/mcp/oauth/client.ts';

const issuer = { issuer: 'https://issuer.example' };

/** RFC 6749, section 2.3.1: the form encoding of the URL standard, then base64. */
const pairs: readonly (readonly [id: string, secret: string, encoded: string])[] = [
  ['pre-registered.client_1*', 's', 'pre-registered.client_1*:s'],
  ['a b', 'c:d%e', 'a+b:c%3Ad%25e'],
  ['https://client.example/x', 'ü', 'https%3A%2F%2Fclient.example%2Fx:%C3%BC'],
  ["!'()~", '', '%21%27%28%29%7E:'],
];

test('a name and a secret by Basic authentication', async () => {
  for (const [id, secret, encoded] of pairs) {
    const headers = new Headers();
    const proof = proofOf({ id, secret, method: 'client_secret_basic', redirectUri: null });
    await proof(issuer, { client_id: id }, new URLSearchParams(), headers);
    const given = headers.get('authorization')?.replace(/^Basic /u, '') ?? '';
    assert.equal(Buffer.from(given, 'base64').toString(), encoded);
  }
});
