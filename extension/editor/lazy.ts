/** Makes a thing when it is first asked for, once. */
export class Lazy<T> {
  readonly #make: () => T;
  #made: { readonly value: T } | null = null;

  constructor(make: () => T) {
    this.#make = make;
  }

  get value(): T {
    return (this.#made ??= { value: this.#make() }).value;
  }

  /** What was made, or null when nobody asked. */
  get made(): T | null {
    return this.#made?.value ?? null;
  }
}
