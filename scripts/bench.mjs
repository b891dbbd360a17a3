// npm run bench [NAME …] [-- --rounds N] [--write]: how fast the core is, side by side with what it
// replaces, in one run. --write puts the table into docs/bench.md, for a run of all.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildCore } from './build-core.mjs';
import { root } from './lib/paths.mjs';
import { StepFailed, ask, main } from './lib/run.mjs';

const NAMES = [
  'framing',
  'front-matter',
  'loading',
  'skills',
  'discovery',
  'mcp',
  'catalogue',
  'agent',
  'chat',
  'activation',
  'size',
];
const PEERS = ['@modelcontextprotocol/sdk', 'gray-matter', 'yaml'];
const BEGIN = '<!-- The table is written by npm run bench -- --write -->';
const END = '<!-- Here it ends. -->';

function version(name) {
  const file = join(root, 'node_modules', name, 'package.json');
  return `${name} ${JSON.parse(readFileSync(file, 'utf8')).version}`;
}

/** On what it ran, and against what. */
function machine(rounds) {
  const [processor] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  return (
    `${processor?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${memory} GiB, ` +
    `${process.platform} ${process.arch}; Node ${process.versions.node} (V8 ${process.versions.v8}), ` +
    `${ask('rustc', ['--version']) ?? 'rustc unknown'}; ${PEERS.map(version).join(', ')}; ` +
    `medians of ${rounds} interleaved rounds, with a load of ${loadavg()[0].toFixed(1)} at the start.`
  );
}

/** A row as lines of a table: one for each peer. */
function lines({ title, ours, peers }) {
  return peers.map(({ text, ratio, target, met }, n) => {
    const mark = met === null ? '' : met ? 'yes' : '**no**';
    return [n === 0 ? title : '', n === 0 ? ours : '', text, ratio, target ?? '', mark];
  });
}

function table(rows) {
  const head = ['Case', 'The core', 'Beside it', 'Ratio', 'Target', 'Met'];
  const all = [head, ...rows.flatMap(lines)];
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column].length), 3));
  const line = (cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...all.slice(1).map(line),
  ].join('\n');
}

async function bench() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '15' }, write: { type: 'boolean' } },
  });
  const names = positionals.length > 0 ? positionals : NAMES;
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new StepFailed(`There is no bench "${unknown}".`, `Name some of: ${NAMES.join(', ')}.`);
  }
  if (values.write && positionals.length > 0) {
    throw new StepFailed('Only a run of all is written.', 'Leave out the names, or --write.');
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    throw new StepFailed(`"${values.rounds}" is no number of rounds.`, 'Give a whole number.');
  }
  await buildCore();
  const on = machine(rounds);
  const parts = [on];
  process.stdout.write(`${on}\n`);
  for (const name of names) {
    const { title, run } = await import(`../benches/${name}.mjs`);
    const skipped = [];
    const skip = (why) => {
      skipped.push(`Skipped: ${why}.`);
      return [];
    };
    const rows = await run({ rounds, skip });
    const part = [`### ${title}`, ...(rows.length > 0 ? [table(rows)] : []), ...skipped].join(
      '\n\n',
    );
    process.stdout.write(`\n${part}\n`);
    parts.push(part);
  }
  if (values.write) {
    const file = join(root, 'docs', 'bench.md');
    const text = readFileSync(file, 'utf8');
    const [before, rest] = text.split(BEGIN);
    const after = rest?.split(END)[1];
    if (after === undefined) {
      throw new StepFailed(
        'docs/bench.md has no place for the table.',
        `It stands between ${BEGIN} and ${END}.`,
      );
    }
    writeFileSync(file, `${before}${BEGIN}\n\n${parts.join('\n\n')}\n\n${END}${after}`);
    process.stdout.write('\nWritten to docs/bench.md.\n');
  }
}

main(bench);
