/** Values of every kind that a caller may hand over by mistake, or from somewhere that it trusts. */

/** Arrays and objects in each other. */
function nested(levels: number): unknown {
  let value: unknown = 'deep';
  for (let n = 0; n < levels; n += 1) value = n % 2 === 0 ? [value] : { a: value, path: value };
  return value;
}

function cyclic(): unknown {
  const value: Record<string, unknown> = { name: 'a', origin: 'project' };
  value['self'] = value;
  value['of'] = value;
  value['skills'] = [value];
  value['list'] = [[value]];
  return value;
}

/** A list that holds itself stands wherever a list is wanted. */
function cyclicList(): unknown {
  const list: unknown[] = [];
  list.push(list, list);
  return list;
}

function throwing(): never {
  throw new RangeError('thrown by the caller');
}

/** Every property is a getter that throws. */
function getters(error: () => unknown): unknown {
  return new Proxy(
    {},
    {
      get: () => {
        throw error();
      },
      ownKeys: () => ['a'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  );
}

function everythingThrows(target: object): unknown {
  const handler = Object.fromEntries(
    Object.getOwnPropertyNames(Reflect).map((name) => [name, throwing]),
  );
  return new Proxy(target, handler);
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function detached(): Uint8Array {
  const bytes = new Uint8Array(16);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

class Endless extends Uint8Array {
  override get byteLength(): number {
    return 2 ** 40;
  }
  override subarray(): never {
    return throwing();
  }
}

/** Claims to be a list of any length, and gives a longer text each time. */
function endless(): unknown {
  return new Proxy([], { get: (_, key) => (key === 'length' ? 2 ** 52 : 'x') });
}

function changing(): unknown {
  let times = 0;
  const change = (): unknown => [undefined, 'a', 1, [], {}][(times += 1) % 5];
  return new Proxy({}, { get: change });
}

const megabyte = 'ü€x\ud83d\ude00'.repeat(170_000);

/** By name, so that a failure can be read. */
export const hostile: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  true: () => true,
  false: () => false,
  zero: () => 0,
  'minus zero': () => -0,
  'minus one': () => -1,
  half: () => 0.5,
  'above u32': () => 2 ** 32,
  'above safe': () => 2 ** 53 + 2,
  huge: () => Number.MAX_VALUE,
  tiny: () => Number.MIN_VALUE,
  nan: () => Number.NaN,
  infinity: () => Number.POSITIVE_INFINITY,
  'minus infinity': () => Number.NEGATIVE_INFINITY,
  bigint: () => 10n ** 30n,
  symbol: () => Symbol('a'),
  function: () => throwing,
  class: () => Endless,
  empty: () => '',
  'high surrogate': () => 'a\ud800b',
  'low surrogate': () => '\udc00',
  'surrogates the wrong way': () => '\udc00\ud800',
  nul: () => 'a\0b',
  'byte order mark': () => '\ufeff---\n',
  megabyte: () => megabyte,
  'megabyte of brackets': () => '['.repeat(1 << 20),
  'megabyte of quotes': () => '"'.repeat(1 << 20),
  'megabyte of line feeds': () => '\n'.repeat(1 << 20),
  'text object': () => new String('read'),
  'number object': () => new Number(1),
  list: () => [],
  'list of nothing': () => [undefined, null],
  'list with holes': () => new Array(3),
  object: () => ({}),
  bare: () => Object.create(null),
  'deep list and object': () => nested(10_000),
  'deep lists': () => JSON.parse('['.repeat(3000) + ']'.repeat(3000)),
  cyclic,
  'cyclic list': cyclicList,
  'prototype as a key': () => JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":2}'),
  'prototype as text': () => JSON.parse('{"__proto__":"x"}'),
  'getters that throw': () => getters(() => new Error('no')),
  'getters that throw what throws': () => getters(() => everythingThrows({})),
  'getters that throw nothing': () => getters(() => undefined),
  'getters that throw a type error': () => getters(() => new TypeError('no')),
  'everything throws': () => everythingThrows({}),
  'list where everything throws': () => everythingThrows([]),
  'function where everything throws': () => everythingThrows(throwing),
  revoked: () => revoked({}),
  'revoked list': () => revoked([]),
  'proxy of a list': () => new Proxy(['a'], {}),
  'proxy of bytes': () => new Proxy(new Uint8Array(4), {}),
  'bytes where everything throws': () => everythingThrows(new Uint8Array(4)),
  'endless list': endless,
  changing,
  'toJSON throws': () => ({ toJSON: throwing, name: 'a' }),
  'valueOf throws': () => ({
    valueOf: throwing,
    toString: throwing,
    [Symbol.toPrimitive]: throwing,
  }),
  'iterator throws': () => ({ [Symbol.iterator]: throwing, length: 1 }),
  'tag throws': () => Object.defineProperty({}, Symbol.toStringTag, { get: throwing }),
  date: () => new Date(Number.NaN),
  map: () => new Map([['a', 'b']]),
  set: () => new Set(['a']),
  regexp: () => /a/g,
  error: () => new Error('a'),
  promise: () => Promise.resolve('a'),
  global: () => globalThis,
  bytes: () => new Uint8Array([0xff, 0xfe, 0x00, 0xd8]),
  'no bytes': () => new Uint8Array(0),
  'detached bytes': detached,
  'detached buffer': () => detached().buffer,
  'shared bytes': () => new Uint8Array(new SharedArrayBuffer(32), 3, 9).fill(0x7b),
  'bytes that can grow': () =>
    new Uint8Array(new (ArrayBuffer as unknown as Growing)(8, { maxByteLength: 64 })),
  'bytes that lie': () => new Endless(4),
  floats: () => new Float64Array([Number.NaN]),
  words: () => new Uint16Array([0xd800]),
  view: () => new DataView(new ArrayBuffer(4)),
  buffer: () => new ArrayBuffer(4),
  'clamped bytes': () => new Uint8ClampedArray(4),
};

type Growing = new (length: number, options: { maxByteLength: number }) => ArrayBuffer;
