/**
 * Addresses that a browser comes back with, by their state, which nobody else knows. Each is taken from
 * the moment it is expected: a browser may be back before anybody waits for it.
 */
import { onStop } from './on-stop.ts';

interface Expected {
  readonly address: Promise<string>;
  readonly take: (address: string) => void;
}

export class Arrivals {
  readonly #expected = new Map<string, Expected>();

  /** From now on the address with this state is taken. */
  expect(state: string): void {
    if (!this.#expected.has(state)) this.#expected.set(state, expected());
  }

  /** False where nobody expects this state; nothing is done with the address then. */
  take(state: string, address: string): boolean {
    const found = this.#expected.get(state);
    found?.take(address);
    return found !== undefined;
  }

  /** The address that came with this state, or comes; rejects with the signal's reason. */
  of(state: string, signal: AbortSignal): Promise<string> {
    this.expect(state);
    const found = this.#expected.get(state);
    return new Promise((resolve, reject) => {
      onStop(signal, () =>
        reject(signal.reason instanceof Error ? signal.reason : new Error('stopped')),
      );
      void found?.address.then(resolve);
    });
  }

  forget(state: string): void {
    this.#expected.delete(state);
  }
}

function expected(): Expected {
  let take: Expected['take'] = () => undefined;
  const address = new Promise<string>((resolve) => {
    take = resolve;
  });
  return { address, take: (given) => take(given) };
}
