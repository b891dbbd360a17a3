/** The server as a function, for a program of somebody's own: packed, compiled strictly, and run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  createSkillsServer,
  type RunOptions,
  type SkillsServerOptions,
} from '../../../extension/catalogue/create.ts';
import type { CatalogueWarning } from '../../../extension/catalogue/catalogue.ts';
import type { SkillProvider } from '../../../extension/catalogue/provider.ts';
import { tree } from '../skills/tree.ts';
import { serverCommand } from './support.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** A catalogue in memory, served over HTTP and asked once. */
const consumer = `import { createSkillsServer, type SkillProvider } from 'gbs-agent/skills-server';

const text = new TextEncoder().encode('---\\nname: greet\\ndescription: Says hello.\\n---\\nHello.\\n');
const provider: SkillProvider = {
  list: () => Promise.resolve(['greet']),
  stat: (id) => Promise.resolve(id === 'greet' ? { modified: 1, size: text.length } : null),
  read: (id, limit) =>
    Promise.resolve(id === 'greet' ? (text.length > limit ? { size: text.length } : text) : null),
  listSubdir: () => Promise.resolve([]),
  readSubfile: () => Promise.resolve(null),
};
const end = new AbortController();
const server = createSkillsServer({
  provider,
  onWarning: ({ skill, message }) => console.error(skill.toUpperCase(), message.length),
});
async function ask(url: string): Promise<void> {
  const params = { name: 'get_skill_body', arguments: { skill_id: 'greet' } };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  console.log(await response.text());
}
server
  .run({
    transport: 'streamable-http',
    port: 0,
    signal: end.signal,
    onListening: (url) => void ask(url).finally(() => end.abort()),
  })
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
`;

/** Each of these is refused by the compiler. */
const wrong = `import { createSkillsServer } from 'gbs-agent/skills-server';
// @ts-expect-error: a provider has five methods.
createSkillsServer({ provider: { list: () => Promise.resolve([]) } });
// @ts-expect-error: there is no such transport.
void createSkillsServer({}).run({ transport: 'sse' });
// @ts-expect-error: a port is a number.
void createSkillsServer({ skillsRoot: '.' }).run({ transport: 'streamable-http', port: '1' });
`;

/** The same for a program that requires. */
const required = `import server = require('gbs-agent/skills-server');
const made: server.SkillsServer = server.createSkillsServer({ skillsRoot: '.' });
console.log(typeof made.run);
`;

const options = JSON.stringify({
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  include: ['*.ts', '*.cts'],
});

test(
  'createSkillsServer from a packed package, in strict TypeScript',
  { timeout: 120_000 },
  async () => {
    const folder = tree({
      'package.json': '{ "private": true, "type": "module" }',
      'tsconfig.json': options,
      'serve.ts': consumer,
      'wrong.ts': wrong,
      'required.cts': required,
    });
    const packed = await run('npm', ['pack', root, '--json', '--pack-destination', folder], {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
    const installed = join(folder, 'node_modules/gbs-agent');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    // Nothing of it needs another package: everything is bundled.
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], {
      cwd: folder,
    }).catch((error: unknown) => {
      throw new Error(
        error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error),
      );
    });
    const { stdout, stderr } = await run(process.execPath, ['serve.js'], { cwd: folder });
    assert.equal(stderr, '');
    assert.match(stdout, /Hello\.\\n/);
    const cjs = await run(process.execPath, ['required.cjs'], { cwd: folder });
    assert.equal(cjs.stdout, 'function\n');
    for (const command of ['gbs.js', 'gbs-skills-mcp.js']) {
      const said = await run(process.execPath, [join(installed, 'dist', command), '--help'], {
        cwd: folder,
      });
      assert.match(said.stdout, /Usage: gbs/);
    }
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.ok(filename.includes(version));
  },
);

test('what would serve nothing, or not as it was meant, is refused with its name', async () => {
  const none: unknown[] = [{}, { skilsRoot: 'skills' }, { skillsRoot: [] }];
  for (const options of none) {
    assert.throws(() => createSkillsServer(options as SkillsServerOptions), {
      name: 'TypeError',
      message: 'createSkillsServer takes a skillsRoot, a provider, or both',
    });
  }
  const provider = { list: () => Promise.resolve([]) } as unknown as SkillProvider;
  assert.throws(() => createSkillsServer({ provider }), {
    message: 'the provider has no method stat',
  });
  const odd = { transport: 'http' } as unknown as RunOptions;
  await assert.rejects(createSkillsServer({ skillsRoot: tree({}) }).run(odd), {
    message: 'transport is "http", and must be "stdio" or "streamable-http"',
  });
});

test('a folder that is not there is named: refused alone, a warning beside others', async () => {
  const there = tree({ 'a/SKILL.md': '---\nname: a\ndescription: Of a.\n---\n' });
  const [missing, file] = [join(there, 'none'), join(there, 'a/SKILL.md')];
  const then = 'Name a folder of skills that is there, and can be read, as skillsRoot';
  for (const [skillsRoot, what] of [
    [missing, `there is no folder ${missing}`],
    [file, `${file} is not a folder`],
    [[missing, file], `there is no folder ${missing}; ${file} is not a folder`],
  ] as const) {
    assert.throws(() => createSkillsServer({ skillsRoot }), { message: `${what}. ${then}` });
  }
  const warnings: CatalogueWarning[] = [];
  const server = createSkillsServer({
    skillsRoot: [missing, there],
    onWarning: (warning) => warnings.push(warning),
  });
  const message = `The skills cannot be listed: there is no folder ${missing}.`;
  assert.deepEqual(warnings, [{ skill: '', message }]);
  assert.deepEqual(await ids(server), ['a']);
  assert.equal(warnings.length, 1, 'said once');
  mkdirSync(join(missing, 'b'), { recursive: true });
  writeFileSync(join(missing, 'b/SKILL.md'), '---\nname: b\ndescription: Of b.\n---\n');
  for (let tries = 0; tries < 200 && (await ids(server)).length < 2; tries += 1) await delay(100);
  assert.deepEqual(await ids(server), ['a', 'b']);
});

test('the command, too, names a folder that is not there', { timeout: 120_000 }, async () => {
  const there = tree({ 'a/SKILL.md': '---\nname: a\ndescription: Of a.\n---\n' });
  const missing = join(there, 'none');
  const ended = async (...args: readonly string[]) => {
    const { command, args: all } = serverCommand(...args, '--smoke-test');
    return run(command, all).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: unknown) => error as { readonly code: number; readonly stderr: string },
    );
  };
  const alone = await ended('--skills-root', missing);
  assert.equal(
    alone.stderr,
    `gbs-skills-mcp: there is no folder ${missing}. Name a folder of skills that is there, and can be read, by --skills-root\n`,
  );
  assert.equal(alone.code, 2);
  const beside = await ended('--skills-root', missing, '--skills-root', there);
  assert.equal(beside.code, 0, beside.stderr);
  const { level, message } = JSON.parse(beside.stderr) as Readonly<Record<string, string>>;
  assert.deepEqual(
    [level, message],
    ['warning', `The skills cannot be listed: there is no folder ${missing}.`],
  );
});

async function ids({ catalogue }: ReturnType<typeof createSkillsServer>): Promise<string[]> {
  return (await catalogue.list()).map(({ id }) => id);
}
