/** Every word the editor's side says stands in the bundle that translators start from. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { english } from '../../extension/chat/page/words.ts';
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
  const all = [...new Set([...files.flatMap(said), ...Object.values(english), ...abouts])].sort();
  const expected = `${JSON.stringify(Object.fromEntries(all.map((text) => [text, text])), null, 2)}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, expected);
  assert.equal(readFileSync(file, 'utf8'), expected);
});
