/**
 * Servers and authorization servers that mean ill or are broken. They are one real HTTP server of the
 * tests' own that answers for all names; only where a name leads is made up here.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { reachOf, safeAddress, speaksFor } from '../../../extension/mcp/oauth/addresses.ts';
import { bearerChallenge } from '../../../extension/mcp/oauth/challenge.ts';
import { realNetwork, type Network } from '../../../extension/mcp/oauth/exchange.ts';
import { SignInFailure } from '../../../extension/mcp/oauth/failure.ts';
import type { Landing, SignInDesk } from '../../../extension/mcp/oauth/flow.ts';
import { SignIns } from '../../../extension/mcp/oauth/sign-ins.ts';
import { SIGN_IN_ANSWER_BYTES, SIGN_IN_REDIRECTS } from '../../../extension/limits.ts';
import { MemorySecrets } from './oauth-bed.ts';

type Json = Readonly<Record<string, unknown>>;
interface Raw {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
type Answers = Readonly<Record<string, Json | Raw>>;

const server = 'https://mcp.example/mcp';
const resourcePlace = 'https://mcp.example/.well-known/oauth-protected-resource/mcp';
const rootPlace = 'https://mcp.example/.well-known/oauth-protected-resource';
const issuer = 'https://auth.example';
const issuerPlace = `${issuer}/.well-known/oauth-authorization-server`;
const openIdPlace = `${issuer}/.well-known/openid-configuration`;

const resource = {
  resource: server,
  authorization_servers: [issuer],
  scopes_supported: ['files:read'],
};
const metadata = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  code_challenge_methods_supported: ['S256'],
};
/** Everything as it should be. */
const good: Answers = {
  [server]: { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  [resourcePlace]: resource,
  [issuerPlace]: metadata,
  [`${issuer}/register`]: { status: 201, body: '{"client_id":"ours"}' },
  [`${issuer}/token`]: { access_token: 'token', token_type: 'Bearer' },
};

interface Case {
  /** What is answered otherwise. */
  readonly answers?: Answers;
  /** Where names lead that are not out in the public. */
  readonly names?: Readonly<Record<string, string>>;
  readonly url?: string;
  /** What the browser comes back with, beside code and state; null leaves one of ours out. */
  readonly back?: Readonly<Record<string, string | null>>;
}

describe('hostile servers', { timeout: 60_000 }, () => {
  let real: Server;
  let answers: Answers = {};
  before(async () => {
    real = createServer((request, response) => {
      const found =
        answers[`${String(request.headers['x-scheme'])}//${request.headers.host}${request.url}`];
      const raw: Raw =
        found === undefined
          ? { status: 404 }
          : isRaw(found)
            ? found
            : { status: 200, body: JSON.stringify(found) };
      response.writeHead(raw.status, { 'content-type': 'application/json', ...raw.headers });
      response.end(raw.body ?? '');
    });
    await new Promise<void>((resolve) => real.listen(0, '127.0.0.1', resolve));
  });
  after(() => new Promise((resolve) => real.close(resolve)));

  /** Gives the code of the failure, or the headers that came of it, and what was asked. */
  async function attempt({ answers: other = {}, names = {}, url = server, back = {} }: Case) {
    const asked: string[] = [];
    const base = `http://127.0.0.1:${String((real.address() as AddressInfo).port)}`;
    answers = { ...good, ...other };
    const lookups = new Map<string, number>();
    const network: Network = {
      resolve: (name) => {
        // Addresses with blanks between them; a comma parts what is answered each time.
        const times = (names[name] ?? '203.0.113.7').split(', ');
        const time = lookups.get(name) ?? 0;
        lookups.set(name, time + 1);
        return Promise.resolve((times[time] ?? times.at(-1) ?? '').split(' '));
      },
      exchange: (question, signal) => {
        const { protocol, host, pathname, search, href } = question.url;
        asked.push(href);
        return realNetwork.exchange(
          {
            ...question,
            url: new URL(`${base}${pathname}${search}`),
            headers: { ...question.headers, host, 'x-scheme': protocol },
            addresses: [],
          },
          signal,
        );
      },
    };
    const opened: string[] = [];
    const signIns = new SignIns({
      store: new MemorySecrets(),
      log: { info: () => undefined },
      network,
    });
    try {
      const to = { name: 'hostile', url };
      const { signal } = new AbortController();
      await signIns.signIn(to, deskOf(opened, back), { signal });
      return { outcome: await signIns.headers(to), asked, opened };
    } catch (error) {
      assert.ok(error instanceof SignInFailure, String(error));
      assert.doesNotMatch(error.message + error.remedy, /[\p{Cc}\p{Cf}]/u);
      return { outcome: error.code, asked, opened };
    }
  }

  const token = { authorization: 'Bearer token' };
  const about = (change: Json): Answers => ({ [resourcePlace]: { ...resource, ...change } });
  const said = (change: Json): Answers => ({ [issuerPlace]: { ...metadata, ...change } });
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

    // Clients.
    'nobody may register': {
      answers: said({ registration_endpoint: undefined }),
      expected: 'needs-client',
    },
    'registration is refused, with hidden characters': {
      answers: {
        [`${issuer}/register`]: {
          status: 400,
          body: JSON.stringify({
            error: 'invalid_redirect_uri',
            error_description: 'n\u202eo\u0007',
          }),
        },
      },
      expected: 'registration-refused',
    },
    'registration redirects': {
      answers: { [`${issuer}/register`]: { status: 307, headers: { location: '/other' } } },
      expected: 'redirected',
    },
    'registration without an id': {
      answers: { [`${issuer}/register`]: { status: 201, body: '{}' } },
      expected: 'broken-metadata',
    },
    'registration that says 200, and a secret without an end': {
      answers: {
        [`${issuer}/register`]: { status: 200, body: '{"client_id":"a","client_secret":"b"}' },
      },
      expected: token,
    },

    // What comes back from the browser.
    'an answer of another issuer': {
      back: { iss: 'https://evil.example' },
      expected: 'wrong-issuer',
    },
    'an error of another issuer': {
      back: { iss: 'https://evil.example', error: 'access_denied', code: null },
      expected: 'wrong-issuer',
    },
    'an answer of the issuer': { back: { iss: issuer }, expected: token },
    'an answer without the issuer that was promised': {
      answers: said({ authorization_response_iss_parameter_supported: true }),
      expected: 'wrong-issuer',
    },
    'an answer with another state': { back: { state: 'other' }, expected: 'wrong-answer' },
    'an answer without a state': { back: { state: null }, expected: 'wrong-answer' },
    'an answer without a code': { back: { code: null }, expected: 'no-token' },
    'an answer with a token in it': { back: { token: 'x' }, expected: 'wrong-answer' },
    'an error': { back: { error: 'access_denied', code: null }, expected: 'refused' },

    // Tokens.
    'tokens redirect': {
      answers: { [`${issuer}/token`]: { status: 308, headers: { location: '/t' } } },
      expected: 'redirected',
    },
    'a token that would write headers of its own': {
      answers: { [`${issuer}/token`]: { access_token: 'a\r\nx: y', token_type: 'Bearer' } },
      expected: 'no-token',
    },
    'a token of another kind': {
      answers: { [`${issuer}/token`]: { access_token: 'a', token_type: 'mac' } },
      expected: 'no-token',
    },
    'no token': { answers: { [`${issuer}/token`]: {} }, expected: 'no-token' },
    'an error in the place of a token': {
      answers: { [`${issuer}/token`]: { status: 400, body: '{"error":"invalid_grant"}' } },
      expected: 'no-token',
    },

    // The server's own address.
    'a server without protection': { url: 'http://mcp.example/mcp', expected: 'unsafe-address' },
  };
  for (const [name, { expected, ...given }] of Object.entries(cases)) {
    it(name, async () => {
      assert.deepEqual((await attempt(given)).outcome, expected);
    });
  }

  it('never asks an address that it may not', async () => {
    const { asked, opened } = await attempt({
      answers: about({ authorization_servers: ['https://10.0.0.5'] }),
    });
    assert.deepEqual([asked, opened], [[server, resourcePlace], []]);
    const other = await attempt({ names: { 'auth.example': '192.168.1.1' } });
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
    const { asked } = await attempt({
      answers: { [issuerPlace]: { status: 302, headers: { location: issuerPlace } } },
    });
    assert.equal(asked.filter((each) => each === issuerPlace).length, SIGN_IN_REDIRECTS + 1);
  });

  it('puts its own parameters in the place of those that the page brings', async () => {
    const { opened } = await attempt({
      answers: said({
        authorization_endpoint: `${issuer}/authorize?redirect_uri=https://evil.example&tenant=a&scope=all&request_uri=x`,
      }),
    });
    const [page = ''] = opened;
    const sent = new URL(page).searchParams;
    const names = ['redirect_uri', 'tenant', 'scope', 'request_uri'];
    assert.deepEqual(
      names.map((name) => sent.getAll(name)),
      [['http://127.0.0.1:1/callback'], ['a'], ['files:read'], []],
    );
  });
});

