/** Runs scenarios of the public conformance suite against our client; `npm test -- node` brings the suite. */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { root } from './set.ts';

const run = promisify(execFile);

/** One of the suite's checks. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
  readonly description?: string;
}

/** A scenario's checks, and what the client said, for whoever looks into a failure. */
export interface Ran {
  readonly checks: readonly Check[];
  readonly said: string;
}

export interface Scenario {
  readonly name: string;
  /** Revisions of the specification; none for an extension. */
  readonly revisions: readonly string[];
}

export class Conformance {
  readonly #folder: string;
  readonly #node: string;
  readonly #suite: string;
  readonly #client: string;

  private constructor(programs: string, folder: string) {
    const modules = join(programs, 'node_modules');
    this.#node = join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
    this.#suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js');
    this.#folder = folder;
    this.#client = join(folder, 'client.cjs');
  }

  /** Bundles the client, as the extension is; beside the module of the core. */
  static async make(): Promise<Conformance> {
    const programs = process.env['GBS_MCP_PROGRAMS'];
    if (!programs) throw new Error('GBS_MCP_PROGRAMS is not set: run these by npm test -- node');
    const made = new Conformance(programs, mkdtempSync(join(tmpdir(), 'gbs-conformance-')));
    mkdirSync(join(made.#folder, 'wasm'));
    copyFileSync(join(root, 'pkg/wasm/gbs_bg.wasm'), join(made.#folder, 'wasm/gbs_bg.wasm'));
    await build({
      absWorkingDir: root,
      entryPoints: ['tests/node/mcp/programs/conformance-client.ts'],
      outfile: made.#client,
      bundle: true,
      platform: 'node',
      mainFields: ['module', 'main'],
      format: 'cjs',
      logLevel: 'error',
      // What `set.ts` says of where it stands, a bundle of another format does not know.
      define: { 'import.meta.dirname': JSON.stringify(join(root, 'tests/node/mcp')) },
    });
    return made;
  }

  /** Every scenario for clients that the suite has. */
  async scenarios(): Promise<readonly Scenario[]> {
    const { stdout } = await run(this.#node, [this.#suite, 'list', '--client'], this.#options());
    return [...stdout.matchAll(/^ +- (\S+) \[([^\]]*)\]$/gmu)].map(([, name = '', where = '']) => ({
      name,
      revisions: where === 'extension' ? [] : where.split(','),
    }));
  }

  /** Runs one scenario; `revision` is null for an extension. */
  async run(name: string, revision: string | null): Promise<Ran> {
    const results = mkdtempSync(join(this.#folder, 'results-'));
    const args = ['client', '--command', `${process.execPath} ${this.#client}`];
    args.push('--scenario', name, '--timeout', '120000', '-o', results);
    if (revision !== null) args.push('--spec-version', revision);
    let said: string;
    try {
      const { stdout, stderr } = await run(this.#node, [this.#suite, ...args], this.#options());
      said = stdout + stderr;
    } catch (error) {
      // It ends with 1 when a check failed.
      if (!(error instanceof Error && 'stdout' in error && 'stderr' in error)) throw error;
      said = String(error.stdout) + String(error.stderr);
    }
    const found = readdirSync(results, { recursive: true, encoding: 'utf8' });
    const file = found.find((path) => path.endsWith('checks.json'));
    if (file === undefined) throw new Error(`${name} left no checks:\n${said}`);
    const checks = JSON.parse(readFileSync(join(results, file), 'utf8')) as readonly Check[];
    const lines = ['stdout.txt', 'stderr.txt'].map((end) => {
      const path = found.find((each) => each.endsWith(end));
      return path === undefined ? '' : readFileSync(join(results, path), 'utf8');
    });
    return { checks, said: lines.join('') };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #options(): object {
    return {
      cwd: this.#folder,
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, NODE_OPTIONS: '' },
    };
  }
}
