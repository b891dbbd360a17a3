/** Every word the editor's side says stands in the bundle that translators start from. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { english } from '../../extension/chat/page/words.ts';
import { fixTitles, titleParts } from '../../extension/editor/fix-titles.ts';
import { skillFields } from '../../extension/skills/fields.ts';

const file = 'l10n/bundle.l10n.json';

/** The first argument of every call of `l10n.t`; one that is no literal is an offence. */
function said(path: string): readonly string[] {
  const source = ts.createSourceFile(
    path,
    readFileSync(path, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      /^((.*\.)?l10n\.t|(parts\.)?say)$/.test(node.expression.getText(source))
    ) {
      const [first] = node.arguments;
      // `say` itself hands on what its callers said.
      if (first?.getText(source) === 'text' && path.endsWith('words.ts')) return;
      assert.ok(first !== undefined && ts.isStringLiteralLike(first), `${path}: ${node.getText()}`);
      found.push(first.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('the bundle holds what is said, and nothing else', () => {
  const files = readdirSync('extension', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith(join('chat', 'page')))
    .map((path) => join('extension', path));
  const abouts = skillFields.map(({ about }) => about);
  const all = [
    ...new Set([...files.flatMap(said), ...Object.values(english), ...abouts, ...fixTitles]),
  ].sort();
  const expected = `${JSON.stringify(Object.fromEntries(all.map((text) => [text, text])), null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, expected);
  assert.equal(readFileSync(file, 'utf8'), expected);
});

/** String literals of the sources below a folder, as they stand in the files. */
function sources(folder: string, ending: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.endsWith('tests.rs'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}

test('the titles of quick fixes are all there, and no others', () => {
  const rust = sources('src', '.rs');
  const shell = sources('extension/skills', '.ts') + sources('extension/mcp', '.ts');
  const isSaid = (title: string): boolean =>
    [`"${title}"`, `'${title}'`, `\`${title.replace('{0}', '${cut.file}')}\``].some(
      (literal) => rust.includes(literal) || shell.includes(literal),
    );
  assert.deepEqual(
    fixTitles.filter((title) => !isSaid(title)),
    [],
  );
  // What stands where a title does: a field, or the first argument of what makes one.
  const inRust = rust.matchAll(
    /(?:\btitle: |Change::Edit\(\s*|fill_field\(reader, |^ +)"((?:Add|Close|Correct|Indent|Make|Move|Put|Read|Remove|Rename|Save|Use|Write) [^".?{]+)"/gm,
  );
  const inShell = shell.matchAll(/(?:\btitle: |\btitle = |\bedit\(\s*)(['"`])([A-Z].+?)\1/g);
  const found = [
    ...Array.from(inRust, ([, title = '']) => title),
    ...Array.from(inShell, ([, , title = '']) => title.replace('${cut.file}', '{0}')),
  ];
  assert.ok(found.length > 30);
  assert.deepEqual([...new Set(found)].filter((title) => !fixTitles.includes(title)).sort(), []);
  assert.deepEqual(titleParts('Move the end of the text to references/a.md'), [
    'Move the end of the text to {0}',
    'references/a.md',
  ]);
  assert.deepEqual(titleParts('Remove it'), ['Remove it']);
  assert.deepEqual(titleParts('Another one'), ['Another one']);
});
