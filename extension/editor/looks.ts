/**
 * Looks at something that changes meanwhile, such as a folder. Many callers at once share one look; a
 * look that is under way may have passed what changed just now, so who asks for a fresh one gets the
 * next.
 */
export class Looks<T> {
  readonly #make: () => Promise<T>;
  #now: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** What is there from here on: a look that begins after this call. */
  fresh(): Promise<T> {
    if (this.#now === null) return this.#start();
    this.#next ??= this.#now
      .then(
        () => null,
        () => null,
      )
      .then(() => {
        this.#next = null;
        return this.#start();
      });
    return this.#next;
  }

  /** What is there, for who only has not looked yet: the look that is under way, or a new one. */
  shared(): Promise<T> {
    return this.#next ?? this.#now ?? this.#start();
  }

  #start(): Promise<T> {
    const now = this.#make().finally(() => {
      if (this.#now === now) this.#now = null;
    });
    this.#now = now;
    return now;
  }
}
