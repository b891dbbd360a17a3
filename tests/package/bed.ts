/**
 * Consumers of the package: what `npm pack` makes of pkg/, installed by npm in a folder of its own,
 * where nothing else is to be found. The tools that build consumers are ours.
 */
import { execFile, type ExecFileException } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
const pkg = join(root, 'pkg');

/** What every consumer shows: see `consumers/use.mjs`. */
export const shown = JSON.stringify([
  'mcp__fs__read_file',
  'Says ü.',
  'Body\n',
  true,
  ['wait', 'send', 'wait'],
  ['log'],
]);

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface Packed {
  /** Absolute path of the archive. */
  readonly archive: string;
  /** Its files, sorted. */
  readonly files: readonly string[];
}

/** Runs a program to its end; what it printed. A failure shows all of it. */
export function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: ExecFileException | null, stdout: string, stderr: string): void => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${error.message}\n${stdout}\n${stderr}`.slice(0, 4000)));
    };
    const env = { ...process.env, NODE_PATH: '', NODE_OPTIONS: '', NO_COLOR: '1' };
    execFile(file, [...args], { cwd, env, timeout: 60_000, maxBuffer: 1 << 24 }, done);
  });
}

/** Runs a command of one of our development packages. */
export function tool(name: string, args: readonly string[], cwd: string): Promise<string> {
  return run(join(root, 'node_modules', '.bin', name), args, cwd);
}

export async function pack(folder: string): Promise<Packed> {
  const printed = await run('npm', ['pack', pkg, '--json', '--pack-destination', folder], folder);
  const [made] = JSON.parse(printed) as { filename: string; files: { path: string }[] }[];
  if (made === undefined) throw new Error(printed);
  const files = made.files.map(({ path }) => path).sort();
  return { archive: join(folder, made.filename), files };
}

export class Bed {
  private constructor(
    readonly folder: string,
    readonly packed: Packed,
  ) {}

  static async make(): Promise<Bed> {
    const folder = await mkdtemp(join(tmpdir(), 'gbs-consumers-'));
    await cp(join(import.meta.dirname, 'consumers'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    const packed = await pack(folder);
    const quiet = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...quiet, packed.archive], folder);
    return new Bed(folder, packed);
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  async node(...names: string[]): Promise<string> {
    return (await run(process.execPath, [this.path(...names)], this.folder)).trim();
  }

  /** Serves the folder on loopback. */
  async serve(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const server: Server = createServer((request, response) => {
      const path = normalize(decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/'));
      const file = join(this.folder, path.endsWith('/') ? `${path}index.html` : path);
      readFile(file).then(
        (body) => {
          const type = types[extname(file)] ?? 'application/octet-stream';
          response.writeHead(200, { 'content-type': type }).end(body);
        },
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
