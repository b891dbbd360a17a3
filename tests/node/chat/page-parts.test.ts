/** The pure parts of the page: Markdown by blocks, hidden characters, diffs, JSON, numbers. */
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Blocks, closed, markdown } from '../../../extension/chat/page/blocks.ts';
import { readDiff } from '../../../extension/chat/page/diff.ts';
import { pieces } from '../../../extension/chat/page/hidden.ts';
import { jsonTokens } from '../../../extension/chat/page/json.ts';
import { Words, shortTokens } from '../../../extension/chat/page/words.ts';

const sample = `# Title

Text with **bold**, \`code\` and [a link](https://example.com/).

- one
- two

  more of two
- three

\`\`\`ts
const a = 1;

const b = 2;
\`\`\`

| a | b |
| - | - |
| 1 | 2 |

> quoted
> on

Heading
-------

Last [ref].

[ref]: https://example.com/ref
`;

describe('Markdown by blocks', () => {
  const html = (blocks: Blocks, list: ReturnType<Blocks['read']>): string => {
    const md = markdown();
    return list
      .map((block) => md.renderer.render([...block.tokens], md.options, blocks.env))
      .join('');
  };

  test('cut at every place, the end is what the whole text gives', () => {
    const md = markdown();
    const whole = md.render(sample);
    for (let cut = 0; cut <= sample.length; cut += 1) {
      const blocks = new Blocks(markdown());
      blocks.read(sample.slice(0, cut), false);
      assert.equal(html(blocks, blocks.read(sample, true)), whole, `cut at ${cut}`);
    }
  });

  test('letter by letter, settled blocks stay the same objects', () => {
    const blocks = new Blocks(markdown());
    let before: ReturnType<Blocks['read']> = [];
    for (let end = 1; end <= sample.length; end += 1) {
      const now = blocks.read(sample.slice(0, end), false);
      before.slice(0, -1).forEach((block, index) => {
        assert.equal(now[index], block, `block ${index} at ${end}`);
      });
      before = now;
    }
  });

  test('a fence by itself is a code block, open or closed', () => {
    const fence = (text: string) => new Blocks(markdown()).read(text, false).at(-1)?.fence;
    assert.deepEqual(fence('```ts title="x"\nlet a;\n```'), { language: 'ts', code: 'let a;' });
    assert.deepEqual(fence('```\nlet a;\nlet b'), { language: '', code: 'let a;\nlet b' });
    assert.equal(fence('text'), null);
  });

  test('what stands open at the end is closed or left out', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['a **b', 'a **b**'],
      ['a **', 'a '],
      ['a `b', 'a `b`'],
      ['a `', 'a '],
      ['a [b](http://x', 'a b'],
      ['a ![b](http', 'a b'],
      ['a **b** c', 'a **b** c'],
      ['`**`', '`**`'],
      ['```\n**', '```\n**'],
      ['a\n\nb **c', 'a\n\nb **c**'],
    ];
    for (const [open, expected] of cases) assert.equal(closed(open), expected);
  });

  test('closing never changes what is there', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('*', '`', '[', ']', '(', ')', 'a', ' ', '\n'),
          maxLength: 40,
        }),
        (text) => {
          const made = closed(text);
          // Only the end may change.
          const from = Math.max(0, text.lastIndexOf('\n\n'));
          return made.startsWith(text.slice(0, from));
        },
      ),
    );
  });

  test('schemes that run something are no links', () => {
    const md = markdown();
    for (const url of [
      'javascript:x',
      'data:text/html,x',
      'command:x',
      'vscode:x',
      'file:///etc',
      ' javascript:x',
      'JAVASCRIPT:x',
    ])
      assert.equal(md.validateLink(url), false, url);
    for (const url of ['https://example.com/', 'http://localhost:3000', 'src/a.ts', './a.md#L3'])
      assert.equal(md.validateLink(url), true, url);
  });
});

test('hidden characters become marks with their sort, number and codes', () => {
  const mark = (sort: string, count: number, codes: string) => ({ sort, count, codes });
  const check = (text: string, expected: readonly unknown[], emoji = false): void => {
    assert.deepEqual(pieces(text, emoji), expected);
  };
  check('plain\ttext\n', ['plain\ttext\n']);
  check('', []);
  check('a\u200b\u200d\u202eb', [
    'a',
    mark('hiddenZeroWidth', 2, 'U+200B U+200D'),
    mark('hiddenDirection', 1, 'U+202E'),
    'b',
  ]);
  check('\x1b[2K', [mark('hiddenControl', 1, 'U+001B'), '[2K']);
  check('a\r\n', ['a', mark('hiddenReturn', 1, 'U+000D'), '\n']);
  check('\u{e0041}', [mark('hiddenTag', 1, 'U+E0041')]);
  check('\u3164\u00ad\u2028', [
    mark('hiddenFiller', 1, 'U+3164'),
    mark('hiddenSoftHyphen', 1, 'U+00AD'),
    mark('hiddenSeparator', 1, 'U+2028'),
  ]);
  check('👩‍💻', ['👩', mark('hiddenZeroWidth', 1, 'U+200D'), '💻']);
  check('👩‍💻 ⚠️', ['👩‍💻 ⚠️'], true);
  check('a\u200db', ['a', mark('hiddenZeroWidth', 1, 'U+200D'), 'b'], true);
});

