/** What servers and authorization servers say of themselves, and where that leads. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { SignIns } from '../../../extension/mcp/oauth/sign-ins.ts';
import { SIGN_IN_ANSWER_BYTES, SIGN_IN_REDIRECTS } from '../../../extension/limits.ts';
import { MemorySecrets } from './oauth-bed.ts';
import {
  about,
  deskOf,
  Hostile,
  issuer,
  issuerPlace,
  metadata,
  openIdPlace,
  refusing,
  resource,
  resourcePlace,
  rootPlace,
  said,
  server,
  token,
  type Case,
} from './oauth-hostile-bed.ts';

describe('hostile servers', { timeout: 60_000 }, () => {
  const hostile = new Hostile();
  before(() => hostile.start());
  after(() => hostile.stop());

  const cases: Readonly<Record<string, Case & { readonly expected: unknown }>> = {
    'all is well': { expected: token },

    // What the server says of itself.
    'no metadata anywhere': {
      answers: { [resourcePlace]: { status: 404 } },
      expected: 'not-offered',
    },
    'metadata at the root': {
      answers: { [resourcePlace]: { status: 404 }, [rootPlace]: resource },
      expected: token,
    },
    'a front page in the place of metadata': {
      answers: {
        [resourcePlace]: { status: 200, body: '<!doctype html><p>hello' },
        [rootPlace]: resource,
      },
      expected: token,
    },
    'an old server that signs in by itself': {
      answers: {
        [resourcePlace]: { status: 404 },
        'https://mcp.example/.well-known/oauth-authorization-server': {
          ...metadata,
          issuer: 'https://mcp.example',
        },
      },
      expected: token,
    },
    'metadata that are no JSON': {
      answers: { [resourcePlace]: { status: 200, body: '{"resource":' } },
      expected: 'broken-metadata',
    },
    'metadata that are a list': {
      answers: { [resourcePlace]: { status: 200, body: '[]' } },
      expected: 'broken-metadata',
    },
    'metadata that are not there for now': {
      answers: { [resourcePlace]: { status: 503 } },
      expected: 'unreachable',
    },
    'named metadata that are not there': {
      answers: { [server]: refusing('resource_metadata="https://mcp.example/none"') },
      expected: 'broken-metadata',
    },
    'named metadata by an odd scheme': {
      answers: { [server]: refusing('resource_metadata="file:///etc/passwd"') },
      expected: 'unsafe-address',
    },
    'named metadata without protection': {
      answers: { [server]: refusing('resource_metadata="http://mcp.example/m"') },
      expected: 'unsafe-address',
    },
    'metadata of another server': {
      answers: about({ resource: 'https://other.example/mcp' }),
      expected: 'wrong-resource',
    },
    'metadata of a longer path': {
      answers: about({ resource: 'https://mcp.example/mcp/more' }),
      expected: 'wrong-resource',
    },
    'metadata of a path that only begins alike': {
      answers: about({ resource: 'https://mcp.example/mc' }),
      expected: 'wrong-resource',
    },
    'metadata of the whole origin': {
      answers: about({ resource: 'https://mcp.example' }),
      expected: token,
    },
    'metadata without a resource': {
      answers: about({ resource: undefined }),
      expected: 'unsafe-address',
    },
    'nobody who signs in': {
      answers: about({ authorization_servers: [] }),
      expected: 'not-offered',
    },
    'an issuer that is no text': {
      answers: about({ authorization_servers: [{ issuer }] }),
      expected: 'unsafe-address',
    },
    'an issuer without protection': {
      answers: about({ authorization_servers: ['http://auth.example'] }),
      expected: 'unsafe-address',
    },
    'an issuer whose letters only look right': {
      answers: about({ authorization_servers: ['https://\u0430uth.example'] }),
      expected: 'unsafe-address',
    },
    'an issuer with a user name': {
      answers: about({ authorization_servers: ['https://auth.example@evil.example'] }),
      expected: 'unsafe-address',
    },

    // Where it leads.
    'an issuer on this machine': {
      answers: about({ authorization_servers: ['http://localhost:8080'] }),
      expected: 'private-address',
    },
    'an issuer in a private network by its address': {
      answers: about({ authorization_servers: ['https://10.0.0.5'] }),
      expected: 'private-address',
    },
    'an issuer in a private network by its name': {
      names: { 'auth.example': '192.168.1.1' },
      expected: 'private-address',
    },
    "a cloud's own metadata, as IPv6": {
      answers: about({ authorization_servers: ['https://[::ffff:169.254.169.254]'] }),
      expected: 'private-address',
    },
    'an issuer in the private network of its server': {
      names: { 'auth.example': '192.168.1.1', 'mcp.example': '192.168.1.2' },
      expected: token,
    },
    'a server with a second address inside': {
      answers: about({ authorization_servers: ['https://10.0.0.5'] }),
      names: { 'mcp.example': '203.0.113.7 10.0.0.1' },
      expected: 'private-address',
    },
    'an issuer with a second address inside': {
      names: { 'auth.example': '203.0.113.7 10.0.0.1' },
      expected: 'private-address',
    },
    'a server whose name leads elsewhere each time': {
      answers: about({ authorization_servers: ['https://10.0.0.5'] }),
      names: { 'mcp.example': '10.0.0.1, 203.0.113.7' },
      expected: 'private-address',
    },
    'metadata that redirect into a private network': {
      answers: {
        [resourcePlace]: { status: 302, headers: { location: 'https://inside.example/m' } },
        'https://inside.example/m': resource,
      },
      names: { 'inside.example': '10.1.2.3' },
      expected: 'private-address',
    },
    'metadata that redirect to this machine': {
      answers: { [issuerPlace]: { status: 307, headers: { location: 'http://127.0.0.1:1/m' } } },
      expected: 'private-address',
    },
    'metadata that redirect to a file': {
      answers: { [issuerPlace]: { status: 302, headers: { location: 'file:///etc/passwd' } } },
      expected: 'unsafe-address',
    },
    'metadata that redirect once': {
      answers: {
        [issuerPlace]: { status: 302, headers: { location: '/elsewhere' } },
        [`${issuer}/elsewhere`]: metadata,
      },
      expected: token,
    },
    'metadata that redirect for ever': {
      answers: { [issuerPlace]: { status: 302, headers: { location: issuerPlace } } },
      expected: 'redirected',
    },
    'metadata without end': {
      answers: { [issuerPlace]: { status: 200, body: ' '.repeat(SIGN_IN_ANSWER_BYTES + 1) } },
      expected: 'too-large',
    },

    // What the authorization server says of itself.
    'metadata of another issuer': {
      answers: said({ issuer: 'https://honest.example' }),
      expected: 'wrong-issuer',
    },
    'metadata without an issuer': {
      answers: said({ issuer: undefined }),
      expected: 'wrong-issuer',
    },
    'an issuer with a lone slash': { answers: said({ issuer: `${issuer}/` }), expected: token },
    'OpenID metadata': {
      answers: { [issuerPlace]: { status: 404 }, [openIdPlace]: metadata },
      expected: token,
    },
    'an issuer that does not describe itself': {
      answers: { [issuerPlace]: { status: 404 } },
      expected: 'broken-metadata',
    },
    'no word of PKCE': {
      answers: said({ code_challenge_methods_supported: undefined }),
      expected: 'no-pkce',
    },
    'PKCE without S256': {
      answers: said({ code_challenge_methods_supported: ['plain'] }),
      expected: 'no-pkce',
    },
    'a page by a script': {
      answers: said({ authorization_endpoint: 'javascript:alert(1)' }),
      expected: 'unsafe-address',
    },
    'a page by a program': {
      answers: said({ authorization_endpoint: 'vscode://gbs.gbs-agent/x' }),
      expected: 'unsafe-address',
    },
    'a page with hidden characters': {
      answers: said({ authorization_endpoint: `${issuer}/a\nb` }),
      expected: 'unsafe-address',
    },
    'a page with characters that turn text around': {
      answers: said({ authorization_endpoint: `${issuer}/\u202eexe` }),
      expected: 'unsafe-address',
    },
    'a page on this machine': {
      answers: said({ authorization_endpoint: 'http://localhost:1/authorize' }),
      expected: 'private-address',
    },
    'tokens from a private network': {
      answers: said({ token_endpoint: 'https://172.16.0.1/token' }),
      expected: 'private-address',
    },
    'tokens without protection': {
      answers: said({ token_endpoint: 'http://auth.example/token' }),
      expected: 'unsafe-address',
    },
    'registration without protection': {
      answers: said({ registration_endpoint: 'http://auth.example/register' }),
      expected: 'unsafe-address',
    },

    // The server's own address.
    'a server without protection': { url: 'http://mcp.example/mcp', expected: 'unsafe-address' },
  };
  for (const [name, { expected, ...given }] of Object.entries(cases)) {
    it(name, async () => {
      assert.deepEqual((await hostile.attempt(given)).outcome, expected);
    });
  }

  it('never asks an address that it may not', async () => {
    const { asked, opened } = await hostile.attempt({
      answers: about({ authorization_servers: ['https://10.0.0.5'] }),
    });
    assert.deepEqual([asked, opened], [[server, resourcePlace], []]);
    const other = await hostile.attempt({ names: { 'auth.example': '192.168.1.1' } });
    assert.deepEqual(other.asked, [server, resourcePlace]);
  });

  it('stops at once when the user does', async () => {
    const mute = createServer(() => undefined);
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const stop = new AbortController();
    mute.on('request', () => {
      stop.abort();
    });
    const signIns = new SignIns({ store: new MemorySecrets(), log: { info: () => undefined } });
    const url = `http://127.0.0.1:${String((mute.address() as AddressInfo).port)}/mcp`;
    const { signal } = stop;
    await assert.rejects(signIns.signIn({ name: 'mute', url }, deskOf([]), { signal }), {
      name: 'AbortError',
    });
    mute.closeAllConnections();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('follows no more redirects than it says', async () => {
    const { asked } = await hostile.attempt({
      answers: { [issuerPlace]: { status: 302, headers: { location: issuerPlace } } },
    });
    assert.equal(asked.filter((each) => each === issuerPlace).length, SIGN_IN_REDIRECTS + 1);
  });
});
