/**
 * No value through any door makes the core's instance trap: what is wrong is refused with a code,
 * and the same instance answers right afterwards. `GBS_FUZZ_RUNS` sets how many cases are tried.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { types } from 'node:util';
import fc from 'fast-check';
import { conversation, doors, indexed } from './package-doors.ts';
import { hostile } from './package-hostile.ts';
import { spoilable } from './spoiled.ts';

const runs = Number(process.env['GBS_FUZZ_RUNS'] ?? 20_000);
/** Cases between two looks at every door. */
const LOOK = 500;

const traps: Error[] = [];
const { core, instances } = spoilable({
  log: (error) => traps.push(error),
  tell: () => undefined,
});
const seeds = doors(core);
const names = [...Object.keys(seeds), 'Session', 'SkillIndex'];

/** What is done at one place of the arguments. */
type Change =
  | { readonly kind: 'hostile'; readonly name: string }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'remove' }
  | { readonly kind: 'twice' }
  | { readonly kind: 'splice'; readonly from: number; readonly to: number; readonly text: string };

interface Case {
  readonly door: string;
  readonly seed: number;
  readonly changes: readonly { readonly at: number; readonly change: Change }[];
}

/** Text with what parsers stumble over, halves of surrogate pairs too. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom(...'{}[]"\'\\:,-#&*!|>%@$~./\n\r\t \0a0é\u2028'),
    maxLength: 60,
  }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('hostile' as const),
      name: fc.constantFrom(...Object.keys(hostile)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('value' as const),
      value: fc.oneof(text, fc.double(), fc.integer(), fc.jsonValue(), fc.uint8Array()),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'remove' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'twice' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('splice' as const),
      from: fc.nat(300),
      to: fc.nat(30),
      text,
    }),
  },
);
const cases: fc.Arbitrary<Case> = fc.record({
  door: fc.constantFrom(...names),
  seed: fc.nat(7),
  changes: fc.array(fc.record({ at: fc.nat(200), change }), { maxLength: 4 }),
});

/** Arguments as a list, which is changed. */
function argumentsOf({ door, seed }: Case): unknown[] {
  if (door === 'Session') {
    const [options, calls] = conversation;
    return clone([options, ...calls.map(([, args]) => args)]) as unknown[];
  }
  if (door === 'SkillIndex') return clone([indexed]) as unknown[];
  const all = seeds[door] ?? [];
  return clone(all[seed % all.length]) as unknown[];
}

/** Lists and plain objects anew; bytes and objects of the core as they are. */
function clone(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clone);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, clone(held)]));
}

/** A list that can be read without surprises. */
function isList(value: unknown): value is unknown[] {
  return !types.isProxy(value) && Array.isArray(value) && value.length < 100;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** Every place in the arguments, before anything is changed: hostile values are not walked. */
function places(value: unknown, found: Place[] = []): Place[] {
  if (!Array.isArray(value) && !isPlain(value)) return found;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    found.push({ holder, key });
    places(holder[key], found);
  }
  return found;
}

function apply({ holder, key }: Place, what: Change): void {
  const before = holder[key];
  switch (what.kind) {
    case 'hostile':
      holder[key] = hostile[what.name]?.();
      return;
    case 'value':
      holder[key] = what.value;
      return;
    case 'remove':
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
      return;
    case 'twice':
      if (Array.isArray(holder)) holder.push(before);
      else if (isList(before)) holder[key] = [...before, ...before];
      return;
    case 'splice':
      if (typeof before === 'string') {
        const from = what.from % (before.length + 1);
        holder[key] = before.slice(0, from) + what.text + before.slice(from + what.to);
      } else if (types.isUint8Array(before) && before.length > 0) {
        const from = what.from % (before.length + 1);
        const inner = Buffer.from(what.text, 'utf16le');
        const bytes = Uint8Array.from(before);
        holder[key] = Buffer.concat([bytes.slice(0, from), inner, bytes.slice(from + what.to)]);
      }
  }
}

/** The code with which it was refused, or nothing. */
async function outcome(work: () => unknown): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    assert.ok(error instanceof Error, `it threw ${typeof error}`);
    const { code } = error as { code?: unknown };
    assert.ok(typeof code === 'string', `no code: ${error.stack ?? error.message}`);
    assert.match(code, /^(?:[A-Z]+_[A-Z_]+|[a-z]+(?:-[a-z]+)*)$/);
    if (code === 'CORE_TRAPPED') throw error;
    return code;
  }
}

