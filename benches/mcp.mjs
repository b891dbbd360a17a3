// MCP servers: our client against that of the MCP SDK, with the same server, by turns in one process.
//
// The client is bundled as the extension is, and each part runs in a process of its own. Both sides
// end with the same in hand: a call's result as a JavaScript value, a server's list of tools.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { amount, compared, median } from './lib.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const place = join(root, '.cache', 'bench');
/** Servers that are connected when memory is measured. */
const CONNECTED = 20;

/** A part, bundled; beside the module of the core. */
function bundle() {
  mkdirSync(join(place, 'wasm'), { recursive: true });
  copyFileSync(join(root, 'pkg/wasm/gbs_bg.wasm'), join(place, 'wasm/gbs_bg.wasm'));
  buildSync({
    absWorkingDir: root,
    entryPoints: ['calls', 'http', 'first', 'memory'].map((name) => `benches/mcp/${name}.ts`),
    outdir: place,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    format: 'cjs',
    logLevel: 'error',
  });
}

function measured(part, ...args) {
  const ended = spawnSync(process.execPath, [join(place, `${part}.cjs`), ...args.map(String)], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return JSON.parse(ended.stdout);
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const target = 1;

function beside(title, times, share = 0.5, sdk = 'SDK') {
  const of = { ours: percentile(times.ours, share), [sdk]: percentile(times.sdk, share) };
  return compared(title, of, 'ours', [[sdk, target]]);
}

/** Of one era, with the SDK that is at home in it. */
function overHttp(era, { one, atOnce }, sdk) {
  return [
    beside(`A call over HTTP, ${era} era, p50`, one, 0.5, sdk),
    beside('The same, p99', one, 0.99, sdk),
    beside('50 of them at once', atOnce, 0.5, sdk),
  ];
}

function firstRequest(title, times) {
  const of = Object.fromEntries(
    ['ours', 'alone', 'atOnce'].map((name) => [name, median(times[name])]),
  );
  return compared(
    title,
    { ours: of.ours, 'the slowest alone': of.alone, 'all at once, no client': of.atOnce },
    'ours',
    [
      ['the slowest alone', 1.2],
      ['all at once, no client', 1.2],
    ],
  );
}

function memory(title, of, kind) {
  const kib = (side) => median(of[side].map((one) => one[kind])) / 1024;
  const [ours, sdk] = [kib('ours'), kib('sdk')];
  return {
    title,
    ours: amount(ours, 'KiB'),
    peers: [
      {
        text: `SDK ${amount(sdk, 'KiB')}`,
        ratio: `${(ours / sdk).toFixed(2)} ×`,
        target: '≤ 1 ×',
        met: ours <= sdk,
      },
    ],
  };
}

export const title = 'MCP servers over stdio and HTTP';

export function run({ rounds }) {
  bundle();
  const { everything, small, starts } = measured('calls', rounds);
  const http = measured('http', rounds);
  const first = measured('first', Math.ceil(rounds / 2));
  const taken = { ours: [], sdk: [] };
  for (let round = 0; round < Math.ceil(rounds / 4); round += 1) {
    for (const side of ['ours', 'sdk']) taken[side].push(measured('memory', side, CONNECTED));
  }
  return [
    beside('A call of server-everything, p50', everything.one),
    beside('The same, p99', everything.one, 0.99),
    beside('50 of them at once', everything.atOnce),
    beside('A call of a small server, p50', small.one),
    beside('The same, p99', small.one, 0.99),
    beside('50 of them at once', small.atOnce),
    ...overHttp('older', http.legacy, 'SDK 1'),
    ...overHttp('modern', http.modern, 'SDK 2'),
    beside('Start of server-everything, to its tools, its era known', starts.everything),
    beside('Start of the small server, its era known', starts.small),
    firstRequest('First request, five servers that wait up to 1 s', first.waiting),
    firstRequest('First request, five servers that compute', first.real),
    firstRequest(`The same of ${first.processors}, one for each processor`, first.oneEach),
    memory('Memory of a connected server, resident', taken, 'resident'),
    memory('… of it heap and buffers', taken, 'heap'),
  ];
}
