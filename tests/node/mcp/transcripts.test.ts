/**
 * The transcripts that the core is tested with natively, through the package: the half of `feed`
 * that stands in JavaScript gives the same effects, however the bytes are cut.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createCore,
  type AskAction,
  type Core,
  type Effect,
  type Root,
  type SessionOptions,
} from '../../../extension/core.ts';

type Input =
  | { readonly start: true }
  | { readonly text: string }
  | { readonly bytes: readonly number[] }
  | { readonly request: readonly [string, string] }
  | { readonly notify: readonly [string, string] }
  | { readonly cancel: number }
  | { readonly answer: readonly [number, AskAction, string] }
  | { readonly expire: number }
  | { readonly roots: readonly Root[] }
  | { readonly end: true };

interface Transcript {
  readonly about: string;
  readonly options: SessionOptions;
  readonly steps: readonly { readonly input: Input; readonly effects: readonly Effect[] }[];
}

const folder = join(import.meta.dirname, '../../golden/transcripts');

/** Cuts `bytes` into pieces of `size`; the same memory is used for every piece, as a caller may. */
function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  const length = Math.min(size, bytes.byteLength);
  const memory = size % 2 === 0 ? Buffer.alloc(length) : new Uint8Array(length);
  for (let at = 0; at < bytes.byteLength; at += size) {
    const piece = bytes.subarray(at, at + size);
    memory.set(piece);
    yield memory.subarray(0, piece.byteLength);
    memory.fill(0);
  }
}

function check(core: Core, transcript: Transcript, size: number): void {
  const session = new core.Session(transcript.options);
  const feedAll = (bytes: Uint8Array): Effect[] => {
    const effects: Effect[] = [];
    for (const piece of pieces(bytes, size)) effects.push(...session.feed(piece));
    return effects;
  };
  const effectsOf = (input: Input): readonly Effect[] => {
    if ('start' in input) return session.start();
    if ('text' in input) return feedAll(new TextEncoder().encode(input.text));
    if ('bytes' in input) return feedAll(Uint8Array.from(input.bytes));
    if ('request' in input) return session.request(...input.request).effects;
    if ('notify' in input) return session.notify(...input.notify);
    if ('answer' in input) return session.answer(...input.answer);
    if ('cancel' in input) return session.cancel(input.cancel);
    if ('expire' in input) return session.expire(input.expire);
    if ('roots' in input) return session.setRoots([...input.roots]);
    return session.end();
  };
  for (const [n, step] of transcript.steps.entries()) {
    assert.deepEqual(effectsOf(step.input), step.effects, `step ${n} in pieces of ${size}`);
  }
  session.free();
}

for (const name of readdirSync(folder)) {
  test(`transcript ${name}`, { timeout: 60_000 }, () => {
    const transcript = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Transcript;
    const core = createCore();
    for (const size of [1 << 20, 1, 2, 3, 7, 64, 257]) check(core, transcript, size);
  });
}
