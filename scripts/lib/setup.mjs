// Brings what the build and the tests need, once. Nothing goes into system folders but Debian's
// packages.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { cache, cargoTools, root, toolFolder } from './paths.mjs';
import { StepFailed, ask, run, timed } from './run.mjs';
import { whenChanged } from './stamp.mjs';

function checkNode() {
  const [major] = process.versions.node.split('.').map(Number);
  if (major < 20) {
    throw new StepFailed(`Node ${process.versions.node} is too old.`, 'Install Node 20 or newer.');
  }
}

async function wasmTarget() {
  if (!ask('cargo', ['--version'])) {
    throw new StepFailed('Rust is not installed.', 'Install it with rustup, then run this again.');
  }
  const library = ask('rustc', ['--print', 'target-libdir', '--target', 'wasm32-unknown-unknown']);
  if (
    library &&
    existsSync(library) &&
    readdirSync(library).some((name) => name.startsWith('libcore-'))
  )
    return;
  await timed('Rust target wasm32-unknown-unknown', () =>
    run('rustup', ['target', 'add', 'wasm32-unknown-unknown'], {
      step: 'rustup target add wasm32-unknown-unknown',
      remedy:
        'The core is compiled for this target. Run that command by hand to see why it is refused; without rustup, install the target from the packages of your system.',
    }),
  );
}

/** `cargo install` into the cache; put in place whole, so that two clones at once do no harm. */
async function cargoTool(name) {
  const { crate, version } = cargoTools[name];
  const folder = dirname(toolFolder(name));
  const program = join(folder, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  if (existsSync(program)) return;
  await timed(`${crate} ${version} (some minutes, once)`, async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(join(dirname(folder), '.installing-'));
    try {
      await run('cargo', ['install', crate, '--version', version, '--locked', '--root', work], {
        step: `cargo install ${crate} --version ${version}`,
        remedy: 'It needs a C compiler and the crates registry.',
        quiet: true,
      });
      if (!existsSync(program)) {
        rmSync(folder, { recursive: true, force: true });
        renameSync(work, folder);
      }
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
}

async function npmPackages() {
  // npm ci empties the folder first: through a link that is another checkout's.
  if (lstatSync(join(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StepFailed(
      'node_modules is a link; installing through it would empty what it points to.',
      'Remove the link and run this again.',
    );
  }
  await whenChanged(
    'npm',
    { inputs: ['package-lock.json'], outputs: ['node_modules/.package-lock.json'] },
    () =>
      timed('npm packages', () =>
        // No package of ours needs its install script; not running them is safer.
        run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
          step: 'npm ci',
          remedy: 'It needs the npm registry.',
        }),
      ),
  );
}

/** What the build needs. */
export async function setupBuild() {
  checkNode();
  await npmPackages();
  await wasmTarget();
  for (const name of Object.keys(cargoTools)) await cargoTool(name);
}

/** Debian's packages, where this process may install them; false where not. */
export async function fromDebian(title, ...packages) {
  if (process.platform !== 'linux' || !ask('apt-get', ['--version']) || process.getuid?.() !== 0)
    return false;
  await timed(`${title}, from the packages of the system`, async () => {
    const remedy = `It brings ${packages.join(' ')}.`;
    await run('apt-get', ['update', '-q'], { step: 'apt-get update', quiet: true, remedy });
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...packages], {
      step: `apt-get install ${packages.join(' ')}`,
      quiet: true,
      remedy,
      env: { DEBIAN_FRONTEND: 'noninteractive' },
    });
  });
  return true;
}

/** The path of Chromium; installs Debian's package where that is possible. */
export async function chromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const find = () => {
    if (process.env.GBS_CHROMIUM) return process.env.GBS_CHROMIUM;
    const folders = (process.env.PATH ?? '').split(':').concat('/usr/bin');
    for (const name of names)
      for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name);
    return null;
  };
  const found = find() ?? ((await fromDebian('Chromium', 'chromium')) ? find() : null);
  if (found) return found;
  throw new StepFailed(
    'Chromium is not installed; the tests of what people see need it.',
    'Install the package chromium (Debian: apt-get install chromium), or name a Chrome by GBS_CHROMIUM.',
  );
}

/** The Python that has the MCP servers which are written in it, as modules; brings them once. */
export async function pythonServers() {
  const list = join(root, 'tests', 'servers', 'python.txt');
  const key = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12);
  const folder = join(cache, 'servers', `python-${key}`);
  const windows = process.platform === 'win32';
  const inside = (place) =>
    windows ? join(place, 'Scripts', 'python.exe') : join(place, 'bin', 'python');
  if (existsSync(inside(folder))) return inside(folder);
  const python = windows ? 'python' : 'python3';
  const usable = () =>
    ask(python, ['-c', windows ? '"import venv, ensurepip"' : 'import venv, ensurepip']) !== null;
  if (!usable() && !((await fromDebian('Python', 'python3', 'python3-venv')) && usable())) {
    throw new StepFailed(
      'Python is not installed; the tests of servers written in it need it.',
      'Install python3 with venv (Debian: apt-get install python3 python3-venv).',
    );
  }
  await timed('MCP servers written in Python (once)', async () => {
    mkdirSync(dirname(folder), { recursive: true });
    const work = mkdtempSync(join(dirname(folder), '.installing-'));
    const remedy = 'It needs the Python package index, and Python 3.11 or newer.';
    const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '-c', list];
    try {
      await run(python, ['-m', 'venv', work], { step: 'python3 -m venv', remedy });
      await run(inside(work), [...pip, 'mcp-server-git', 'mcp-server-time'], {
        step: 'pip install mcp-server-git mcp-server-time',
        remedy,
        quiet: true,
      });
      if (!existsSync(inside(folder))) renameSync(work, folder);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  });
  return inside(folder);
}

/** Folders of VS Code test beds: kind → place below the cache. */
export const beds = {
  latest: join(cache, 'beds', 'vscode-latest-4.139.1'),
  floor: join(cache, 'beds', 'vscode-floor-4.96.4'),
};
