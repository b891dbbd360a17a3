/** Many SKILL.md in one call give what one at a time gives, whatever their bytes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCore, type Core, type SkillFile } from '../../extension/core.ts';

const core = createCore();

/** The module's own door, whose result crosses as JSON: what all others are compared with. */
async function ownDoor(): Promise<Core['parseSkill']> {
  const inside = new URL('../../pkg/wasm/', import.meta.url);
  const { instantiate } = (await import(new URL('instantiate.mjs', inside).href)) as {
    instantiate(module: object, life: object): Core;
  };
  const { Module } = Reflect.get(globalThis, 'WebAssembly') as {
    Module: new (bytes: Uint8Array) => object;
  };
  const module = new Module(readFileSync(new URL('gbs_bg.wasm', inside)));
  const { parseSkill } = instantiate(module, { over: false, depth: 0 });
  return parseSkill;
}
const asJson = ownDoor();

async function check(files: readonly SkillFile[]): Promise<void> {
  const parse = await asJson;
  const expected = files.map(({ bytes, folderName }) => parse(bytes, folderName));
  const one = files.map(({ bytes, folderName }) => core.parseSkill(bytes, folderName));
  assert.deepEqual(one, expected);
  assert.equal(JSON.stringify(one), JSON.stringify(expected), 'the fields stand in the same order');
  assert.deepEqual(core.parseSkills(files), expected);
  assert.deepEqual(await core.parseSkillsAsync(files), expected);
}

function file(text: string | Uint8Array, folderName = 'a'): SkillFile {
  return { bytes: typeof text === 'string' ? Buffer.from(text) : text, folderName };
}

const head = '---\nname: a\ndescription: It reads what is written here, and more.\n';

test('files of every kind', () =>
  check([
    file(`${head}---\nBody\n`),
    file(`${head}---`),
    file(`${head}metadata: {x: "\u4e2d\u{1f600}", y: [1, 2]}\n---\n\u00e9\u{1f600}\n`),
    file(`${head}metadata:\n  quoted: "a \\" b and a long text after it"\n---\n`),
    file('---\nname: a\ndescription: >\n  Folded,\n\n  with a line feed that JSON escapes.\n---\n'),
    file('---\nname: b\ndescription: 中文: 说明\ntags: [é, "😀", c]\nglobs: [*.ts]\n---\n正文\n'),
    file(
      '---\nversion: 1.0\nlicense: MIT\nauthor: 中\nargument-hint: [x]\nallowed-tools: A, B\n---\n',
    ),
    file(`\ufeff${head}---\n\ufeffBody`),
    file(Buffer.from(`\ufeff${head}---\nBödy`, 'utf16le'), 'b'),
    file(
      Buffer.concat([Buffer.from(`${head}---\nB`), Buffer.from([0xff, 0xfe]), Buffer.from('é')]),
    ),
    file(`${head}---\n${'é中\u{1f600}\ufeff'.repeat(400)}\n`),
    file(`---\nname: a\ndescription: ${'é中\u{1f600} '.repeat(400)}\n---\nBody\n`),
    file(''),
    file('no header', ''),
    file(new Uint8Array(Buffer.from(`xx${head}---\nBody\n`).subarray(2))),
    file(new Uint8Array(Buffer.from(`xx${head}---\nBody\n`).buffer, 0, 0)),
  ]));

test('more files, and larger ones, than one batch holds', async () => {
  await check([]);
  await check(Array.from({ length: 200 }, (_, n) => file(`${head}---\nBody ${n}\n`, `f${n}`)));
  const large = `${head}---\n${'x'.repeat(300 * 1024)}`;
  await check([file(large), file(large), file(`${large}${large}${large}`), file(`${head}---\n`)]);
});

test('any bytes', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          bytes: fc.oneof(
            fc.uint8Array({ maxLength: 60 }),
            fc
              .string({ unit: 'binary', maxLength: 60 })
              .map((text) => Buffer.from(`---\nname: a\ndescription: ${text}\n---\n${text}`)),
          ),
          folderName: fc.string({ maxLength: 5 }).map((name) => name.replaceAll('\0', '')),
        }),
        { maxLength: 6 },
      ),
      check,
    ),
    { numRuns: 300 },
  ));

test('it gives way between batches', async () => {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    handle = setImmediate(turn);
  };
  let handle = setImmediate(turn);
  await core.parseSkillsAsync(Array.from({ length: 640 }, () => file(`${head}---\n`)));
  clearImmediate(handle);
  assert.ok(turns >= 9, `${turns} turns for 10 batches`);
});

test('what is no file is refused with a code', async () => {
  const wrong: readonly unknown[] = [
    undefined,
    {},
    [null],
    [{ bytes: 'text', folderName: '' }],
    [{ bytes: new Uint8Array(1) }],
  ];
  for (const files of wrong) {
    const given = files as readonly SkillFile[];
    assert.throws(() => core.parseSkills(given), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(core.parseSkillsAsync(given), { code: 'INVALID_ARGUMENT' });
  }
  const nul = [file(head, 'a\0b'), file(head, 'c')];
  assert.throws(() => core.parseSkills(nul), { code: 'INVALID_ARGUMENT' });
});

test('what becomes of the bytes while others wait is no trap', async () => {
  const text = `${head}---\nA body, and more of it: \u00fc.\n`;
  const changes: Readonly<Record<string, (files: readonly SkillFile[]) => void>> = {
    transferred: (files) => {
      for (const { bytes } of files) {
        const memory = bytes.buffer as ArrayBuffer;
        structuredClone(memory, { transfer: [memory] });
      }
    },
    overwritten: (files) => {
      for (const { bytes } of files) bytes.fill(0xff);
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    for (const turns of [0, 1, 2, 3, 5, 8]) {
      // More than one batch, so that what comes later is still to be read.
      const files = Array.from({ length: 100 }, () => file(new TextEncoder().encode(text)));
      const [expected] = core.parseSkills(files);
      const pending = core.parseSkillsAsync(files).catch((error: unknown) => error);
      for (let turn = 0; turn < turns; turn += 1) await null;
      change(files);
      const given = await pending;
      if (name === 'transferred') {
        assert.equal((given as { code?: unknown }).code, 'INVALID_ARGUMENT', `${turns} turns`);
        continue;
      }
      // A batch that was taken keeps what it was; what was overwritten before reads as that.
      const [first, ...others] = given as readonly unknown[];
      assert.ok(Array.isArray(given));
      assert.equal(others.length, files.length - 1);
      if (turns > 0) assert.deepEqual(first, expected);
    }
  }
  assert.equal(core.toolName('fs', 'read_file'), 'mcp__fs__read_file');
});
