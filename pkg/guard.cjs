'use strict';
/**
 * A trap (a panic, memory out of bounds, a stack overflow) leaves a WebAssembly instance unusable: its
 * borrowed objects stay borrowed, its stack pointer where it was. So the instance is replaced: doors
 * go on with a fresh one, and what lived in the old one says so.
 */

/** An error with a code, for a caller that must tell a trap from a refusal. */
function coded(code, message, cause) {
  return Object.assign(new Error(message, { cause }), { code });
}

/** Errors that the core throws on purpose carry a code; a trap never does. */
function isTrap(error) {
  return (
    error instanceof Error &&
    error.code === undefined &&
    (error.name === 'RuntimeError' || error instanceof RangeError)
  );
}

function isClass(value) {
  return typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
}

/**
 * Every door of `make()`'s instances, over one that is replaced after a trap. `onTrap` is told of each
 * trap; the call that trapped throws `CORE_TRAPPED`, objects of the old instance `CORE_RETIRED`.
 */
exports.guarded = function guarded(make, onTrap) {
  let current = make();

  const run = (work) => {
    try {
      return work();
    } catch (error) {
      if (!isTrap(error)) throw error;
      current = make();
      onTrap?.(error);
      throw coded(
        'CORE_TRAPPED',
        'the core failed inside and was replaced; this call has no result',
        error,
      );
    }
  };

  /** Our object → the object inside, and the instance it lives in. */
  const inside = new WeakMap();

  /** What an argument is inside; objects of a replaced instance are refused. */
  const unwrap = (value) => {
    const entry = typeof value === 'object' && value !== null ? inside.get(value) : undefined;
    if (entry === undefined) return value;
    if (entry.home !== current) {
      const message = `this ${entry.name} ended when the core was replaced; make a new one`;
      throw coded('CORE_RETIRED', message);
    }
    return entry.object;
  };

  const guardClass = (name) => {
    class Guarded {
      constructor(...args) {
        const object = run(() => new current[name](...args.map(unwrap)));
        inside.set(this, { home: current, name, object });
      }
      /** Freeing twice, or after the instance is gone, does nothing. */
      free() {
        const entry = inside.get(this);
        inside.set(this, { ...entry, home: null });
        if (entry.home === current) entry.object.free();
      }
    }
    for (const method of Object.getOwnPropertyNames(current[name].prototype)) {
      if (method === 'constructor' || method === 'free' || method.startsWith('__')) continue;
      Guarded.prototype[method] = function (...args) {
        const object = unwrap(this);
        return run(() => object[method](...args.map(unwrap)));
      };
    }
    if (Symbol.dispose) Guarded.prototype[Symbol.dispose] = Guarded.prototype.free;
    Object.defineProperty(Guarded, 'name', { value: name });
    return Guarded;
  };

  const core = {};
  for (const [name, value] of Object.entries(current)) {
    if (isClass(value)) core[name] = guardClass(name);
    else if (typeof value === 'function')
      core[name] = (...args) => run(() => current[name](...args.map(unwrap)));
  }
  return core;
};
