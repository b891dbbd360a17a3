/** Quick fixes: for each kind of finding a fix that was tried, or a reason why there is none. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Problem } from '../../../extension/core.ts';
import { bodySplit, sentenceOf } from '../../../extension/skills/body.ts';
import { applied } from '../../../extension/skills/edits.ts';
import { skillFixes, type FixParts, type SkillFix } from '../../../extension/skills/fixes.ts';
import { table, type Row } from './fixes-table.ts';
import { core } from './tree.ts';

const root = join(__dirname, '..', '..', '..');

const parse = (text: string) => core.parseSkill(new TextEncoder().encode(text), 'a');

/** `at` is what stands beside the file. */
function fixesOf(
  text: string,
  problem: Problem | undefined,
  at: FixParts['at'] = () => 'nothing',
): readonly SkillFix[] {
  if (problem === undefined) return [];
  return skillFixes({ core, text, folderName: 'a', at }, problem);
}

function result(text: string, fix: SkillFix): string {
  switch (fix.kind) {
    case 'edit':
    case 'splitBody':
      return applied(text, fix.edits);
    case 'renameFolder':
    case 'renameFile':
      return `${fix.kind} ${fix.to}`;
    case 'saveAsUtf8':
      return fix.kind;
  }
}

function check([code, text, expected]: Row): void {
  const problem = parse(text).problems.find((each) => each.code === code);
  assert.ok(problem, `${code} is not found in ${text}`);
  const fixes = fixesOf(text, problem);
  assert.deepEqual(
    fixes.map((fix) => [fix.title, result(text, fix)]),
    expected,
  );
  for (const fix of fixes) {
    if (fix.kind !== 'edit') continue;
    const after = parse(result(text, fix));
    assert.ok(
      after.problems.every((each) => each.code !== code || each.start.line !== problem.start.line),
      `${code} is still there after “${fix.title}”`,
    );
  }
}

test('each finding has a fix, after which it is gone and nothing else has changed', () => {
  for (const row of table) check(row);
});

const long = `${'word '.repeat(150)}end. ${'more '.repeat(120)}`.trim();

test('a description that is too long goes on in the body', () => {
  for (const value of [long, `>-\n  ${long.replaceAll('. ', '.\n  ')}`]) {
    const text = `---\nname: a\ndescription: ${value}\nlicense: MIT\n---\nB\n`;
    const [first, ...others] = fixesOf(text, parse(text).problems[0]);
    assert.ok(first);
    assert.deepEqual(others, []);
    const after = parse(result(text, first));
    assert.deepEqual(after.problems, []);
    assert.equal(`${after.description ?? ''} ${after.body.trim()}`, `${long}\nB`);
    assert.equal(after.fields.license, 'MIT');
  }
});

test('a body that is too long is cut at a section, and says where the rest is', () => {
  const body = (middle: string) =>
    `# Title\n\n${'one\n'.repeat(200)}\n${middle}\n${'two\n'.repeat(400)}`;
  const text = (middle: string) => `---\nname: a\ndescription: b\n---\n${body(middle)}`;
  const fix = fixesOf(text('## Part two!'), parse(text('## Part two!')).problems[0])[0];
  assert.equal(fix?.kind, 'splitBody');
  assert.equal(fix.file, 'references/part-two.md');
  assert.equal(fix.text, `## Part two!\n${'two\n'.repeat(400)}`);
  const after = parse(result(text('## Part two!'), fix));
  assert.deepEqual(after.problems, []);
  assert.match(
    after.body,
    /one\n\nFor the rest, from “Part two!” on, read references\/part-two\.md\.\n$/,
  );
  // Not where a link, or a file, stands in the place of the folder.
  const files = (['nothing', 'folder', 'other'] as const).map((folder) => {
    const [problem] = parse(text('## Part two!')).problems;
    const [first] = fixesOf(text('## Part two!'), problem, (path) =>
      path === 'references' ? folder : path === 'references/part-two.md' ? 'other' : 'nothing',
    );
    return first?.kind === 'splitBody' ? first.file : null;
  });
  assert.deepEqual(files, ['references/part-two-2.md', 'references/part-two-2.md', null]);
  // Never inside a block of code, and not to a file that is there.
  const cut = bodySplit(
    text('```\n## No\n```\n\n### Yes'),
    5,
    490,
    (path) => path === 'references/yes.md',
  );
  assert.deepEqual([cut?.line, cut?.file], [5 + 2 + 200 + 1 + 4, 'references/yes-2.md']);
  // Where there is no section, between two paragraphs; where there is none either, nowhere.
  assert.equal(bodySplit(text(''), 5, 490, () => false)?.line, 5 + 2 + 200 + 1 + 1);
  assert.equal(
    bodySplit('x\n'.repeat(600), 1, 490, () => false),
    null,
  );
});

