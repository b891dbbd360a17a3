// Reading headers, side by side in one run: the core in one batch and one by one, gray-matter, yaml.
// Every reader starts from the same bytes, as they come from a file. Medians of interleaved rounds.
//
//   GBS_CORPUS=folder node benches/front-matter.mjs [rounds]
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import matter from 'gray-matter';
import { parse } from 'yaml';
import packaged from '../pkg/index.cjs';

const folder = process.env.GBS_CORPUS;
if (!folder) {
  console.log('front matter: skipped, GBS_CORPUS is not set');
  process.exit(0);
}
const rounds = Number(process.argv[2] ?? 15);
const core = packaged.createCore();
const entries = readFileSync(join(folder, 'front-matter.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map(({ text, error }) => ({ bytes: Buffer.from(text), folderName: '', broken: !!error }));

/** What a reader that gives up on a file makes of it. */
function orError(work) {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function withYaml(bytes) {
  const text = bytes.toString('utf8');
  const end = text.indexOf('\n---', 3);
  return { data: parse(text.slice(4, end + 1)), content: text.slice(end + 5) };
}

const readers = {
  'core, one batch': (files) => core.parseSkills(files),
  'core, one by one': (files) =>
    files.map(({ bytes, folderName }) => core.parseSkill(bytes, folderName)),
  // With options it does not look into its cache.
  'gray-matter': (files) => files.map(({ bytes }) => orError(() => matter(bytes, {}))),
  yaml: (files) => files.map(({ bytes }) => orError(() => withYaml(bytes))),
};

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function measure(title, files) {
  const times = Object.fromEntries(Object.keys(readers).map((name) => [name, []]));
  for (let round = 0; round < rounds + 3; round += 1) {
    for (const [name, read] of Object.entries(readers)) {
      const start = performance.now();
      const result = read(files);
      const time = performance.now() - start;
      if (result.length !== files.length) throw new Error(`${name} lost some`);
      // The first rounds only warm up.
      if (round >= 3) times[name].push(time);
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, t]) => [name, median(t)]));
  console.log(`${title}: ${files.length} files`);
  for (const [name, time] of Object.entries(medians)) {
    const each = ((time * 1000) / files.length).toFixed(1);
    const ratios = ['gray-matter', 'yaml'].map((other) => (time / medians[other]).toFixed(3));
    console.log(
      `  ${name.padEnd(18)} ${time.toFixed(2).padStart(8)} ms  ${each.padStart(7)} µs each  ` +
        `× gray-matter ${ratios[0]}  × yaml ${ratios[1]}`,
    );
  }
}

const machine = await import('node:os').then((os) => os.cpus()[0]?.model.trim());
console.log(`Node ${process.version}, ${machine}, medians of ${rounds} rounds`);
measure(
  'Well-formed headers',
  entries.filter((entry) => !entry.broken),
);
measure('All headers', entries);
const body = Buffer.from(`\n${'A line of the body, as they are.\n'.repeat(200)}`);
measure(
  'Well-formed headers with bodies of 6 KB',
  entries
    .filter((entry) => !entry.broken)
    .map(({ bytes, folderName }) => ({ bytes: Buffer.concat([bytes, body]), folderName })),
);
