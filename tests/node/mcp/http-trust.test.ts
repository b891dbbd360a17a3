/** Who is at an address, and who calls it: certificates, names that are nobody's, an entry's own key. */
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { HttpAuthorization } from '../../../extension/mcp/http-authorization.ts';
import { selfSigned } from './certificate.ts';
import { ownServer } from './http-server.ts';
import { approvedAddress, testSet } from './set.ts';

const limit = { timeout: 60_000 };

test('a certificate that nobody vouches for', limit, async (context) => {
  const server = createServer(selfSigned('127.0.0.1', [2020, 2090]), (_request, response) => {
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { start } = testSet(context);
  const state = await start(approvedAddress('tls', `https://127.0.0.1:${String(port)}/mcp`));
  assert.deepEqual(state?.kind === 'failed' ? state.failure : state, {
    code: 'certificate',
    fact: '127.0.0.1 has a certificate that is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).',
    remedy: 'Trust its certificate in the system, or name the file with NODE_EXTRA_CA_CERTS.',
    stderr: '',
  });
});

test('a host that is not there', limit, async (context) => {
  const { start } = testSet(context);
  // A label of 64 characters is no name, which needs no network to know.
  const host = `${'a'.repeat(64)}.invalid`;
  const state = await start(approvedAddress('dns', `https://${host}/mcp`));
  assert.deepEqual(state?.kind === 'failed' ? state.failure : state, {
    code: 'unreachable',
    fact: `There is no host ${host}.`,
    remedy: 'Check "url" in /repo/.mcp.json, and the network.',
    stderr: '',
  });
});

test('the Authorization of an entry is what is sent, whoever signed in', limit, async (context) => {
  const own = await ownServer();
  context.after(() => own.close());
  const signedIn: HttpAuthorization = {
    headers: () => Promise.resolve({ authorization: 'Bearer of-the-sign-in' }),
    refused: () => Promise.resolve(true),
  };
  const { start } = testSet(context, undefined, undefined, undefined, false, signedIn);
  const headers = [{ name: 'authorization', value: 'Bearer of-the-entry' }];
  await start(approvedAddress('own', own.url, { headers }));
  assert.deepEqual(
    [...new Set(own.asked.map((asked) => asked.headers.authorization))],
    ['Bearer of-the-entry'],
  );
  own.misbehave = (_asked, response) => {
    response.writeHead(401).end();
    return true;
  };
  const before = own.count('server/discover');
  const state = await start(approvedAddress('refused', own.url, { headers }));
  const probes = own.count('server/discover') - before;
  assert.equal(probes, 1, 'it is not asked again for a sign-in');
  assert.deepEqual(state?.kind === 'failed' ? state.failure : state, {
    code: 'unauthorized',
    fact: 'It refused the "Authorization" of its entry with status 401.',
    remedy:
      'Correct it in "headers" in /repo/.mcp.json, or remove it there and sign in: no sign-in is used beside it.',
    stderr: '',
  });
});