function refusing(parameters: string): Raw {
  return { status: 401, headers: { 'www-authenticate': `Bearer ${parameters}` } };
}

function isRaw(answer: Json | Raw): answer is Raw {
  return typeof answer.status === 'number';
}

/** A user who agrees, and a browser that comes back with what the case says. */
function deskOf(opened: string[], back: Case['back'] = {}): SignInDesk {
  const landing = (): Landing => ({
    redirectUri: 'http://127.0.0.1:1/callback',
    expect: () => undefined,
    arrival: (state) => {
      const address = new URL('http://127.0.0.1:1/callback');
      for (const [name, value] of Object.entries({ code: 'code', state, ...back })) {
        if (value !== null) address.searchParams.set(name, value);
      }
      return Promise.resolve(address.href);
    },
    close: () => Promise.resolve(),
  });
  return {
    agrees: () => Promise.resolve(true),
    client: () => Promise.resolve(null),
    land: () => Promise.resolve(landing()),
    open: (page) => {
      opened.push(page.href);
      return Promise.resolve();
    },
  };
}

describe('what a refusal says', () => {
  const none = { resourceMetadata: null, scope: null, error: null };
  const cases: Readonly<Record<string, Partial<typeof none> | Record<string, string>>> = {
    '': {},
    Bearer: {},
    'bearer realm="x", scope="a b", error=invalid_token': { scope: 'a b', error: 'invalid_token' },
    'Basic realm="Bearer scope=x", Bearer scope="y"': { scope: 'y' },
    'Negotiate abc==, Bearer resource_metadata="https://a/b"': { resourceMetadata: 'https://a/b' },
    'Bearer scope="a", scope="b"': { scope: 'a' },
    'Bearer scope="a", Basic scope="b"': { scope: 'a' },
    'Bearer scope="say \\"hi\\""': { scope: 'say "hi"' },
    'Bearer scope = a , error = b': { scope: 'a', error: 'b' },
    'Bearer error=b, scope="a': { error: 'b' },
    'Digest qop="auth, Bearer scope=evil"': {},
    '=,=": broken': {},
  };
  for (const [header, expected] of Object.entries(cases)) {
    it(JSON.stringify(header), () => {
      assert.deepEqual(bearerChallenge(header), { ...none, ...expected });
    });
  }
  it('none', () => {
    assert.deepEqual(bearerChallenge(null), none);
  });
});

