/** Prints the bytes that one connected server takes in this process: `memory.ts ours|sdk COUNT`. */
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCore } from '../../extension/core.ts';
import { ours, sdk, type Connected } from './clients.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function used(): Promise<{ readonly resident: number; readonly heap: number }> {
  for (let n = 0; n < 4; n += 1) {
    collect();
    await delay(50);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, heap: heapUsed + external };
}

async function all(side: string, count: number): Promise<object> {
  const connect = side === 'sdk' ? sdk : ours(createCore());
  const connected: Connected[] = [];
  const more = async (): Promise<void> => {
    const one = await connect('small');
    await one.call('echo', { text: 'a' });
    connected.push(one);
  };
  // What the first ones bring is code, made once.
  for (let n = 0; n < 3; n += 1) await more();
  const before = await used();
  for (let n = 0; n < count; n += 1) await more();
  const after = await used();
  for (const one of connected) await one.end();
  return {
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
  };
}

const [, , side = '', count = ''] = process.argv;
void all(side, Number(count)).then((measured) => process.stdout.write(JSON.stringify(measured)));
