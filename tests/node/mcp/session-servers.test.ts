/** Servers that the agent connects, as objects: what a yes to one covers, and taking it back. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultSettings } from '../../../extension/agent/settings.ts';
import { createCore } from '../../../extension/core.ts';
import { FileServerPlans } from '../../../extension/mcp/file-server-plans.ts';
import { SessionServers } from '../../../extension/mcp/session-servers.ts';
import { StateFolder } from '../../../extension/state.ts';

test(
  'a yes is not kept for files that are no longer as the card had them',
  { timeout: 60_000 },
  async () => {
    const core = createCore();
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    for (const place of ['user', 'project'] as const) {
      const base = await realpath(await mkdtemp(join(tmpdir(), 'gbs-adopt-')));
      try {
        const [home, folder] = [join(base, 'home'), join(base, 'work')];
        await mkdir(join(home, '.gbs'), { recursive: true });
        await mkdir(folder);
        const workspace = { folders: [folder], trusted: true, openFile: null };
        const shared = {
          core,
          settings: () => defaultSettings,
          state: new StateFolder(join(base, 'state')),
          log,
          environment: { PATH: process.env.PATH ?? '' },
          platform: process.platform,
          userHome: home,
        };
        const plans = new FileServerPlans(shared);
        const session = new SessionServers({ ...shared, workspace: () => workspace });
        const entry = { command: process.execPath, args: ['./tool.mjs'] };
        const script = join(folder, 'tool.mjs');
        await writeFile(script, 'shown');
        const proposal = await session.propose('own', entry);
        const { shown } = proposal;
        const granted = session.grant(proposal);
        assert.equal(await session.changedSince(granted), null);
        assert.deepEqual(session.revoke(['other']), []);
        assert.deepEqual(session.revoke(null), ['own']);
        assert.deepEqual(session.list(), []);
        assert.equal(await session.changedSince(granted), 'It was disconnected.');
        const path = place === 'user' ? join(home, '.gbs/mcp.json') : join(folder, '.mcp.json');
        await writeFile(path, JSON.stringify({ mcpServers: { own: entry } }));
        await writeFile(script, 'other');
        assert.equal(await plans.adopt(workspace, path, shown), null, place);
        const standing = async () => (await plans.read(workspace)).servers[0]?.standing;
        assert.deepEqual(await standing(), { kind: 'asks', why: 'new' }, place);
        await writeFile(script, 'shown');
        assert.equal((await plans.adopt(workspace, path, shown))?.path, path);
        assert.deepEqual(await standing(), { kind: 'ready' }, place);
      } finally {
        await rm(base, { recursive: true, force: true });
      }
    }
  },
);
