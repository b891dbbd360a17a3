/**
 * The one door to the wasm package. Nothing else imports it; everything else is handed a `Core`.
 *
 * When the core traps, the package replaces its instance and the call throws `CORE_TRAPPED`. Objects
 * of the old instance are lost with it: who holds one is told by `whenReplaced`, and makes another.
 */
import { createCore as make, type Core } from '../pkg/index.cjs';

export type * from '../pkg/index.cjs';

/** Whom to tell of traps: each is a bug of ours. */
export interface TrapWatch {
  /** Each of them, with what is known about it. */
  log(error: Error): void;
  /** At the first alone: people are told once, however often it happens. */
  tell(): void;
}

/** Who wants to know of each core's replacements. */
const listeners = new WeakMap<Core, Set<() => void>>();

export function createCore(watch: TrapWatch | null = null): Core {
  const ours = new Set<() => void>();
  const state = { told: false };
  const core = make({
    onTrap: (error) => {
      watch?.log(error);
      for (const listener of [...ours]) listener();
      if (state.told) return;
      state.told = true;
      watch?.tell();
    },
  });
  listeners.set(core, ours);
  return core;
}

/** Calls `listener` whenever the instance was replaced. Gives back the way to stop. */
export function whenReplaced(core: Core, listener: () => void): () => void {
  const ours = listeners.get(core);
  ours?.add(listener);
  return () => ours?.delete(listener);
}
