/** What is broken, missing or down is one message: it names the thing and says what to do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeHome, type Home } from './gbs.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

const limit = { timeout: 60_000 };

let model: ScriptedModel;
before(async () => {
  model = await startScriptedModel([{ when: 'go', steps: [{ text: 'Done.' }] }]);
});
after(() => model.stop());

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
  readonly baseUrl?: string;
  readonly code: number;
  /** All that stands on stderr but for the card that a flag answers and the end of the turn. */
  readonly said: string;
}

async function check({ files, flags = [], baseUrl, code, said }: Case): Promise<void> {
  const home: Home = await makeHome();
  try {
    for (const [path, text] of Object.entries(files)) await home.write(`work/${path}`, text);
    const args = ['run', 'go', '--base-url', baseUrl ?? model.baseUrl, ...flags];
    const run = await home.gbs(args);
    const heard = run.stderr
      .replaceAll(home.workspace, 'WORKSPACE')
      .replace(/^\? [^]*?^ {2}Answered by .*\n/gm, '')
      .replace(/^scripted on .*\n/m, '')
      .replace(/^(?:- .*|Done\. .*|)\n/gm, '');
    assert.deepEqual({ code: run.code, said: heard }, { code, said }, run.stderr);
    assert.equal(run.stdout, code === 0 ? 'Done.\n' : '', 'the rest works');
  } finally {
    await home.remove();
  }
}

test('a .mcp.json that is no JSON', limit, () =>
  check({
    files: {
      '.mcp.json': '{\n  "mcpServers": {\n    "beds": { "command": "node" "args": [] }\n  }\n}\n',
    },
    code: 0,
    said: '! WORKSPACE/.mcp.json, line 3, cannot be used. A comma is missing here. Until then no server of this file starts.\n',
  }),
);

test('a SKILL.md without a header, and one without a description', limit, () =>
  check({
    files: {
      '.gbs/skills/watering/SKILL.md': 'Water in the evening.\n',
      '.gbs/skills/pruning/SKILL.md': '---\nname: pruning\n---\nCut above a bud.\n',
    },
    code: 0,
    said: `! The skill pruning cannot be used. The header has no description. Without one no model could tell when to use the skill, so it is not used. Say what it does and when.
  See WORKSPACE/.gbs/skills/pruning/SKILL.md, line 2.
! The skill watering cannot be used. The file has no header. It has to begin with a line that is exactly ---, then name and description, then --- again.
  See WORKSPACE/.gbs/skills/watering/SKILL.md, line 1.
`,
  }),
);

test('a server whose program is not there', limit, () =>
  check({
    files: { '.mcp.json': '{"mcpServers":{"beds":{"command":"no-such-program"}}}' },
    code: 0,
    said: `! The server beds cannot start. There is no program "no-such-program" on the PATH.
  Install it, or write its whole path as "command".
`,
  }),
);

test('a server that ends at once', limit, () =>
  check({
    files: { '.mcp.json': '{"mcpServers":{"beds":{"command":"node","args":["beds.js"]}}}' },
    flags: ['--yes-mcp', 'beds'],
    code: 0,
    said: `x The server beds does not run. It exited with code 1 before it was ready. It wrote: “Error: Cannot find module 'WORKSPACE/beds.js'”
  Check the command and its arguments in WORKSPACE/.mcp.json.
`,
  }),
);

test('a model server that is down', limit, () =>
  check({
    files: {},
    baseUrl: 'http://127.0.0.1:9/v1',
    code: 1,
    said: `gbs: No answer from 127.0.0.1:9 (ECONNREFUSED).
  Start the model server, or set the address where it listens.
  None answers on the usual ports of this machine: 11434, 1234, 8080, 8000, 1337, 5001, 5000, 30000.
  Name another address with --base-url, such as http://localhost:9090/v1.
`,
  }),
);

test('settings that are no file end the command, and do not hang it', limit, async () => {
  if (process.platform === 'win32') return;
  for (const [what, make] of [
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ] as const) {
    const home = await makeHome();
    try {
      await home.write('.gbs/notes.md', '');
      const path = join(home.folder, '.gbs', 'settings.json');
      make(path);
      const { code, stderr } = await home.gbs(['run', 'go', '--base-url', model.baseUrl]);
      assert.deepEqual(
        [code, stderr],
        [1, `gbs: ${path} cannot be read: it is not a file\n`],
        what,
      );
    } finally {
      await home.remove();
    }
  }
});
