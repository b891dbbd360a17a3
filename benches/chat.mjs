// The chat's page with 1,000 messages and 20 MB of output open: memory, keys, streaming.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildBundles } from '../scripts/build.mjs';
import { chromium } from '../scripts/lib/setup.mjs';
import { limited, median, said } from './lib.mjs';

export const title = 'The chat: 1,000 messages with 20 MB of output open';

/** The value that so many of a hundred are not over. */
function percentile(values, of) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * of) / 100))];
}

export async function run({ skip }) {
  if (process.platform !== 'linux') return skip('the memory of a process is read from /proc');
  await buildBundles();
  const env = { ...process.env, GBS_CHROMIUM: await chromium() };
  const file = fileURLToPath(new URL('../tests/page/long-chat.ts', import.meta.url));
  const { empty, full, first, keys, delays, long, keyWork, tokenWork } = JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8', env }),
  );
  return [
    limited('Memory of the page’s process for itself', full, 150, 'MiB'),
    limited('The same with an empty chat', empty, null, 'MiB'),
    limited('A page that starts: the end of the chat in view', first, 300),
    limited('A key: until its letter is laid out, median', median(keys), 16),
    limited('The same, 95 of 100', percentile(keys, 95), 16),
    limited('The same, work of the page’s thread for a key', keyWork, 16),
    limited('A token at 100 a second: until it is on the screen, median', median(delays), 50),
    limited('The same, 95 of 100', percentile(delays, 95), 50),
    limited('The same, work of the page’s thread for a token', tokenWork, 10),
    said(
      'Tasks over 50 ms while it streams',
      long.length === 0 ? 'none' : `${long.length}, the longest ${Math.max(...long)} ms`,
      long.length === 0,
    ),
  ];
}
