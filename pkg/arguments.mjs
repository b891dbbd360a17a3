/**
 * What may be handed to a door. The glue of wasm-bindgen trusts its callers: a number in place of a
 * text would be read as an address. So each argument is looked at before, by the kinds that the
 * generated `parameters` name, and nothing of the caller's runs while a door is open but what Rust
 * expects to fail.
 */

/** An error with a code. */
export function coded(code, message, cause) {
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  return Object.assign(error, { code });
}

/** A caller's mistake. */
class Invalid extends Error {
  code = 'INVALID_ARGUMENT';
}

export function invalid(name, reason, cause) {
  const message = `argument ${name}: ${reason}`;
  return cause === undefined ? new Invalid(message) : new Invalid(message, { cause });
}

/** Runs `work`, which reads the caller's objects: what they throw is the caller's mistake. */
export function read(name, work) {
  try {
    return work();
  } catch (error) {
    throw mistake(name, error);
  }
}

/** Getters and proxies may throw anything, even what throws when it is looked at. */
function mistake(name, error) {
  try {
    if (error instanceof Invalid) return error;
    const reason = error instanceof TypeError ? String(error.message) : 'it cannot be read';
    return invalid(name, reason, error);
  } catch {
    return invalid(name, 'it cannot be read');
  }
}

const typed = Object.getPrototypeOf(Uint8Array.prototype);
const getter = (name) => Object.getOwnPropertyDescriptor(typed, name).get;
const kindOf = getter(Symbol.toStringTag);
const bufferOf = getter('buffer');
const startOf = getter('byteOffset');
const lengthOf = getter('byteLength');

/** A real Uint8Array, of whatever realm; a proxy of one is none. */
function isBytes(value) {
  return typeof value === 'object' && value !== null && kindOf.call(value) === 'Uint8Array';
}

/**
 * The same bytes without what a subclass adds. Memory that others can write to is copied: it must
 * not change between two looks at it.
 */
function plainBytes(bytes) {
  const buffer = bufferOf.call(bytes);
  const length = lengthOf.call(bytes);
  const kind = Object.getPrototypeOf(bytes);
  const plain =
    kind === Uint8Array.prototype || (typeof Buffer === 'function' && kind === Buffer.prototype);
  if (plain && length > 0 && buffer instanceof ArrayBuffer) return bytes;
  const view = new Uint8Array(buffer, startOf.call(bytes), length);
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]'
    ? new Uint8Array(view)
    : view;
}

/** An argument that must be bytes. */
export function bytesOf(name, value) {
  if (!isBytes(value)) throw invalid(name, 'it must be a Uint8Array');
  try {
    return plainBytes(value);
  } catch (error) {
    // A view of memory that was transferred has no bytes; nor can another view be made.
    throw invalid(name, 'its memory was transferred', error);
  }
}

/** The largest number that crosses: every number of a door is a `u32`. */
const MAX_NUMBER = 0xffffffff;

/** Items of one list. A proxy may claim any length. */
const MAX_ITEMS = 4_000_000;
/** No type of a door holds itself, so this is only reached by a mistake of ours. */
const MAX_DEPTH = 64;

/** Takes what is data, by its shape: see `scripts/lib/parameters.mjs`. */
class Data {
  constructor(types) {
    this.types = types;
    /** Name → its shape, made ready; others by themselves. */
    this.ready = new Map();
  }

  prepared(shape) {
    const known = this.ready.get(shape);
    if (known !== undefined) return known;
    const target = typeof shape === 'string' ? this.types[shape] : shape;
    const made = { list: null, map: null, fields: null };
    this.ready.set(shape, made);
    if (target === 0) return made;
    if (typeof target === 'string') Object.assign(made, this.prepared(target));
    if (target.list !== undefined) made.list = this.prepared(target.list);
    if (target.map !== undefined) made.map = this.prepared(target.map);
    if (target.fields !== undefined) {
      made.fields = Object.entries(target.fields).map(([key, of]) => [key, this.prepared(of)]);
    }
    return made;
  }

  /** A plain copy of what `shape` names, each read once. `undefined` is as if it were not there. */
  copy(value, shape, depth) {
    switch (typeof value) {
      case 'object':
        break;
      case 'number':
        if (!Number.isFinite(value)) throw new TypeError('a number in it is not finite');
        return value;
      case 'string':
      case 'boolean':
      case 'undefined':
        return value;
      default:
        throw new TypeError(`it holds a ${typeof value}`);
    }
    if (value === null) return null;
    if (depth > MAX_DEPTH) throw new TypeError('it is nested too deeply');
    if (Array.isArray(value)) return shape.list === null ? [] : this.list(value, shape.list, depth);
    if (shape.fields !== null) {
      const copied = {};
      for (const [key, of] of shape.fields) {
        const held = value[key];
        if (held !== undefined) copied[key] = this.copy(held, of, depth + 1);
      }
      return copied;
    }
    // An object in the place of something else: the core says what is wanted there.
    if (shape.map === null) return {};
    if (value instanceof Map) throw new TypeError('it holds a Map where a plain object is wanted');
    // Without a prototype, so that every key is only a key.
    const copied = Object.create(null);
    for (const key of Object.keys(value)) {
      const held = value[key];
      if (held !== undefined) copied[key] = this.copy(held, shape.map, depth + 1);
    }
    return copied;
  }

  list(value, shape, depth) {
    const { length } = value;
    if (!(length <= MAX_ITEMS)) throw new TypeError(`it has more than ${MAX_ITEMS} items`);
    const items = new Array(length);
    for (let n = 0; n < length; n += 1) items[n] = this.copy(value[n], shape, depth + 1);
    return items;
  }
}

/** What takes an argument of a door, by its kind; `objectOf` gives what an object of ours is inside. */
export function taker(types, objectOf) {
  const data = new Data(types);

  return ([name, kind, shape]) => {
    switch (kind) {
      case 'string':
        return (value) => {
          if (typeof value !== 'string') throw invalid(name, 'it must be a string');
          return value;
        };
      case 'number':
        return (value) => {
          if (!Number.isInteger(value) || value < 0 || value > MAX_NUMBER) {
            throw invalid(name, `it must be an integer from 0 to ${MAX_NUMBER}`);
          }
          return value;
        };
      case 'Uint8Array':
        return (value) => bytesOf(name, value);
      case 'data':
        return (value) => read(name, () => data.copy(value, data.prepared(shape), 0));
      case 'own':
        return (value) => value;
      default:
        return (value) => objectOf(name, kind, value);
    }
  };
}
