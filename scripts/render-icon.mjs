// Renders media/icon.svg to media/icon.png, 256 × 256, with headless Chromium. Both are committed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './lib/paths.mjs';

const size = 256;
const svg = readFileSync(join(root, 'media/icon.svg'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${svg}`);
  await page.screenshot({ path: join(root, 'media/icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
