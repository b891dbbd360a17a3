// SKILL.md headers of the corpus: the core in one batch and one by one against gray-matter and yaml.
// Every reader starts from the same bytes, as they come from a file.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import matter from 'gray-matter';
import { parse } from 'yaml';
import packaged from '../pkg/index.cjs';
import { compared, interleaved } from './lib.mjs';

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
  return {
    data: parse(text.slice(4, end + 1), { logLevel: 'error' }),
    content: text.slice(end + 5),
  };
}

/** The corpus's files as bytes; null where there is no corpus. */
export function corpus() {
  const folder =
    process.env.GBS_CORPUS ?? fileURLToPath(new URL('../../shared/corpus', import.meta.url));
  const file = join(folder, 'front-matter.jsonl');
  if (!existsSync(file)) return null;
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ text, error }) => ({ bytes: Buffer.from(text), folderName: '', broken: !!error }));
}

export const title = 'Front matter: headers of the corpus';

export function run({ rounds, skip }) {
  const entries = corpus();
  if (entries === null)
    return skip('there is no corpus in ../shared/corpus, and GBS_CORPUS names none');
  const core = packaged.createCore();
  const rows = [];
  const measure = (name, files) => {
    const counted = (read) => () => {
      if (read(files).length !== files.length) throw new Error(`${name}: some were lost`);
    };
    const medians = interleaved(
      {
        batch: counted((all) => core.parseSkills(all)),
        single: counted((all) => all.map((one) => core.parseSkill(one.bytes, one.folderName))),
        // With options it does not look into its cache.
        'gray-matter': counted((all) => all.map(({ bytes }) => orError(() => matter(bytes, {})))),
        yaml: counted((all) => all.map(({ bytes }) => orError(() => withYaml(bytes)))),
      },
      { rounds },
    );
    const against = (first, second) => [
      ['gray-matter', first],
      ['yaml', second],
    ];
    rows.push(compared(`${name}, one batch`, medians, 'batch', against(0.4, 0.08)));
    rows.push(compared(`${name}, one by one`, medians, 'single', against(null, null)));
  };
  const whole = entries.filter((entry) => !entry.broken);
  measure(`All ${entries.length} headers`, entries);
  measure(`The ${whole.length} well-formed ones`, whole);
  const body = Buffer.from(`\n${'A line of the body, as they are.\n'.repeat(200)}`);
  const long = whole.map(({ bytes, folderName }) => ({
    bytes: Buffer.concat([bytes, body]),
    folderName,
  }));
  measure('The same with bodies of 6 KB', long);
  return rows;
}
