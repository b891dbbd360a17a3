// 10,000 skills on disk: reading the files alone against parsing, merging and the catalogue; and
// search over them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packaged from '../pkg/index.cjs';
import { compared, interleaved, limited, median } from './lib.mjs';

const COUNT = 10_000;
const things = [
  'database',
  'release',
  'translation',
  'invoice',
  'container',
  'report',
  'test',
  'log',
];
const deeds = ['review', 'write', 'convert', 'check', 'deploy', 'summarize', 'repair', 'plan'];

/** A skill as they are: a header of 400 bytes, a body of 3 KB. */
function skill(n) {
  const [deed, thing] = [deeds[n % 8], things[Math.floor(n / 8) % 8]];
  const name = `${deed}-${thing}-${n}`;
  const description = `Helps to ${deed} a ${thing} by the rules of team ${n % 97}: steps, examples and what to avoid. Use it when the user asks about ${thing}s.`;
  const header = `---\nname: ${name}\ndescription: >-\n  ${description}\nlicense: MIT\nmetadata:\n  author: team-${n % 97}\n  version: "1.${n % 10}"\ntags: [${deed}, ${thing}]\n---\n`;
  return {
    name,
    text: `${header}# ${name}\n\n${`- Look at the ${thing} first, then ${deed} it.\n`.repeat(70)}`,
  };
}

export const title = '10,000 skills';

export function run({ rounds }) {
  const core = packaged.createCore();
  const folder = mkdtempSync(join(tmpdir(), 'gbs-bench-'));
  try {
    const names = [];
    for (let n = 0; n < COUNT; n += 1) {
      const { name, text } = skill(n);
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'SKILL.md'), text);
      names.push(name);
    }
    const read = () =>
      names.map((name) => ({
        bytes: readFileSync(join(folder, name, 'SKILL.md')),
        folderName: name,
      }));
    const files = read();
    const catalogue = (parsed) =>
      core.buildCatalogue(
        [
          {
            origin: 'project',
            label: '.gbs/skills',
            skills: parsed.map((one, n) => ({ path: `.gbs/skills/${names[n]}`, ...one })),
          },
        ],
        { openFile: 'src/a.ts', contextWindow: 32768 },
      );
    const parsed = core.parseSkills(files);
    const made = catalogue(parsed);
    if (made.skills.length !== COUNT) throw new Error('skills were lost');
    const medians = interleaved(
      {
        'reading the files': read,
        parse: () => core.parseSkills(files),
        merge: () => catalogue(parsed),
        all: () => catalogue(core.parseSkills(files)),
        'all, with reading': () => catalogue(core.parseSkills(read())),
      },
      { rounds: Math.max(5, Math.floor(rounds / 2)), warm: 2 },
    );
    const index = new core.SkillIndex(
      parsed.map(({ name, description, fields }) => ({
        id: name,
        name,
        description: description ?? '',
        tags: fields.tags,
      })),
    );
    const words = ['database', 'review report', 'team 42 deploy', 'zebra', 'repair-log-1000'];
    const times = [];
    for (let round = 0; round < rounds * 5; round += 1) {
      const start = performance.now();
      core.searchSkills(index, words[round % words.length], 10);
      times.push(performance.now() - start);
    }
    return [
      compared('Parse, merge, catalogue', medians, 'all', [['reading the files', 2]]),
      compared('… of it, parse', medians, 'parse', [['reading the files', null]]),
      compared('… of it, merge and catalogue', medians, 'merge', [['reading the files', null]]),
      compared('The same, reading included', medians, 'all, with reading', [
        ['reading the files', 2],
      ]),
      limited('Search over them, median', median(times), 5),
      limited('Search over them, slowest', Math.max(...times), null),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