describe('where an address leads', () => {
  const cases: Readonly<Record<string, readonly [readonly string[], string]>> = {
    'https://a.example': [['203.0.113.7'], 'public'],
    'https://b.example': [['203.0.113.7', '10.0.0.1'], 'private'],
    'https://c.example': [['127.0.0.1'], 'loopback'],
    'https://d.example': [[], 'public'],
    'https://e.example': [['fd00::1'], 'private'],
    'https://f.example': [['2606:4700::1111'], 'public'],
    'https://g.example': [['fe80::1%eth0'], 'private'],
    'https://h.example': [['::ffff:192.168.0.1'], 'private'],
    'https://i.example': [['64:ff9b::10.0.0.1'], 'private'],
    'https://j.example': [['2002:a00:1::'], 'private'],
    'https://k.example': [['::ffff:8.8.8.8'], 'public'],
    'http://localhost': [[], 'loopback'],
    'http://localhost.': [[], 'loopback'],
    'http://a.localhost': [[], 'loopback'],
    'http://[::1]': [[], 'loopback'],
    'http://2130706433': [[], 'loopback'],
    'http://0x7f.1': [[], 'loopback'],
    'http://0.0.0.0': [[], 'private'],
    'http://[::]': [[], 'private'],
    'http://[::ffff:127.0.0.1]': [[], 'loopback'],
    'http://169.254.169.254': [[], 'private'],
    'http://100.64.0.1': [[], 'private'],
    'http://172.32.0.1': [[], 'public'],
    'http://localhost.example': [['203.0.113.7'], 'public'],
  };
  for (const [address, [resolved, expected]] of Object.entries(cases)) {
    it(`${address} ${resolved.join(' ')}`, () => {
      assert.equal(reachOf(new URL(address), resolved), expected);
    });
  }
  it('what is safe to ask', () => {
    const wrong = [
      'http://a.example',
      'ftp://a',
      'https://a b',
      'https://a/#x',
      'https://a\\b',
      ' https://a',
      '//a',
      'x',
    ];
    for (const each of wrong) assert.throws(() => safeAddress(each, 'it'), SignInFailure, each);
    for (const each of ['https://a.example/b?c=d', 'http://127.0.0.1:8080/x', 'http://[::1]/']) {
      assert.equal(safeAddress(each, 'it').href, each);
    }
  });
  it('what speaks for a server', () => {
    const speaks = (one: string): boolean => speaksFor(new URL(one), new URL('https://a/b/c?d=e'));
    const yes = [
      'https://a',
      'https://a/',
      'https://a/b',
      'https://a/b/',
      'https://a/b/c',
      'https://a/b/c?d=e',
    ];
    const no = [
      'https://a/b/c/d',
      'https://a/x',
      'https://a/b/cc',
      'https://a:8/b/c',
      'http://a/b/c',
      'https://a/b/c?d=f',
    ];
    assert.deepEqual([yes.filter(speaks), no.filter(speaks)], [yes, []]);
  });
});
