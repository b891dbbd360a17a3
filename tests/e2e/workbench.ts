/**
 * A real VS Code workbench for tests: code-server with the .vsix installed, in private folders, driven
 * by headless Chromium. Everything it starts, it ends.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Browser, type FrameLocator, type Page } from 'playwright-core';
import { serveWorkbench, type ServedWorkbench } from '../../scripts/lib/workbench.mjs';

const root = join(__dirname, '..', '..');

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by npm test -- e2e`);
  return value;
}

/** Which VS Code this run is about: `latest` or `floor`. */
const kind = required('GBS_BED_KIND');
const bed = required('GBS_BED');
const browserPath = required('GBS_CHROMIUM');

export interface WorkbenchOptions {
  /** Absolute path of the folder to open. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Restricted Mode is possible. */
  readonly trust?: boolean;
  readonly theme?: 'light' | 'dark';
}

export class Workbench {
  private constructor(
    readonly page: Page,
    readonly served: ServedWorkbench,
    private readonly browser: Browser,
  ) {
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && /gbs\.gbs-agent|GBS Agent/.test(text))
        this.errors.push(text);
    });
  }

  /** Serves the workbench with the extension installed, and opens it in a page. */
  static async open(options: WorkbenchOptions): Promise<Workbench> {
    const served = await serveWorkbench({
      bed,
      folder: options.folder,
      vsix: join(root, 'gbs-agent.vsix'),
      trust: options.trust ?? false,
      settings: {
        'git.enabled': false,
        'workbench.colorTheme':
          options.theme === 'light' ? 'Default Light Modern' : 'Default Dark Modern',
        ...options.settings,
      },
    });
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
    const workbench = new Workbench(page, served, browser);
    try {
      await page.goto(served.url);
      await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
    } catch (error) {
      await workbench.close();
      throw error;
    }
    return workbench;
  }

  /**
   * Runs a command by its title in the palette. The palette lists what is known when it opens, so it
   * is opened anew until the command is there.
   */
  async command(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input.input');
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    // While the palette of the last command still closes, it takes nothing.
    const chosen = async (): Promise<boolean> => {
      await input.waitFor({ state: 'hidden', timeout: 5000 });
      await this.page.keyboard.press('F1');
      await input.fill(`>${title}`, { timeout: 5000 });
      // Enter takes the first row, which is a guess of the palette's; the row itself is what was meant.
      await row.click({ timeout: 5000 });
      return true;
    };
    for (const end = Date.now() + 90_000; !(await chosen().catch(() => false));) {
      await this.page.keyboard.press('Escape');
      if (Date.now() > end) {
        await this.screenshot('no-command');
        throw new Error(`the palette does not list ${title}`);
      }
    }
  }

  /** The document of the chat view. */
  get chat(): FrameLocator {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  }

  /** What the workbench and the chat show, as text; and a picture under `name`. */
  async seen(name: string): Promise<string> {
    await this.screenshot(name.replace(/\W+/g, '-'));
    const text = (inside: Page | FrameLocator): Promise<string> =>
      inside
        .locator('body')
        .innerText({ timeout: 2000 })
        .catch((error: unknown) => String(error));
    return `${await text(this.page)}\n--- chat\n${await text(this.chat)}`;
  }

  /** Keeps a picture below .cache/shots/e2e. */
  async screenshot(name: string): Promise<void> {
    const folder = join(root, '.cache', 'shots', 'e2e', kind);
    await mkdir(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** Errors that name the extension: VS Code sends what its extension host logs to the console. */
  readonly errors: string[] = [];

  async close(): Promise<void> {
    await this.browser.close();
    await this.served.close();
  }
}