/** Makes a session, and calls its methods in the order of the conversation. */
async function converse([options, ...calls]: readonly unknown[]): Promise<void> {
  const made: { session?: InstanceType<typeof core.Session> } = {};
  const code = await outcome(() => {
    made.session = new core.Session(options as never);
  });
  const { session } = made;
  if (session === undefined) return assert.notEqual(code, null);
  let freed = false;
  for (const [index, args] of calls.entries()) {
    const method = conversation[1][index]?.[0] ?? 'start';
    const door = (session as unknown as Record<string, (...given: unknown[]) => unknown>)[method];
    // What is no plain list any more is the one argument.
    const given = isList(args) ? args : [args];
    const refused = await outcome(() => door?.call(session, ...given));
    if (freed && method !== 'free') assert.notEqual(refused, null);
    else assert.notEqual(refused, 'CORE_RETIRED');
    freed ||= method === 'free';
  }
  session.free();
}

async function call(door: string, args: readonly unknown[]): Promise<void> {
  if (door === 'Session') return converse(args);
  if (door === 'SkillIndex') {
    await outcome(() => new core.SkillIndex(args[0] as never).free());
    return;
  }
  const all = core as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  assert.notEqual(await outcome(() => all[door]?.(...args)), 'CORE_RETIRED');
}

/** What every door answers to its seeds. */
async function answers(): Promise<unknown[]> {
  const all = core as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  const list = Object.entries(seeds).flatMap(([door, each]) =>
    each.map((args) => Promise.resolve(all[door]?.(...args))),
  );
  return Promise.all(list);
}

test('every door has arguments', async () => {
  const { parameters } = (await import('../../pkg/wasm/parameters.mjs' as string)) as {
    parameters: { functions: object; classes: object };
  };
  const declared = [...Object.keys(parameters.functions), ...Object.keys(parameters.classes)];
  assert.deepEqual(Object.keys(core).sort(), declared.sort());
  assert.deepEqual(names.sort(), declared);
});

test('every hostile value, at every place of every door', async () => {
  for (const door of names) {
    const all = door === 'Session' || door === 'SkillIndex' ? 1 : (seeds[door] ?? []).length;
    for (let seed = 0; seed < all; seed += 1) {
      const one = { door, seed, changes: [] };
      const { length } = places(argumentsOf(one));
      for (let at = 0; at < Math.min(length, 60); at += 1) {
        for (const name of Object.keys(hostile)) {
          if (name.startsWith('megabyte')) continue;
          const args = argumentsOf(one);
          const place = places(args)[at];
          assert.ok(place !== undefined);
          apply(place, { kind: 'hostile', name });
          await call(door, args).catch((error: unknown) => {
            throw new Error(`${door}, arguments ${seed}, place ${at}: ${name}`, { cause: error });
          });
        }
      }
    }
  }
  assert.deepEqual([traps, instances.length], [[], 1]);
});

test('what is undefined is as if it were not there', async () => {
  const all = core as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  const answer = async (door: string, args: readonly unknown[]): Promise<unknown> => {
    const held: { value?: unknown } = {};
    const code = await outcome(async () => {
      held.value = await all[door]?.(...args);
    });
    return code ?? held.value;
  };
  for (const [door, each] of Object.entries(seeds)) {
    for (const seed of each.keys()) {
      const one = { door, seed, changes: [] };
      for (const at of places(argumentsOf(one)).keys()) {
        const answered = ['remove', 'undefined'].map((kind) => {
          const args = argumentsOf(one);
          const place = places(args)[at];
          if (place === undefined || Array.isArray(place.holder)) return null;
          apply(place, kind === 'remove' ? { kind } : { kind: 'hostile', name: kind });
          return answer(door, args);
        });
        const [without, undefined_] = await Promise.all(answered);
        assert.deepEqual(undefined_, without, `${door}, arguments ${seed}, place ${at}`);
      }
    }
  }
});

test(`${runs} cases of several changes`, async () => {
  const before = await answers();
  let done = 0;
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const args = argumentsOf(one);
      const all = places(args);
      for (const { at, change: what } of one.changes) {
        const place = all[at % Math.max(1, all.length)];
        if (place !== undefined) apply(place, what);
      }
      await call(one.door, args);
      assert.equal(core.toolName('fs', 'read_file'), 'mcp__fs__read_file');
      done += 1;
      if (done % LOOK === 0) assert.deepEqual(await answers(), before);
    }),
    { numRuns: runs },
  );
  assert.deepEqual(await answers(), before);
  assert.deepEqual([traps, instances.length], [[], 1]);
});
