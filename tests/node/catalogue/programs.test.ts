/**
 * Programs of others against the server: the Python client, Inspector's command line, the public
 * conformance suite, and two replicas behind nginx. The setup of this part of the tests brings them.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify, stripVTControlCharacters } from 'node:util';
import { tree } from '../skills/tree.ts';
import { until } from '../until.ts';
import { serverCommand, twoSkills } from './support.ts';

const run = promisify(execFile);

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by npm test -- node`);
  return value;
}

/** A program of the packages that the setup brought, run by their own Node. */
async function client(name: string, ...args: readonly string[]): Promise<string> {
  const folder = join(given('GBS_MCP_PROGRAMS'), 'node_modules');
  const node = join(folder, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const { stdout } = await run(node, [join(folder, '.bin', name), ...args], {
    timeout: 60_000,
    maxBuffer: 32 * 1024 * 1024,
    env: { ...process.env, NODE_OPTIONS: '' },
  }).catch((error: unknown) => {
    // The conformance suite ends with 1 when any of its scenarios failed.
    if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) };
    throw error;
  });
  return stdout;
}

interface Replica {
  readonly child: ChildProcess;
  readonly url: string;
}

async function replica(root: string, port = 0): Promise<Replica> {
  const { command, args } = serverCommand(
    '--skills-root',
    root,
    '--transport',
    'streamable-http',
    '--port',
    String(port),
  );
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface(child.stderr)) {
    const { event, url } = JSON.parse(line) as { event: string; url?: string };
    if (event !== 'serving' || url === undefined) continue;
    child.stderr.resume();
    return { child, url };
  }
  throw new Error('the server ended before it served');
}

async function end({ child }: Pick<Replica, 'child'>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Scenarios that do not apply, and why; `docs/skills-server.md` names them. */
const noPrompts = 'the server has no prompts';
const noTasks = 'the server has no tasks';
const fixture = 'it calls a tool or resource that only a fixture of the suite has';
const leftOut: Readonly<Record<string, string>> = {
  'logging-set-level': 'the server sends no log messages to clients',
  'completion-complete': 'the server completes no arguments',
  'tools-call-simple-text': fixture,
  'tools-call-image': fixture,
  'tools-call-audio': fixture,
  'tools-call-embedded-resource': fixture,
  'tools-call-mixed-content': fixture,
  'tools-call-with-logging': fixture,
  'tools-call-error': fixture,
  'tools-call-with-progress': fixture,
  'tools-call-sampling': fixture,
  'tools-call-elicitation': fixture,
  'json-schema-2020-12': fixture,
  'elicitation-sep1034-defaults': fixture,
  'elicitation-sep1330-enums': fixture,
  'resources-read-text': fixture,
  'resources-read-binary': fixture,
  'resources-templates-read': fixture,
  'prompts-list': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-with-image': noPrompts,
  'http-custom-header-server-validation': 'no tool of the server has parameters in headers',
  'tasks-lifecycle': noTasks,
  'tasks-capability-negotiation': noTasks,
  'tasks-wire-fields': noTasks,
  'tasks-request-state-removal': noTasks,
  'tasks-mrtr-input': noTasks,
  'tasks-request-headers': noTasks,
  'tasks-dispatch-and-envelope': noTasks,
  'tasks-required-task-error': noTasks,
  'tasks-mrtr-composition': noTasks,
  'input-required-result-basic-elicitation': fixture,
  'input-required-result-basic-sampling': fixture,
  'input-required-result-basic-list-roots': fixture,
  'input-required-result-request-state': fixture,
  'input-required-result-multiple-input-requests': fixture,
  'input-required-result-multi-round': fixture,
  'input-required-result-non-tool-request': fixture,
  'input-required-result-result-type': fixture,
  'input-required-result-tampered-state': fixture,
  'input-required-result-capability-check': fixture,
};

/** Of these, so many checks are about what the server does not have; the others pass. */
const inPart: Readonly<Record<string, number>> = {
  // Four call tools of a fixture.
  'server-stateless': 4,
  // One lists prompts.
  caching: 1,
};

const limits = { timeout: 300_000 };

describe('clients of others', { ...limits, concurrency: 3 }, () => {
  const root = tree(twoSkills);
  const running: Replica[] = [];
  const url = (): string => running[0]?.url ?? '';
  before(async () => {
    running.push(await replica(root));
  });
  after(() => Promise.all(running.map(end)));

  test('the Python client', async () => {
    const at = { skill_id: 'incident-response' };
    const expected = {
      calls: [
        ['get_skill_reference', { ...at, name: 'checklist.md' }],
        ['get_skill_asset', { ...at, name: 'logo.png' }],
        ['get_skill_body', { skill_id: '../x' }],
        ['list_skill_scripts', at],
      ],
    };
    const { stdout } = await run(
      given('GBS_PYTHON'),
      [
        join(import.meta.dirname, 'client.py'),
        JSON.stringify(expected),
        JSON.stringify(serverCommand('--skills-root', root)),
        url(),
      ],
      { timeout: 60_000 },
    );
    const seen = {
      tools: 10,
      readOnly: true,
      resources: [
        'skills://catalog/xml',
        'skills://catalog/markdown',
        'skills://tools-usage-instructions',
      ],
      get_skill_reference: '# Checklist\n',
      get_skill_asset: { type: 'image/png', size: 8, base64: 'iVBORwABAgM=' },
      get_skill_body: null,
      list_skill_scripts: [{ name: 'run.py', size: 17, type: 'text/x-python' }],
      markdown: '# Skills',
    };
    const lines = stdout.trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      [seen, seen, seen, seen],
    );
  });

  test('Inspector’s command line', async () => {
    const inspect = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse(
        await client('mcp-inspector', '--cli', url(), '--transport', 'http', ...args),
      ) as unknown;
    const listed = (await inspect('--method', 'tools/list')) as { tools: unknown[] };
    assert.equal(listed.tools.length, 10);
    const called = await inspect(
      '--method',
      'tools/call',
      '--tool-name',
      'get_skill_script',
      '--tool-arg',
      'skill_id=incident-response',
      'name=run.py',
    );
    const text = 'print("on call")\n';
    assert.deepEqual(called, {
      content: [{ type: 'text', text }],
      structuredContent: { result: text },
    });
  });

  test('the conformance suite: every scenario that applies', async () => {
    const said = stripVTControlCharacters(
      await client('conformance', 'server', '--url', url(), '--suite', 'all'),
    );
    const results = [...said.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)];
    assert.ok(results.length > 60, said.slice(-2_000));
    const failed = results.flatMap(([, name = '', , count]) =>
      Number(count) === (inPart[name] ?? 0) ? [] : [name],
    );
    assert.deepEqual(failed.sort(), Object.keys(leftOut).sort());
    const passed = results.filter(([, name = '', count]) => !(name in leftOut) && count !== '0');
    const names = passed.map(([, name]) => name);
    for (const name of ['directory', 'enumeration', 'manifest']) {
      assert.ok(names.includes(`sep-2640-skills-${name}`), name);
    }
  });
});

