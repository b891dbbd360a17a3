/**
 * A trap (a panic, memory out of bounds, a stack overflow) leaves a WebAssembly instance unusable: its
 * borrowed objects stay borrowed, its stack pointer where it was. So the instance is replaced: doors
 * go on with a fresh one, and what lived in the old one says so.
 */
import { coded, invalid, taker } from './arguments.mjs';

/** What our side throws on purpose carries a code, as do errors of the core; a trap never does. */
function isTrap(error) {
  return typeof error?.code !== 'string';
}

function trapped(cause) {
  const message = 'the core failed inside and was replaced; this call has no result';
  return coded('CORE_TRAPPED', message, cause);
}

/** What each argument is taken as. */
function all(takes, values) {
  const given = new Array(takes.length);
  for (let n = 0; n < takes.length; n += 1) given[n] = takes[n](values[n]);
  return given;
}

/**
 * The doors that `parameters` names, over an instance that is replaced after a trap. `make(life)`
 * gives an instance; `onTrap` is told of each trap. The call that trapped throws `CORE_TRAPPED`, and
 * promises of the old instance reject with it; its objects throw `CORE_RETIRED`.
 */
export function guarded(make, { functions, classes, types }, onTrap) {
  /** The instance and its life; null until the next call after a trap. */
  let current = null;

  const live = () => {
    if (current === null) {
      /** What rejects each promise that is not settled, and how many calls are inside. */
      const life = {
        over: false,
        depth: 0,
        pending: new Set(),
        lost: (error) => replace(life, error),
      };
      current = { life, doors: make(life) };
    }
    return current;
  };

  const replace = (life, error) => {
    if (life.over) return;
    life.over = true;
    current = null;
    for (const reject of life.pending) reject(trapped(error));
    life.pending.clear();
    onTrap?.(error);
  };

  /** A promise of the instance, which settles even when the instance is lost. */
  const watched = (life, promise) =>
    new Promise((resolve, reject) => {
      life.pending.add(reject);
      promise.then(
        (value) => {
          life.pending.delete(reject);
          resolve(value);
        },
        (error) => {
          life.pending.delete(reject);
          if (!isTrap(error)) return reject(error);
          replace(life, error);
          reject(trapped(error));
        },
      );
    });

  const settling = (life, result) => (result instanceof Promise ? watched(life, result) : result);

  /** What the caller is to see of an error; a trap replaces the instance. */
  const told = (life, error) => {
    if (!isTrap(error)) return error;
    replace(life, error);
    return trapped(error);
  };

  /** Calls the function `name` of `object`, which lives in that instance. */
  const run = (life, object, name, given) => {
    life.depth += 1;
    try {
      return settling(life, object[name](...given));
    } catch (error) {
      throw told(life, error);
    } finally {
      life.depth -= 1;
    }
  };

  /** The same of one argument, without a list of it: all that servers write goes this way. */
  const runOne = (life, object, name, given) => {
    life.depth += 1;
    try {
      return settling(life, object[name](given));
    } catch (error) {
      throw told(life, error);
    } finally {
      life.depth -= 1;
    }
  };

  /** Our object → the object inside, and the instance it lives in. */
  const inside = new WeakMap();

  /** What is known of one of our objects; those that are freed or lost are refused. */
  const entryOf = (name, kind, value) => {
    const entry = typeof value === 'object' && value !== null ? inside.get(value) : undefined;
    if (entry?.name !== kind) throw invalid(name, `it must be a ${kind} of this core`);
    if (entry.object === null)
      throw coded('CORE_RETIRED', `this ${kind} was freed; make a new one`);
    if (entry.home.life.over) {
      throw coded('CORE_RETIRED', `this ${kind} ended when the core was replaced; make a new one`);
    }
    return entry;
  };

  const takerOf = taker(types, (name, kind, value) => entryOf(name, kind, value).object);
  const takersOf = (kinds) => kinds.map(takerOf);

  const guardClass = (name, { constructor, methods }) => {
    const takes = takersOf(constructor);
    class Guarded {
      constructor(...values) {
        const given = all(takes, values);
        const home = live();
        const make = { make: (...args) => new home.doors[name](...args) };
        const object = run(home.life, make, 'make', given);
        inside.set(this, { name, home, object });
      }
      /** Freeing twice, or after the instance is gone, does nothing. */
      free() {
        const entry = inside.get(this);
        if (entry?.name !== name) throw invalid('this', `it must be a ${name} of this core`);
        const { home, object } = entry;
        entry.object = null;
        if (object !== null && !home.life.over) run(home.life, object, 'free', []);
      }
    }
    for (const [method, kinds] of Object.entries(methods)) {
      const takes = takersOf(kinds);
      if (takes.length === 1) {
        const [take] = takes;
        Guarded.prototype[method] = function (value) {
          const { home, object } = entryOf('this', name, this);
          return runOne(home.life, object, method, take(value));
        };
        continue;
      }
      Guarded.prototype[method] = function (...values) {
        const { home, object } = entryOf('this', name, this);
        return run(home.life, object, method, all(takes, values));
      };
    }
    if (Symbol.dispose) Guarded.prototype[Symbol.dispose] = Guarded.prototype.free;
    Object.defineProperty(Guarded, 'name', { value: name });
    return Guarded;
  };

  live();
  const core = {};
  for (const [name, shape] of Object.entries(classes)) core[name] = guardClass(name, shape);
  for (const [name, kinds] of Object.entries(functions)) {
    const takes = takersOf(kinds);
    core[name] = (...values) => {
      const given = all(takes, values);
      const { life, doors } = live();
      return run(life, doors, name, given);
    };
  }
  return core;
}
