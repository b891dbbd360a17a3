import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCore } from '../../../extension/core.ts';
import { headerPlace, skillFields } from '../../../extension/skills/fields.ts';

/** `|` in the text is where the cursor stands. */
function at(marked: string): string {
  const before = marked.slice(0, marked.indexOf('|'));
  const line = before.split('\n').length - 1;
  const character = before.length - (before.lastIndexOf('\n') + 1);
  const place = headerPlace(marked.replace('|', ''), line, character);
  switch (place.kind) {
    case 'outside':
      return 'outside';
    case 'key':
      return `key ${place.key} [${[...place.present].join()}]`;
    case 'value':
      return `value ${place.key}`;
  }
}

const cases: readonly (readonly [marked: string, place: string])[] = [
  ['---\n|\n---\nbody', 'key  []'],
  ['---\nna|\n---', 'key na []'],
  ['---\nname: a\n|', 'key  [name]'],
  ['---\nname: a\nna|me: b\n---', 'key name [name]'],
  ['---\nname: a|\n---', 'value name'],
  ['---\nmetadata:\n  a|: b\nname: x\n---', 'value metadata'],
  ['---\ndescription: >-\n  long te|xt\n---', 'value description'],
  ['---\n# a co|mment\n---', 'outside'],
  ['-|--\nname: a\n---', 'outside'],
  ['---\nname: a\n--|-\n', 'outside'],
  ['---\nname: a\n---\nna|me: b', 'outside'],
  ['no header|\nname: a', 'outside'],
  ['\uFEFF---\nna|me: a\n---', 'key name []'],
];

test('what completion and hover are asked about', () => {
  for (const [marked, place] of cases) assert.equal(at(marked), place, marked);
});

test('the core reads every field of the list, and a header of them all is well-formed', () => {
  const header = skillFields
    .map(({ name, snippet }) => {
      const value = snippet.replace(/\$\{\d(?::([^}]*)|\|([^,|]*)[^}]*)\}/g, '$1$2');
      return `${name}:${value.startsWith('\n') ? '' : ' '}${value}`;
    })
    .join('\n');
  const text = `---\n${header}\n---\nbody`;
  const parsed = createCore().parseSkill(new TextEncoder().encode(text), 'my-skill');
  assert.deepEqual(parsed.problems, [], text);
  assert.deepEqual(
    Object.keys(JSON.parse(parsed.frontMatter) as object),
    skillFields.map(({ name }) => name),
  );
});
