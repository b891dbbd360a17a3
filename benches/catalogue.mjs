// The skills MCP server, beside one that does the same in Python with FastMCP: both over stdio, asked
// by the same few lines, by turns. Python's looks at every file's time for each list and search; ours
// does so once in a tenth of a second, and for each body.
//
// It needs a Python with fastmcp and python-frontmatter, named by GBS_FASTMCP.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { compared, median } from './lib.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = join(root, '.cache', 'bench');
const SKILLS = 1_000;
/** Calls by which a second is measured, and how many of them wait at once. */
const CALLS = 400;
const AT_ONCE = 8;

function bundle() {
  mkdirSync(join(place, 'wasm'), { recursive: true });
  copyFileSync(join(root, 'pkg/wasm/gbs_bg.wasm'), join(place, 'wasm/gbs_bg.wasm'));
  buildSync({
    absWorkingDir: root,
    entryPoints: ['extension/cli/skills-mcp.ts'],
    outfile: join(place, 'skills-mcp.cjs'),
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    logLevel: 'error',
  });
}

function catalogue() {
  const folder = mkdtempSync(join(tmpdir(), 'gbs-bench-'));
  for (let at = 0; at < SKILLS; at += 1) {
    const id = `skill-${String(at).padStart(4, '0')}`;
    mkdirSync(join(folder, id));
    const header = `name: Skill ${at}\ndescription: What skill ${at} is for, and when it is used.\nversion: "1.${at}"\ntags: [bench, t${at % 10}]\nauthor: Team\nlicense: MIT`;
    const body = `# Skill ${at}\n\n${'Do this, then that, and look at the result.\n'.repeat(60)}`;
    writeFileSync(join(folder, id, 'SKILL.md'), `---\n${header}\n---\n\n${body}`);
  }
  return folder;
}

class Server {
  #child;
  #waiting = new Map();
  #last = 0;

  constructor([command, ...args]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    createInterface(this.#child.stdout).on('line', (line) => {
      const { id, result, error } = JSON.parse(line);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error || result?.isError) waiting?.reject(new Error(line.slice(0, 500)));
      else waiting?.resolve(result);
    });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  ask(method, params) {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  async open() {
    const clientInfo = { name: 'bench', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    await this.ask('initialize', params);
    this.#send({ method: 'notifications/initialized' });
    await this.ask('tools/list', {});
  }

  async call(name, args) {
    const { structuredContent } = await this.ask('tools/call', { name, arguments: args });
    return structuredContent.result;
  }

  /** MiB of memory. */
  memory() {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  end() {
    return new Promise((resolve) => {
      this.#child.once('exit', resolve);
      this.#child.stdin.end();
      this.#child.kill();
    });
  }
}

const id = (at) => `skill-${String(at % SKILLS).padStart(4, '0')}`;

/** What is measured, each giving what must be alike on both sides. */
const cases = {
  'list_skills, 500 of 1,000': async (server) => (await server.call('list_skills', {})).length,
  'search_skills among 1,000': async (server) => {
    const hits = await server.call('search_skills', { query: 'skill 777 t7' });
    return `${hits[0].id} ${hits[0].score}`;
  },
  get_skill_body: async (server) =>
    (await server.call('get_skill_body', { skill_id: id(5) })).trim().length,
};

async function load(server) {
  let next = 0;
  const ask = async () => {
    while (next < CALLS) {
      next += 1;
      await server.call('get_skill_body', { skill_id: id(next % 200) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
}

async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { time: performance.now() - start, value };
}

export const title = 'The skills server, beside one in Python with FastMCP';

export async function run({ rounds, skip }) {
  const python = process.env.GBS_FASTMCP;
  if (!python) return skip('a Python with fastmcp and python-frontmatter is named by GBS_FASTMCP');
  if (process.platform !== 'linux') return skip('memory is read from /proc');
  bundle();
  const folder = catalogue();
  const commands = {
    ours: [process.execPath, join(place, 'skills-mcp.cjs'), '--skills-root', folder],
    FastMCP: [python, join(root, 'benches/catalogue/fastmcp_server.py'), folder],
  };
  const times = {};
  const note = (name, side, value) => ((times[name] ??= {})[side] ??= []).push(value);
  try {
    for (let round = 0; round < Math.min(rounds, 5); round += 1) {
      const seen = {};
      for (const [side, command] of Object.entries(commands)) {
        const started = await timed(async () => {
          const server = new Server(command);
          await server.open();
          return server;
        });
        note('start to tools/list', side, started.time);
        const server = started.value;
        await cases['list_skills, 500 of 1,000'](server);
        for (const [name, work] of Object.entries(cases)) {
          await work(server);
          const all = [];
          for (let time = 0; time < 20; time += 1) {
            const { time: took, value } = await timed(() => work(server));
            all.push(took);
            (seen[name] ??= new Set()).add(value);
          }
          note(name, side, median(all));
        }
        await load(server);
        const { time } = await timed(() => load(server));
        note(`a call, ${AT_ONCE} at once`, side, time / CALLS);
        note('memory', side, server.memory());
        await server.end();
      }
      for (const [name, values] of Object.entries(seen)) {
        if (values.size !== 1) throw new Error(`${name}: the answers differ: ${[...values]}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return Object.entries(times).map(([name, sides]) => {
    const medians = Object.fromEntries(
      Object.entries(sides).map(([side, all]) => [side, median(all)]),
    );
    const isMemory = name === 'memory';
    const row = compared(name, medians, 'ours', [['FastMCP', isMemory ? null : 1]]);
    return isMemory ? JSON.parse(JSON.stringify(row).replaceAll(' ms', ' MiB')) : row;
  });
}
