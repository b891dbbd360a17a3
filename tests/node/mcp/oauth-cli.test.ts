/** `gbs mcp login` and `logout` as a user runs them, with a browser by plain requests. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from '../gbs.ts';
import { Browser, startServers, type Servers } from './oauth-bed.ts';

let home: Home;
let servers: Servers;
before(async () => {
  [home, servers] = await Promise.all([makeHome(), startServers()]);
  const guarded = { url: servers.server };
  const keyed = { ...guarded, headers: { Authorization: 'Bearer a-key-of-mine' } };
  await home.write('work/.mcp.json', JSON.stringify({ mcpServers: { guarded, keyed } }));
});
after(() => Promise.all([home.remove(), servers.stop()]));

/** Goes to the page that `gbs` shows, once it stands there. */
function browsing(act: (page: URL, child: ChildProcess) => Promise<void>) {
  return (child: ChildProcess): void => {
    let shown = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      const page = /^(http\S+)\n/mu.exec(shown)?.[1];
      if (page === undefined) return;
      shown = '';
      void act(new URL(page), child);
    });
  };
}

test('a server signs in after it was approved, is called, and is signed out of', async () => {
  const login = ['mcp', 'login', 'guarded', '--yes', '--no-open'];
  const early = await home.gbs(login);
  assert.equal(early.code, 3, early.stderr);
  assert.match(early.stderr, /gbs mcp approve guarded/u);
  await home.gbs(['mcp', 'approve', 'guarded']);

  const refused = await home.gbs(['mcp', 'call', 'guarded', 'read', '{}']);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /gbs mcp login guarded/u);

  const unanswered = await home.gbs(['mcp', 'login', 'guarded', '--no-open']);
  assert.equal(unanswered.code, 3, unanswered.stderr);
  for (const shown of [servers.server, servers.issuer, 'mcp:read offline_access']) {
    assert.ok(unanswered.stderr.includes(shown), unanswered.stderr);
  }

  const signedIn = await home.gbs([...login, '--json'], {
    running: browsing((page) => new Browser().visit(page)),
  });
  assert.deepEqual(JSON.parse(signedIn.stdout), { signedIn: ['guarded'] }, signedIn.stderr);
  const called = await home.gbs(['mcp', 'call', 'guarded', 'read', '{}']);
  assert.match(called.stdout, /^read as /u, called.stderr);

  // What a call needs beyond that is asked for by the next sign-in, though that is another process.
  const more = await home.gbs(['mcp', 'call', 'guarded', 'write', '{}']);
  assert.equal(more.code, 1, more.stdout);
  assert.match(more.stderr, /insufficient_scope.*sign in again: gbs mcp login guarded$/mu);
  const again = await home.gbs(login, { running: browsing((page) => new Browser().visit(page)) });
  assert.match(again.stderr, /Asks for +.*mcp:write/u);
  const written = await home.gbs(['mcp', 'call', 'guarded', 'write', '{}']);
  assert.equal(written.code, 0, written.stderr);

  const folder = join(home.folder, '.local', 'state', 'gbs-agent', 'sign-ins');
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  const tokens: string[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    assert.equal((await stat(path)).mode & 0o777, 0o600, name);
    const text = await readFile(path, 'utf8');
    tokens.push(...[...text.matchAll(/Token":"([^"]+)"/gu)].map((found) => found[1] ?? ''));
  }
  assert.equal(tokens.length, 2);
  for (const each of [signedIn, called]) {
    for (const token of tokens) assert.ok(!`${each.stdout}${each.stderr}`.includes(token));
  }

  const signedOut = await home.gbs(['mcp', 'logout', '--all', '--json']);
  const { origin } = new URL(servers.server);
  assert.deepEqual(JSON.parse(signedOut.stdout), { signedOut: [origin] }, signedOut.stderr);
  assert.deepEqual(await readdir(folder), ['servers.json']);
});

test('the address that a browser elsewhere ends at can be pasted', async () => {
  const pasted = await home.gbs(['mcp', 'login', 'guarded', '--yes', '--paste'], {
    typed: true,
    running: browsing(async (page, child) => {
      const back = await new Browser().goTo(page);
      child.stdin?.end(`${back.href}\n`);
    }),
  });
  assert.equal(pasted.code, 0, pasted.stderr);
  assert.equal(pasted.stdout, 'Signed in to guarded\n');
});

test('where an entry has its own Authorization, nobody signs in beside it, and it is named', async () => {
  await home.gbs(['mcp', 'approve', 'keyed']);
  const file = join(home.folder, 'work', '.mcp.json');
  const called = await home.gbs(['mcp', 'call', 'keyed', 'read', '{}']);
  assert.equal(called.code, 1, called.stdout);
  assert.match(called.stderr, /refused the "Authorization" of its entry with status 401/u);
  assert.match(called.stderr, /Correct it in "headers" in \S*\.mcp\.json, or remove it there/u);
  const login = await home.gbs(['mcp', 'login', 'keyed', '--yes', '--no-open']);
  assert.equal(login.code, 1, login.stdout);
  assert.ok(
    login.stderr.includes(
      `keyed: its entry in ${file} has an "Authorization" in its headers, and that is what is sent. Remove it there to sign in`,
    ),
    login.stderr,
  );
  for (const { stdout, stderr } of [called, login]) {
    assert.doesNotMatch(stdout + stderr, /a-key-of-mine/u);
  }
});
