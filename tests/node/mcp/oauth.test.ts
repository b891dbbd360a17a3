/** Signing in to a real MCP server by a real authorization server, with a browser by plain requests. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SignInFailure } from '../../../extension/mcp/oauth/failure.ts';
import { FileSecrets, type SecretStore } from '../../../extension/mcp/oauth/secret-store.ts';
import { SignIns } from '../../../extension/mcp/oauth/sign-ins.ts';
import { Browser, callTool, Desk, MemorySecrets, startServers, type Servers } from './oauth-bed.ts';

const { signal } = new AbortController();
const document = 'https://client.example/gbs-agent.json';

describe('signing in to a server', { timeout: 60_000 }, () => {
  let servers: Servers;
  let secrets: MemorySecrets;
  let signIns: SignIns;
  let time: number;
  before(async () => {
    servers = await startServers();
  });
  after(() => servers.stop());
  beforeEach(async () => {
    secrets = new MemorySecrets();
    time = Date.now();
    signIns = window();
    await servers.control({ seconds: 3600, registers: true });
  });

  /** Another window: the same secrets, nothing else in common. */
  function window(clientDocument = '', store: SecretStore = secrets): SignIns {
    return new SignIns({
      store,
      log: { info: () => undefined },
      now: () => time,
      clientDocument: () => clientDocument,
    });
  }
  const server = () => ({ name: 'guarded', url: servers.server });
  const signIn = (
    desk: Desk,
    by = signIns,
    client: { id: string; secret: string | null } | null = null,
  ) => by.signIn(server(), desk, { client, signal });
  const call = (tool: string, by = signIns) => callTool(by, servers.server, tool);
  async function since(act: () => Promise<unknown>): Promise<Record<string, number>> {
    const earlier = await servers.control();
    await act();
    const later = await servers.control();
    return Object.fromEntries(
      Object.entries(later)
        .map(([name, count]): [string, number] => [name, count - (earlier[name] ?? 0)])
        .filter(([, count]) => count !== 0),
    );
  }

  it('takes a browser that is back before anybody waits for it', async () => {
    const desk = new Desk();
    desk.open = async (page) => {
      await desk.browser.visit(page);
    };
    await signIn(desk);
    assert.equal((await call('read')).status, 200);
  });

  it('asks first, registers, and calls with the token', async () => {
    assert.equal((await call('read')).status, 401);
    assert.equal(signIns.need(server()), 'signedOut');
    const desk = new Desk();
    const seen = await since(() => signIn(desk));
    assert.deepEqual(seen, { registered: 1, tokens: 1 });
    assert.deepEqual(desk.asked, [
      {
        name: 'guarded',
        address: servers.server,
        issuer: servers.issuer,
        page: `${servers.issuer}/auth`,
        resource: null,
        scopes: ['mcp:read', 'offline_access'],
        added: [],
        client: 'register',
      },
    ]);
    const [page] = desk.browser.opened;
    const sent = Object.fromEntries(page?.searchParams ?? []);
    assert.equal(sent['resource'], servers.server);
    assert.equal(sent['code_challenge_method'], 'S256');
    assert.equal(sent['scope'], 'mcp:read offline_access');
    assert.equal(signIns.need(server()), null);
    const { status, text } = await call('read');
    assert.deepEqual([status, text.slice(0, 8)], [200, 'read as ']);
    assert.deepEqual(await signIns.servers(), [servers.server]);
  });

  it('needs no refusal before: the server is asked how it refuses', async () => {
    await signIn(new Desk());
    assert.equal((await call('read')).status, 200);
  });

  it('sends nobody and nothing anywhere without a yes', async () => {
    const desk = new Desk({ says: false });
    const seen = await since(() => assert.rejects(signIn(desk), failure('declined')));
    assert.deepEqual([seen, desk.browser.opened, secrets.texts.size], [{}, [], 0]);
  });

  it('says that somebody said no in the browser', async () => {
    const desk = new Desk({ browser: new Browser('refuses') });
    await assert.rejects(signIn(desk), failure('refused'));
    assert.equal(secrets.texts.size, 0);
  });

  it('is known by a document where one is configured, and registers nothing', async () => {
    signIns = window(document);
    const desk = new Desk();
    const seen = await since(() => signIn(desk));
    assert.deepEqual([seen['registered'], desk.asked[0]?.client], [undefined, 'document']);
    assert.equal((await call('read')).text, `read as ${document}`);
  });

  it('is known by a client that the user entered, with its secret', async () => {
    const client = { id: 'by-hand', secret: 'by-hand-secret' };
    const seen = await since(() => signIn(new Desk(), signIns, client));
    assert.deepEqual(seen, { tokens: 1 });
    assert.equal((await call('read')).text, 'read as by-hand');
    // It is kept with its issuer, and used again.
    const again = new Desk();
    await signIn(again);
    assert.equal(again.asked[0]?.client, 'entered');
  });

  it('says what to do where nobody may register', async () => {
    await servers.control({ registers: false });
    await assert.rejects(signIn(new Desk()), failure('registration-refused'));
  });

  it('asks for more where a call needs more, and keeps what it had', async () => {
    await signIn(new Desk());
    assert.equal((await call('write')).status, 403);
    assert.equal(signIns.need(server()), 'scopes');
    const desk = new Desk();
    const seen = await since(() => signIn(desk));
    assert.deepEqual(seen['registered'], undefined);
    const [question] = desk.asked;
    assert.deepEqual(question?.scopes, ['mcp:read', 'offline_access', 'mcp:write']);
    assert.deepEqual([question.added, question.client], [['mcp:write'], 'known']);
    assert.equal((await call('write')).text, 'written');
    assert.equal((await call('read')).status, 200);
  });

  it('renews a token before it ends, once for all that wait', async () => {
    await servers.control({ seconds: 60 });
    await signIn(new Desk());
    time += 45_000;
    const seen = await since(async () => {
      const all = await Promise.all([1, 2, 3, 4].map(() => call('read')));
      assert.deepEqual(
        all.map(({ status }) => status),
        [200, 200, 200, 200],
      );
    });
    assert.deepEqual([seen['renewed'], seen['tokens']], [1, 1]);
  });

  it('renews a token that is refused', async () => {
    await signIn(new Desk());
    await spoil();
    const seen = await since(async () => assert.equal((await call('read')).status, 200));
    assert.equal(seen['renewed'], 1);
  });

  it('a refusal that comes after a renewal tries the new token', async () => {
    await signIn(new Desk());
    await spoil();
    const sent = await signIns.headers(server());
    // Both were sent with the same token; the second hears of its end when the first has a new one.
    const refusal = { status: 401, wwwAuthenticate: 'Bearer error="invalid_token"', sent };
    assert.equal(await signIns.refused(server(), refusal), true);
    const renewed = await signIns.headers(server());
    assert.notDeepEqual(renewed, sent);
    const seen = await since(async () => {
      assert.equal(await signIns.refused(server(), refusal), true);
    });
    assert.deepEqual([seen['renewed'], signIns.need(server())], [undefined, null]);
    assert.deepEqual(await signIns.headers(server()), renewed);
  });

  it('two windows renew one after the other, and lose nothing', async () => {
    await servers.control({ seconds: 60 });
    const folder = await mkdtemp(join(tmpdir(), 'gbs-sign-ins-'));
    after(() => rm(folder, { recursive: true }));
    const windows = [1, 2, 3].map(() => window('', new FileSecrets(join(folder, 'sign-ins'))));
    await signIn(new Desk(), windows[0]);
    // Each has read the token before any renews it.
    for (const each of windows) await each.headers(server());
    time += 45_000;
    const seen = await since(async () => {
      const all = await Promise.all(windows.map((each) => call('read', each)));
      assert.deepEqual(
        all.map(({ status }) => status),
        [200, 200, 200],
      );
    });
    // The authorization server takes everything back when an old token is shown once more.
    assert.deepEqual([seen['renewed'], seen['revoked']], [1, undefined]);
    time += 45_000;
    assert.equal((await call('read', windows[1])).status, 200);
    const modes = await Promise.all(
      (await readdir(folder, { recursive: true })).map(
        async (name) => (await stat(join(folder, name))).mode & 0o777,
      ),
    );
    assert.deepEqual(new Set(modes), new Set([0o700, 0o600]));
  });

  it('signs out: the issuer forgets the tokens, and nothing is kept', async () => {
    await signIn(new Desk());
    const headers = await signIns.headers(server());
    assert.deepEqual(await signIns.signOut(servers.server, signal), { was: true, told: true });
    assert.deepEqual(await signIns.signOut(servers.server, signal), { was: false, told: false });
    assert.deepEqual(await signIns.headers(server()), {});
    assert.deepEqual(await signIns.servers(), []);
    assert.deepEqual([...secrets.texts.values()], ['[]']);
    const old = { headers: () => Promise.resolve(headers), refused: () => Promise.resolve(false) };
    assert.equal((await callTool(old, servers.server, 'read')).status, 401);
  });

  it('says that a sign-in ended where it cannot be renewed', async () => {
    await signIn(new Desk());
    const other = window();
    await other.headers(server());
    await signIns.signOut(servers.server, signal);
    assert.equal((await call('read', other)).status, 401);
    assert.equal(other.need(server()), 'signedOut');
  });

  it('sends a token to the very address that it is for, and to no other', async () => {
    await signIn(new Desk());
    const others = [
      servers.server.replace('/mcp', '/other'),
      `${servers.server}?x=1`,
      `${servers.server}/`,
      servers.server.replace('127.0.0.1', 'localhost'),
      servers.issuer,
      'http://mcp.example/mcp',
    ];
    for (const url of others)
      assert.deepEqual(await signIns.headers({ name: 'guarded', url }), {}, url);
    // A record that was moved to another server's name counts as none.
    const [name, text] = [...secrets.texts].find(([, each]) => each.includes('accessToken')) ?? [];
    const moved = new MemorySecrets();
    moved.texts.set(name ?? '', (text ?? '').replaceAll(servers.server, `${servers.server}/else`));
    const by = new SignIns({ store: moved, log: { info: () => undefined } });
    assert.deepEqual(await by.headers(server()), {});
  });

  /** Puts a token in the place of the kept one that the server does not know. */
  async function spoil(): Promise<void> {
    for (const [name, text] of secrets.texts) {
      secrets.texts.set(name, text.replace(/"accessToken":"[^"]+"/u, '"accessToken":"unknown"'));
    }
    signIns.forget();
    await signIns.headers(server());
  }
});

function failure(code: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SignInFailure, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  };
}
