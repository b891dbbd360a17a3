/**
 * What a long chat costs its page, as JSON: `npm run bench chat` runs this. The page is the built one in
 * Chromium, under the host's frame and policy.
 */
import { readFile } from 'node:fs/promises';
import type { RunEvent } from '../../extension/agent/events.ts';
import { Bed } from './bed.ts';
import { transcriptOf, summary } from './sample-turn.ts';

const MESSAGES = 1000;
const OUTPUT = 'a line of a tool that says a little of everything\n'.repeat(420);

/** 1,000 messages, each with an answer and a tool's output of 20 KB: 20 MB in all. */
function events(): readonly RunEvent[] {
  return Array.from({ length: MESSAGES }, (_, n): readonly RunEvent[] => [
    { type: 'turnStarted', turn: `old${n}`, text: `Question ${n}`, model: 'm', mode: 'ask' },
    {
      type: 'line',
      line: {
        id: `l${n}`,
        icon: 'command',
        verb: 'Ran',
        object: `npm test -- ${n}`,
        state: 'done',
        measure: '1.2 s',
        output: { kind: 'text', text: OUTPUT },
        allowedBy: '',
      },
    },
    {
      type: 'text',
      id: `x${n}`,
      delta: `The **first** part.\n\n\`\`\`js\nconst n = ${n};\n\`\`\`\n\n- one\n- two\n\nAnd the end of the answer, which takes a line or two where the view is narrow.`,
    },
    { type: 'textEnded', id: `x${n}` },
    {
      type: 'turnEnded',
      turn: `old${n}`,
      end: { kind: 'answered' },
      summary: { ...summary, changes: [] },
    },
  ]).flat();
}

/** MiB that the page's process has for itself, without what only waits to be collected. */
async function memory(bed: Bed): Promise<number> {
  const page = await bed.page.context().newCDPSession(bed.page);
  await page.send('HeapProfiler.collectGarbage');
  const browser = bed.page.context().browser();
  if (browser === null) throw new Error('no browser');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === 'renderer')
      .map(async ({ id }) => {
        const rollup = await readFile(`/proc/${String(id)}/smaps_rollup`, 'utf8').catch(() => '');
        return Number(/^Anonymous:\s*(\d+) kB/mu.exec(rollup)?.[1] ?? 0) / 1024;
      }),
  );
  return Math.max(...sizes);
}

/** Gives milliseconds of work of the page's main thread since it was asked last, without waiting. */
async function workOf(bed: Bed): Promise<() => Promise<number>> {
  const page = await bed.page.context().newCDPSession(bed.page);
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  let last = 0;
  const work = async (): Promise<number> => {
    const { metrics } = await page.send('Performance.getMetrics');
    const now = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    const since = (now - last) * 1000;
    last = now;
    return since;
  };
  await work();
  return work;
}

/** From the arrival of a key to the letter's place in a page that is laid out; it waits for no frame. */
const keyTimes = `(() => {
  window.keyTimes = [];
  let arrived = 0;
  document.addEventListener('keydown', () => (arrived = performance.now()), { capture: true });
  document.querySelector('.composer textarea').addEventListener('input', () => {
    queueMicrotask(() => {
      setTimeout(() => {
        document.body.getBoundingClientRect();
        window.keyTimes.push(performance.now() - arrived);
      });
    });
  });
})()`;

/** Tokens as the host posts them, 100 a second; the delay of each to the end of its frame. */
const streamed = `new Promise((done) => {
  const sent = new Map();
  const delays = [];
  window.long = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.long.push(entry.duration);
  }).observe({ type: 'longtask' });
  let n = 0;
  const post = (event) => window.postMessage({ type: 'events', events: [{ at: Date.now(), event }] }, '*');
  const timer = setInterval(() => {
    if (n >= 500) return clearInterval(timer);
    sent.set('word' + n + ' ', performance.now());
    post({ type: 'text', id: 'now', delta: 'word' + n + ' ' });
    n += 1;
  }, 10);
  const look = () => {
    // A search of the whole page would cost more than what is measured.
    const proses = document.querySelector('.column').lastElementChild.querySelectorAll('gbs-prose');
    const text = (proses[proses.length - 1]?.textContent ?? '').trim() + ' ';
    const seen = [...sent].filter(([word]) => text.includes(word));
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      for (const [word, at] of seen) {
        delays.push(performance.now() - at);
        sent.delete(word);
      }
      if (n >= 500 && sent.size === 0) done(delays);
      else requestAnimationFrame(look);
    };
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(look);
})`;

async function main(): Promise<void> {
  const bed = await Bed.open();
  try {
    await bed.start();
    const empty = await memory(bed);
    const transcript = transcriptOf(events());
    const began = performance.now();
    await bed.start({ transcript });
    const first = performance.now() - began;
    await bed.until(`document.querySelectorAll('gbs-turn').length === ${MESSAGES}`);
    await bed.drawn();
    const full = await memory(bed);
    await bed.page.evaluate(keyTimes);
    const work = await workOf(bed);
    await bed.page.locator('.composer textarea').focus();
    for (const letter of 'the quick brown fox jumps over the lazy dog ') {
      await bed.page.keyboard.press(letter === ' ' ? 'Space' : letter);
    }
    const keys: readonly number[] = await bed.page.evaluate('window.keyTimes');
    const keyWork = (await work()) / keys.length;
    await bed.events({ type: 'turnStarted', turn: 'now', text: 'Go', model: 'm', mode: 'ask' });
    await work();
    const delays: readonly number[] = await bed.page.evaluate(streamed);
    const tokenWork = (await work()) / delays.length;
    const long: readonly number[] = await bed.page.evaluate('window.long');
    process.stdout.write(
      JSON.stringify({ empty, full, first, keys, delays, long, keyWork, tokenWork }),
    );
  } finally {
    await bed.close();
  }
}

void main();