test(
  'two replicas behind nginx, one restarted under load, without a failed request',
  limits,
  async (context) => {
    const nginx = process.env['GBS_NGINX'];
    if (nginx === undefined) throw new Error('GBS_NGINX is not set: run these tests by npm test');
    if (nginx === '') {
      context.skip('nginx is not here, and is only brought to Debian');
      return;
    }
    const root = tree(twoSkills);
    const [one, two] = await Promise.all([replica(root), replica(root)]);
    const replicas = [one, two];
    context.after(() => Promise.all(replicas.map(end)));
    const folder = tree({});
    const port = await freePort();
    const portOf = ({ url }: Replica): string => new URL(url).port;
    const config = readFileSync(
      join(import.meta.dirname, '../../../examples/skills-server/nginx.conf'),
      'utf8',
    )
      .replace('127.0.0.1:8081', `127.0.0.1:${portOf(one)}`)
      .replace('127.0.0.1:8082', `127.0.0.1:${portOf(two)}`)
      .replace('127.0.0.1:8080', `127.0.0.1:${String(port)}`);
    writeFileSync(join(folder, 'nginx.conf'), config);
    const child = spawn(
      nginx,
      ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off; master_process off;'],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    context.after(() => end({ child }));
    const url = `http://127.0.0.1:${String(port)}/mcp`;
    await until(() => existsSync(join(folder, 'nginx.pid')));

    const failed: string[] = [];
    const counts = { answered: 0 };
    const load = { on: true };
    const ask = async (): Promise<void> => {
      while (load.on) {
        const text = await call(url).catch((error: unknown) => String(error));
        if (text.includes('rules.md')) counts.answered += 1;
        else failed.push(text);
      }
    };
    const clients = Array.from({ length: 8 }, ask);
    /** Waits until so many more requests were answered. */
    const answered = async (more: number): Promise<void> => {
      const enough = counts.answered + more;
      while (counts.answered < enough && failed.length === 0) {
        await new Promise((done) => setTimeout(done, 5));
      }
    };
    await answered(50);
    await end(one);
    await answered(50);
    replicas.push(await replica(root, Number(portOf(one))));
    await answered(50);
    await end(two);
    await answered(50);
    load.on = false;
    await Promise.all(clients);
    assert.deepEqual(failed, []);
  },
);

async function call(url: string): Promise<string> {
  const version = '2026-07-28';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'get_skill_body',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'get_skill_body',
        arguments: { skill_id: 'review-sql' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': version,
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return response.text();
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
