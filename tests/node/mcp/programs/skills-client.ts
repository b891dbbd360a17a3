/**
 * The agent's side of skills that a server offers, without a model: servers and skills are prepared as
 * for a turn, the user says yes to everything, and the model's calls are made here.
 *
 *   skills-client.ts URL      MCP_CONFORMANCE_SCENARIO says what is done
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Preparation, Workspace } from '../../../../extension/agent/contributor.ts';
import { defaultSettings } from '../../../../extension/agent/settings.ts';
import { ToolRefusal } from '../../../../extension/agent/tool.ts';
import { createCore } from '../../../../extension/core.ts';
import { ServersContributor } from '../../../../extension/mcp/contributor.ts';
import { SkillsContributor } from '../../../../extension/skills/contributor.ts';
import { StateFolder } from '../../../../extension/state.ts';
import { approvedAddress } from '../set.ts';

async function main(url: string, scenario: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gbs-skills-client-'));
  const workspace: Workspace = { folders: [folder], trusted: true, openFile: null };
  const core = createCore();
  const { signal } = new AbortController();
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const shared = {
    core,
    settings: () => ({ ...defaultSettings, skillsReadSharedFolders: false }),
    state: new StateFolder(join(folder, 'state')),
    log: { info: say, warn: say, error: say },
    platform: process.platform,
    userHome: folder,
  };
  const servers = new ServersContributor({
    ...shared,
    workspace: () => workspace,
    plans: {
      read: () =>
        Promise.resolve({ workspace, servers: [], shadowed: [], disabled: [], problems: [] }),
      approve: () => Promise.resolve([approvedAddress('suite', url)]),
      changedSince: () => Promise.resolve(null),
      revoke: () => Promise.resolve([]),
      forgetDeclined: () => Promise.resolve(),
      adopt: () => Promise.resolve(null),
      check: () => [],
    },
  });
  const skills = new SkillsContributor({ ...shared, offered: () => servers.skills });
  try {
    const preparation: Preparation = {
      workspace,
      mode: 'auto',
      contextWindow: 32_768,
      ask: () => Promise.resolve({ answer: 'allow' }),
      emit: (event) => say(JSON.stringify(event)),
      signal,
    };
    await skills.askFirst(preparation);
    await servers.prepare(preparation);
    const { tools, catalogue } = await skills.prepare(preparation);
    say(catalogue);
    const skill = tools.find(({ name }) => name === 'skill');
    if (skill === undefined) throw new Error('the server offers no skill that can be used');
    if (scenario === 'sep-2640-client-no-prefetch') return;
    // A body, and then a file of it: where the body is refused, no model learns of the file.
    for (const args of [{}, { resource: 'references/FORMS.md' }]) {
      const context = { signal, callId: JSON.stringify(args), progress: say, save: nowhere };
      const { text } = await skill.run({ name: 'suite:pdf-processing', ...args }, context);
      say(text);
    }
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    say(`refused: ${error.message}`);
  } finally {
    await servers.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

function nowhere(): Promise<string> {
  return Promise.reject(new Error('nothing is saved here'));
}

void main(process.argv.at(-1) ?? '', process.env['MCP_CONFORMANCE_SCENARIO'] ?? '');
