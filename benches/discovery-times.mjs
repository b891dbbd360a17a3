// The times of discovery, as JSON; benches/discovery.mjs runs this, by tsx, in a process of its own.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defaultSettings } from '../extension/agent/settings.ts';
import { createCore } from '../extension/core.ts';
import { Skills } from '../extension/skills/skills.ts';
import { StateFolder } from '../extension/state.ts';
import { interleavedAwaited } from './lib.mjs';

const COUNT = 1_000;
/** Files that the bare reader reads at the same time: more did not make it faster. */
const AT_ONCE = 16;

function skill(name, n) {
  const header = `---\nname: ${name}\ndescription: >-\n  Helps to review a database by the rules of team ${n % 97}: steps, examples and what to avoid.\nlicense: MIT\ntags: [review, database]\n---\n`;
  return `${header}# ${name}\n\n${'- Look at the database first, then review it.\n'.repeat(70)}`;
}

function plant(folder) {
  for (let n = 0; n < COUNT; n += 1) {
    const name = `skill-${n}`;
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'SKILL.md'), skill(name, n));
  }
}

/** What a reader writes who only wants the files: list each folder, read what is in it. */
async function bare(folder) {
  const names = await readdir(folder);
  const texts = new Array(names.length);
  const entries = names.entries();
  const worker = async () => {
    for (const [index, name] of entries) {
      const inside = await readdir(join(folder, name));
      texts[index] = await Promise.all(inside.map((file) => readFile(join(folder, name, file))));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return texts;
}

function bareSync(folder) {
  return readdirSync(folder).map((name) =>
    readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file))),
  );
}

async function measure(rounds) {
  const root = mkdtempSync(join(tmpdir(), 'gbs-bench-'));
  try {
    const core = createCore();
    const [own, project] = [join(root, 'home/.gbs/skills'), join(root, 'ws/.gbs/skills')];
    for (const folder of [own, project]) plant(folder);
    const made = (home) =>
      new Skills({
        core,
        settings: () => defaultSettings,
        state: new StateFolder(join(root, 'state')),
        log: { info() {}, warn() {}, error() {} },
        platform: process.platform,
        userHome: join(root, home),
      });
    const look = async (skills, folders) => {
      const workspace = { folders, trusted: true, openFile: null };
      const { skills: found } = await skills.look(workspace, 0);
      if (found.length !== COUNT) throw new Error('skills were lost');
    };
    const ws = [join(root, 'ws')];
    // What was just written is read anew at each look.
    await wait(2_500);
    const [ownAgain, projectAgain] = [made('home'), made('nobody')];
    await look(ownAgain, []);
    await look(projectAgain, ws);
    return await interleavedAwaited(
      {
        'read bare': () => bare(own),
        'read bare, by synchronous calls': () => bareSync(own),
        own: () => look(made('home'), []),
        project: () => look(made('nobody'), ws),
        'own again': () => look(ownAgain, []),
        'project again': () => look(projectAgain, ws),
      },
      { rounds },
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

process.stdout.write(JSON.stringify(await measure(Number(process.argv[2]))));
