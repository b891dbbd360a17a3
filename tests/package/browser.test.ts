/** The installed package in Chromium: as it stands, bundled three ways, and in a worker. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { chromium, type Browser } from 'playwright-core';
import { Bed, shown, tool } from './bed.ts';

let bed: Bed;
let browser: Browser;
let server: Awaited<ReturnType<Bed['serve']>>;
before(async () => {
  bed = await Bed.make();
  server = await bed.serve();
  browser = await chromium.launch({
    executablePath: process.env.GBS_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  });
});
after(async () => {
  await browser.close();
  await server.close();
  await bed.remove();
});

const timeout = 60_000;

/** Opens a page of the bed; what it shows, and what `expression` is then. */
async function open(path: string, expression = 'null'): Promise<readonly unknown[]> {
  const page = await browser.newPage();
  try {
    const failed = new Promise<never>((_, reject) => page.on('pageerror', reject));
    await page.goto(`${server.url}/${path}/`);
    const done = page.waitForFunction('window.shown !== undefined', null, { timeout: 15_000 });
    await Promise.race([done, failed]);
    return [await page.evaluate('window.shown'), await page.evaluate(expression)];
  } finally {
    await page.close();
  }
}

test('a page without a bundler, from every source', { timeout }, async () => {
  const refused = 'WASM_NOT_LOADED,INVALID_ARGUMENT,INVALID_ARGUMENT';
  assert.deepEqual(await open('page', 'window.codes'), [shown, refused]);
});

test('a worker', { timeout }, async () => {
  assert.deepEqual(await open('worker'), [shown, null]);
});

test('webpack', { timeout }, async () => {
  await tool('webpack', [], bed.path('webpack'));
  assert.deepEqual(await open('webpack'), [shown, null]);
});

test('Vite', { timeout }, async () => {
  await tool('vite', ['build', '--base', './', '--logLevel', 'warn'], bed.path('vite'));
  assert.deepEqual(await open('vite/dist'), [shown, null]);
});

test('esbuild', { timeout }, async () => {
  await build({
    entryPoints: [bed.path('esbuild', 'main.mjs')],
    outfile: bed.path('esbuild', 'dist', 'main.js'),
    bundle: true,
    format: 'iife',
    loader: { '.wasm': 'file' },
    logLevel: 'silent',
  });
  assert.deepEqual(await open('esbuild'), [shown, null]);
});