test('diffs: numbers from hunks, gaps between them, the part that differs', () => {
  const rows = (text: string) =>
    readDiff([{ kind: 'quoted', text }]).rows.map((row) =>
      row.kind === 'gap'
        ? `gap ${row.unchanged}`
        : row.kind === 'heading'
          ? `heading ${row.segments.map(({ text: part }) => part).join('')}`
          : `${row.kind} ${row.number} ${row.segments.map(({ text: part, differs }) => (differs ? `[${part}]` : part)).join('')}`,
    );
  assert.deepEqual(
    rows(
      '@@ -1,2 +1,2 @@\n a\n-let x = 1;\n+let x = 22;\n@@ -40 +40,2 @@\n b\n+c\n\\ No newline at end of file\n',
    ),
    [
      'same 1 a',
      'remove 2 let x = [1];',
      'add 2 let x = [22];',
      'gap 37',
      'same 40 b',
      'add 41 c',
      'heading \\ No newline at end of file',
    ],
  );
  assert.deepEqual(rows('args\n-"a@1"\n+"a"\n'), [
    'heading args',
    'remove null "a[@1]"',
    'add null "a"',
  ]);
  assert.deepEqual(rows('@@ -1,2 +1,2 @@\n-- a\n+- b\n \n'), [
    'remove 1 - [a]',
    'add 1 - [b]',
    'same 2 ',
  ]);
  assert.deepEqual(rows(''), []);
});

test('diffs: a secret stays masked, whole, in every line it spans', () => {
  const diff = readDiff([
    { kind: 'quoted', text: '+"TOKEN": ' },
    { kind: 'secret', text: '"abc"', masked: '••••••••' },
    { kind: 'quoted', text: '\n' },
    { kind: 'secret', text: '+x\n+y\n', masked: '••••••••' },
  ]);
  assert.deepEqual(
    diff.rows.map((row) =>
      row.kind === 'gap' ? [] : row.segments.map(({ masked, text }) => masked ?? text),
    ),
    [['"TOKEN": ', '••••••••'], ['••••••••'], ['••••••••']],
  );
});

test('JSON: every letter comes out, in its colour', () => {
  const check = (text: string, expected: string): void => {
    const tokens = jsonTokens(text);
    assert.equal(tokens.map((token) => token.text).join(''), text);
    assert.equal(tokens.map((token) => token.kind).join(' '), expected);
  };
  check(
    '{"a": [1.5e-3, true, "x\\"y"]}',
    'plain key plain number plain literal plain string plain',
  );
  check('{"a" : nothing', 'plain key plain');
  check('"open', 'string');
  check('"\\', 'string');
  check('', '');
  fc.assert(
    fc.property(
      fc.string(),
      (text) =>
        jsonTokens(text)
          .map((token) => token.text)
          .join('') === text,
    ),
  );
});

test('words: fillings, numbers, translations; what is missing stays English', () => {
  const words = new Words({ send: 'Senden' });
  assert.equal(words.say('send'), 'Senden');
  assert.equal(words.say('modeIs', '{1} $&'), 'Permission mode: {1} $&');
  assert.equal(words.count(1, 'skillOne', 'skillMany'), '1 skill');
  assert.equal(words.count(1200, 'skillOne', 'skillMany'), '1,200 skills');
  assert.deepEqual(
    [0, 59.4, 72, 3600].map((seconds) => words.duration(seconds)),
    ['0 s', '59 s', '1 m 12 s', '60 m 0 s'],
  );
  assert.deepEqual([950, 2100, 32_768, 12_400, 131_072, 200_000].map(shortTokens), [
    '950',
    '2.1k',
    '32k',
    '12.4k',
    '128k',
    '200k',
  ]);
});

test('colours come from the theme: none is written down', async () => {
  const look = join('extension', 'chat', 'page', 'look');
  const names = (await readdir(look)).filter((name) => name.endsWith('.css'));
  assert.ok(names.length > 0);
  const texts = await Promise.all(names.map((name) => readFile(join(look, name), 'utf8')));
  const named = 'red|green|blue|yellow|orange|purple|black|white|gray|grey|silver|gold|teal|navy';
  const literal = new RegExp(
    `#[0-9a-f]{3,8}\\b|\\b(?:rgba?|hsla?|lab|lch|hwb)\\(|:\\s*(?:${named})\\b`,
    'gi',
  );
  for (const [n, text] of texts.entries()) {
    const rules = text.replace(/\/\*[^]*?\*\//g, '');
    assert.deepEqual(rules.match(literal) ?? [], [], names[n]);
  }
});