test('a file in another encoding is saved as UTF-8', () => {
  const header = new TextEncoder().encode('---\nname: a\ndescription: b\n---\n');
  const marked = parse(`\ufeff${new TextDecoder().decode(header)}`);
  const broken = core.parseSkill(new Uint8Array([...header, 0xe9]), 'a');
  const utf16 = core.parseSkill(
    new Uint8Array([0xff, 0xfe, ...Buffer.from('---\nname: a\ndescription: b\n---\n', 'utf16le')]),
    'a',
  );
  const said = [marked, utf16, broken].map(({ problems: [problem] }) => [
    problem?.code,
    fixesOf('x', problem).map(({ kind, title }) => `${kind} ${title}`),
  ]);
  assert.deepEqual(said, [
    ['byte-order-mark', ['saveAsUtf8 Save as UTF-8']],
    ['utf-16', ['saveAsUtf8 Save as UTF-8']],
    ['invalid-encoding', ['saveAsUtf8 Read it as Windows-1252 and save as UTF-8']],
  ]);
});

test('findings of the folder and of the merge', () => {
  const start = { line: 1, column: 1 };
  const problem = (code: string): Problem => ({
    code,
    severity: 'warning',
    message: '',
    start,
    end: start,
    fix: null,
  });
  const text = '---\nname: other\ndescription: b\n---\nB\n';
  const [renamed] = fixesOf(text, problem('duplicate-name'));
  assert.equal(renamed && result(text, renamed), text.replace('other', 'a'));
  assert.deepEqual(fixesOf(text.replace('other', 'a'), problem('duplicate-name')), []);
  const [file] = fixesOf(text, problem('skill-file-name'));
  assert.equal(file && result(text, file), 'renameFile SKILL.md');
});

test('a sentence of the body that can describe it', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['', null],
    ['# Title\n\nDoes **this** with [that](x). And more.', 'Does this with that.'],
    ['# Title\nDoes this\non two lines', 'Does this on two lines'],
    ['```\ncode\n```\n\n- a list\n\nWords: e.g. v1.2 of it! Yes.', 'Words: e.g. v1.2 of it!'],
    ['# Only `a` title\n\n- list', 'Only a title'],
    [`${'long '.repeat(100)}`, 'long '.repeat(48).trim()],
    ['See [a](x_(b)) and [[c](d)](e).', 'See a) and [c](e).'],
    // As large as a SKILL.md may be, of nothing that ends: this takes no more than its length.
    ['['.repeat(256 * 1024), '['],
    [`# T\n\n${'[a]('.repeat(64 * 1024)}`, '['],
  ];
  for (const [body, expected] of cases) assert.equal(sentenceOf(body), expected, body);
});

/** Codes in the sources: of the reader of headers, the merge, and what is said of folders. */
function codesInSources(): Set<string> {
  const folder = join(root, 'src', 'skills', 'front_matter');
  const sources = [
    ...readdirSync(folder).map((name) => join(folder, name)),
    join(root, 'src', 'skills', 'merge.rs'),
    join(root, 'extension', 'skills', 'folder-findings.ts'),
  ].map((file) => readFileSync(file, 'utf8').split('#[cfg(test)]')[0] ?? '');
  const found = new Set<string>();
  for (const source of sources) {
    const code = '["\']([a-z]+(?:-[a-z0-9]+)+)["\']';
    for (const before of [
      'code: ',
      'Self::\\w+ => \\(\\s*',
      'add_meaning\\(\\s*',
      'about_file\\(',
      'problem\\(\\s*',
      '\\(\\s*',
    ]) {
      for (const [, name] of source.matchAll(new RegExp(before + code, 'g'))) {
        if (name !== undefined) found.add(name);
      }
    }
  }
  return found;
}

test('docs/skill-findings.md names every finding, with its fix or why there is none', () => {
  const page = readFileSync(join(root, 'docs', 'skill-findings.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z0-9-]+)` *\| (.+?) *\| (.+?) *\|$/gm)];
  const documented = new Map(rows.map(([, code = '', , fix = '']) => [code, fix]));
  assert.deepEqual([...documented.keys()].sort(), [...codesInSources()].sort());
  const elsewhere = [
    'long-description',
    'long-body',
    'byte-order-mark',
    'utf-16',
    'invalid-encoding',
    'duplicate-name',
    'skill-file-name',
  ];
  const fixed = new Set([...table.map(([code]) => code), ...elsewhere]);
  for (const [code, fix] of documented) {
    assert.equal(!fix.startsWith('None:'), fixed.has(code), code);
  }
});
