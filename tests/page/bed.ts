/**
 * The built page in headless Chromium: under the host's own frame and policy, with a stand-in for the
 * editor's side that records what the page says and keeps its state over a reload.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { chromium, type Browser, type Frame, type Page } from 'playwright-core';
import type { RunEvent } from '../../extension/agent/events.ts';
import type { FromPage, Status, ToPage } from '../../extension/chat/protocol.ts';
import { pageHtml } from '../../extension/chat/html.ts';
import {
  emptyTranscript,
  shown,
  type ChatEvent,
  type Transcript,
} from '../../extension/chat/transcript.ts';
import { status as usual } from './sample-turn.ts';

const root = join(__dirname, '..', '..');
const shots = join(root, '.cache', 'shots');

export const themes = ['dark', 'light', 'hc', 'hc-light'] as const;
export type Theme = (typeof themes)[number];

const themeClass: Readonly<Record<Theme, string>> = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  hc: 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast-light',
};

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** What runs in the page before its own script: `acquireVsCodeApi` and the theme. */
const editorSide = `
  window.posted = [];
  window.violations = [];
  document.addEventListener('securitypolicyviolation', (event) => {
    window.violations.push(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample);
  });
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.posted.push(JSON.parse(JSON.stringify(message))),
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => {
      if (!window.forgetful) sessionStorage.setItem('state', JSON.stringify(state));
    },
  });
  document.addEventListener('DOMContentLoaded', () => {
    document.body.className = sessionStorage.getItem('theme') ?? 'vscode-dark';
  });
`;

const isReady = 'window.posted.some((message) => message.type === "ready")';

type UndoneEvent = Extract<ChatEvent, { readonly type: 'undone' }>;

export interface Start {
  readonly transcript?: Transcript;
  readonly status?: Partial<Status>;
  readonly draft?: string;
  readonly images?: readonly string[];
  readonly other?: boolean;
}

export class Bed {
  private constructor(
    readonly page: Page,
    private readonly browser: Browser,
    private readonly server: Server,
  ) {}

  static async open(width = 340, height = 760): Promise<Bed> {
    const server = createServer((request, response) => {
      void answer(request.url ?? '/').then(
        ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const browser = await chromium.launch({
      executablePath: process.env.GBS_CHROMIUM ?? '/usr/bin/chromium',
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    });
    const context = await browser.newContext({
      viewport: { width, height },
      reducedMotion: 'reduce',
      deviceScaleFactor: 2,
    });
    await context.addInitScript(editorSide);
    const page = await context.newPage();
    page.setDefaultTimeout(5000);
    await page.goto(`http://127.0.0.1:${port}/`);
    const bed = new Bed(page, browser, server);
    await bed.until(isReady);
    return bed;
  }

  async close(): Promise<void> {
    await this.browser.close();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Waits until an expression holds in the page. (`waitForFunction` needs eval, which is forbidden.) */
  async until(expression: string): Promise<void> {
    for (let n = 0; n < 800; n += 1) {
      if (await this.page.evaluate(`Boolean(${expression})`)) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`never came true: ${expression}`);
  }

  /** The page beside something else that takes the focus, as an editor does. */
  async framed(): Promise<{ page: Page; frame: Frame; send: (message: ToPage) => Promise<void> }> {
    const page = await this.page.context().newPage();
    await page.goto(new URL('/framed', this.page.url()).href);
    const frame = page.frames()[1];
    if (frame === undefined) throw new Error('no frame');
    await frame.locator('gbs-chat').waitFor({ state: 'attached' });
    const send = async (message: ToPage): Promise<void> => {
      await frame.evaluate(`window.postMessage(${JSON.stringify(message)}, '*')`);
      await frame.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
    };
    return { page, frame, send };
  }

  async theme(theme: Theme): Promise<void> {
    await this.page.evaluate(
      `sessionStorage.setItem('theme', '${themeClass[theme]}'); document.body.className = '${themeClass[theme]}'`,
    );
  }

  /** Posts to the page and waits until it has drawn. */
  async send(...messages: readonly ToPage[]): Promise<void> {
    await this.page.evaluate(
      `for (const message of ${JSON.stringify(messages)}) window.postMessage(message, '*')`,
    );
    await this.drawn();
  }

  async drawn(): Promise<void> {
    await this.page.evaluate(
      'new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(resolve)), 20))',
    );
  }

  async start(start: Start = {}): Promise<void> {
    await this.send(await this.init(start));
  }

  async init({ transcript, status, draft, images, other }: Start = {}): Promise<ToPage> {
    return {
      type: 'init',
      transcript: transcript ?? emptyTranscript,
      status: { ...usual, ...status },
      draft: { text: draft ?? '', images: images ?? [] },
      other: other ?? false,
      words: {},
      now: await this.page.evaluate('Date.now()'),
    };
  }

  /** A fresh page, as after hiding and showing; what the page kept is kept. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.until(isReady);
  }

  /** A fresh page with nothing kept. */
  async fresh(): Promise<void> {
    // What the old page keeps on its way out must not reach the new one.
    await this.page.evaluate('window.forgetful = true; sessionStorage.removeItem("state")');
    await this.reload();
  }

  /** Events of a run, as the host passes them on. */
  async events(...events: readonly (RunEvent | UndoneEvent)[]): Promise<void> {
    const at: number = await this.page.evaluate('Date.now()');
    await this.send({
      type: 'events',
      events: events.map((event) => ({
        at,
        event: event.type === 'undone' ? event : shown(event).event,
      })),
    });
  }

  /** What the page said, but for drafts. */
  async said(): Promise<readonly FromPage[]> {
    const all: readonly FromPage[] = await this.page.evaluate('window.posted');
    return all.filter(({ type }) => type !== 'draft' && type !== 'ready');
  }

  async forget(): Promise<void> {
    await this.page.evaluate('window.posted.length = 0');
  }

  /** Breaches of the page's policy; there must be none. */
  async violations(): Promise<readonly string[]> {
    return await this.page.evaluate('window.violations');
  }

  /** The end of the half second in which a new card takes no answer. */
  async armed(): Promise<void> {
    await this.until('!document.querySelector(".card[data-arming]")');
  }

  async shot(name: string): Promise<void> {
    await mkdir(shots, { recursive: true });
    await this.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}

async function answer(url: string): Promise<{ type: string; body: string | Buffer }> {
  const path = normalize(new URL(url, 'http://localhost').pathname);
  if (path === '/framed') {
    return { type: 'text/html', body: '<input id="editor" /><iframe src="/"></iframe>' };
  }
  if (path === '/') {
    const html = pageHtml({
      script: '/page.js',
      style: '/page.css',
      source: "'self'",
      nonce: randomBytes(24).toString('base64url'),
      language: 'en',
    });
    const themed = html.replace(
      '<link ',
      '<link rel="stylesheet" href="/themes.css">\n<link rel="stylesheet" href="/webview.css">\n<link ',
    );
    return { type: 'text/html', body: themed };
  }
  const places = [
    join(root, 'dist', path),
    join(root, 'tests', 'page', path),
    join(root, 'node_modules', '@fontsource', path.replace(/^\/fonts\//, '')),
  ];
  const file = places.find((place) => existsSync(place));
  if (file === undefined) throw new Error(`no such file: ${path}`);
  return { type: types[extname(file)] ?? 'application/octet-stream', body: await readFile(file) };
}
