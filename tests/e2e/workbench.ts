/**
 * A real VS Code workbench for tests: code-server with the .vsix installed, in private folders, driven
 * by headless Chromium. Everything it starts, it ends.
 */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  chromium,
  type Browser,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import { serveWorkbench, type ServedWorkbench } from '../../scripts/lib/workbench.mjs';

const root = join(import.meta.dirname, '..', '..');

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by npm test -- e2e`);
  return value;
}

/** Which VS Code this run is about: `latest` or `floor`. */
export const kind = required('GBS_BED_KIND');
const bed = required('GBS_BED');
const browserPath = required('GBS_CHROMIUM');

export interface WorkbenchOptions {
  /** Absolute path of the folder to open. */
  readonly folder: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** More extensions to install: paths of .vsix files. */
  readonly vsix?: readonly string[];
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
      vsix: [join(root, 'gbs-agent.vsix'), ...(options.vsix ?? [])],
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

  /** Opens something else in the same page: `folder`, `workspace`, or `ew` for no folder. */
  async visit(query: Readonly<Record<string, string>>): Promise<void> {
    const url = new URL(this.served.url);
    url.search = new URLSearchParams(query).toString();
    await this.page.goto(url.href);
    await this.page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  }

  /**
   * Does what `act` does until `effect` is visible. VS Code drops a key or closes a palette while views
   * still take the focus, and a list of suggestions can wait for ever for a provider of its own: a
   * person presses the key again, and so does this.
   */
  async until(effect: Locator, act: () => Promise<unknown>): Promise<void> {
    let last: unknown;
    for (const end = Date.now() + 90_000; Date.now() < end;) {
      try {
        await act();
        await effect.waitFor({ timeout: 4000 });
        return;
      } catch (error) {
        last = error;
        await this.page.keyboard.press('Escape');
      }
    }
    throw new Error(`nothing had the effect: ${String(last)}`, { cause: last });
  }

  /** Closes an editor that newer versions show above everything. */
  async closeModal(): Promise<void> {
    const modal = this.page.locator('.monaco-modal-editor-block');
    for (let tries = 0; tries < 30 && (await modal.isVisible()); tries += 1) {
      // A key reaches it only while it has the focus, its button always.
      await modal
        .locator('.codicon-close')
        .first()
        .click({ timeout: 2000 })
        .catch(() => this.page.keyboard.press('Escape'));
      await modal.waitFor({ state: 'hidden', timeout: 2000 }).catch(() => undefined);
    }
  }

  get #input(): Locator {
    return this.page.locator('.quick-input-widget input.input');
  }

  /**
   * Opens a palette by `key`, types `text`, and takes the row that has `label`. The palette lists what
   * is known when it opens, so it is opened anew until the row is there.
   */
  async #pick(key: string, text: string, label: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
    let last: unknown;
    for (const end = Date.now() + 90_000; Date.now() < end;) {
      try {
        // While the palette of the last command still closes, it takes nothing.
        await this.#input.waitFor({ state: 'hidden', timeout: 5000 });
        await this.page.keyboard.press(key);
        await this.#input.fill(text, { timeout: 5000 });
        // Enter takes the first row, which is a guess of the palette's; the row itself is what was meant.
        await row.click({ timeout: 5000 });
        return;
      } catch (error) {
        last = error;
        await this.page.keyboard.press('Escape');
      }
    }
    await this.screenshot('no-row');
    throw new Error(`the palette does not list ${label}: ${String(last)}`, { cause: last });
  }

  /** Runs a command by its title in the palette. */
  command(title: string): Promise<void> {
    return this.#pick('F1', `>${title}`, title);
  }

  /** The active editor once a file below `folder` (a folder's name) is open in it and has the focus. */
  async editorOf(folder: string): Promise<Locator> {
    const group = this.page.locator('.editor-group-container.active');
    const editor = group.locator('.monaco-editor.focused').first();
    await this.page.locator('.breadcrumbs-control', { hasText: folder }).first().waitFor();
    // What opened it may leave the focus elsewhere for a moment, or a view may take it.
    await this.until(editor, () => Promise.resolve());
    return editor;
  }

  /** Opens the file with an absolute path; found whole, without a search (the oldest bed has none). */
  async open(path: string): Promise<Locator> {
    const folder = basename(dirname(path));
    await this.#pick('Control+p', path, folder);
    return this.editorOf(folder);
  }

  /** Goes to a place in the active editor; both count from 1, a column past the end is the end. */
  async goTo(line: number, column: number): Promise<void> {
    await this.until(this.page.getByText(new RegExp(`^Ln ${String(line)}, Col `)), async () => {
      await this.page.keyboard.press('Control+g');
      await this.#input.fill(`:${String(line)}:${String(column)}`, { timeout: 4000 });
      await this.page.keyboard.press('Enter');
      await this.#input.waitFor({ state: 'hidden', timeout: 4000 });
    });
  }

  /** Presses `key` with the caret at a place of the active editor until `effect` is visible. */
  async keyAt(
    [line, column]: readonly [number, number],
    key: string,
    effect: Locator,
  ): Promise<void> {
    await this.until(effect, async () => {
      // It also gives the editor the focus, which a view that was still being drawn may have taken.
      await this.goTo(line, column);
      await this.page.keyboard.press(key);
    });
  }

  /** The document of the chat view; a page of the walkthrough is no view. */
  get chat(): FrameLocator {
    return this.page
      .frameLocator('iframe.webview.ready[src*="extensionId=gbs."]')
      .frameLocator('iframe#active-frame');
  }

  /** What the workbench and the chat show, as text; and a picture under `name`. */
  async seen(name: string): Promise<string> {
    await this.screenshot(name.replace(/\W+/g, '-'));
    const text = (inside: Page | FrameLocator): Promise<string> =>
      inside
        .locator('body')
        .innerText({ timeout: 2000 })
        .catch((error: unknown) => String(error));
    const focus = await this.page
      .locator(':focus')
      .first()
      .evaluate((element) => `${element.tagName} ${element.className}`, null, { timeout: 2000 })
      .catch(() => 'nothing');
    return `${await text(this.page)}\n--- chat\n${await text(this.chat)}\n--- focus: ${focus}`;
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
