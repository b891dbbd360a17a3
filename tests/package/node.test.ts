/** The installed package under Node: required, imported, typed, bundled, in Jest and in a thread. */
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { Bed, root, run, shown, tool } from './bed.ts';

let bed: Bed;
before(async () => {
  bed = await Bed.make();
});
after(() => bed.remove());

const timeout = 60_000;

test('required', { timeout }, async () => {
  assert.equal(await bed.node('commonjs', 'main.cjs'), shown);
});

test('required, where Node does not require modules', { timeout }, async () => {
  const args = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
    ? ['--no-experimental-require-module']
    : [];
  const file = bed.path('commonjs', 'main.cjs');
  assert.equal((await run(process.execPath, [...args, file], bed.folder)).trim(), shown);
});

test('imported', { timeout }, async () => {
  assert.equal(await bed.node('esm', 'main.mjs'), shown);
});

test('in a thread', { timeout }, async () => {
  assert.equal(await bed.node('threads', 'main.mjs'), shown);
});

test('TypeScript, strict, as Node resolves', { timeout }, async () => {
  const typeRoots = `${root}/node_modules/@types`;
  await tool('tsc', ['-p', 'typescript', '--typeRoots', typeRoots], bed.folder);
  await copyFile(bed.path('use.mjs'), bed.path('typescript', 'out', 'use.mjs'));
  assert.equal(await bed.node('typescript', 'out', 'main.mjs'), `${shown} function`);
  assert.equal(await bed.node('typescript', 'out', 'main.cjs'), 'wait,send,wait');
});

test('TypeScript, strict, as bundlers resolve', { timeout }, async () => {
  await tool('tsc', ['-p', 'bundler'], bed.folder);
});

test('Jest', { timeout }, async () => {
  await tool('jest', ['--rootDir', bed.path('jest'), '--cache=false'], bed.path('jest'));
});

test('esbuild, for an extension in one file', { timeout }, async () => {
  const outfile = bed.path('extension', 'out', 'main.cjs');
  await build({
    entryPoints: [bed.path('extension', 'main.mjs')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    loader: { '.wasm': 'binary' },
    logLevel: 'silent',
  });
  assert.equal(await bed.node('extension', 'out', 'main.cjs'), shown);
});

test('webpack, for Node', { timeout }, async () => {
  await tool('webpack', ['--config', 'node.config.cjs'], bed.path('webpack'));
  assert.equal(await bed.node('webpack', 'dist-node', 'main.js'), shown);
});
