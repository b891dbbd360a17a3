/**
 * Notices a call that was read rather than thought of: one whose text stands word for word in a
 * result of this run. White space, quotes and backslashes are left out on both sides, so that a
 * repaired or re-quoted call is the same.
 */
import { QUOTE_LEAST_CHARS, QUOTE_MEMORY_CHARS, QUOTE_NEAR_CHARS } from '../limits.ts';

interface Source {
  /** In our words and theirs, such as `result of read_file`. */
  readonly name: string;
  readonly text: string;
}

export class Quotes {
  #sources: Source[] = [];
  #size = 0;
  readonly #allowed = new Set<string>();

  /** Remembers a result. */
  add(name: string, text: string): void {
    const source = { name, text: bare(text) };
    this.#sources.push(source);
    this.#size += source.text.length;
    while (this.#size > QUOTE_MEMORY_CHARS && this.#sources.length > 1) {
      this.#size -= this.#sources.shift()?.text.length ?? 0;
    }
  }

  /** Where the call stands, or null. `written` are its arguments in every form that is known. */
  find(tool: string, written: readonly string[]): string | null {
    const name = bare(tool.split('__').at(-1) ?? tool);
    for (const form of written) {
      const needle = bare(form);
      if (needle.length < QUOTE_LEAST_CHARS || this.#allowed.has(needle)) continue;
      for (const source of this.#sources) {
        for (
          let at = source.text.indexOf(needle);
          at >= 0;
          at = source.text.indexOf(needle, at + 1)
        ) {
          const around = source.text.slice(
            Math.max(0, at - QUOTE_NEAR_CHARS),
            at + needle.length + QUOTE_NEAR_CHARS,
          );
          if (around.includes(name)) return source.name;
        }
      }
    }
    return null;
  }

  /** The user allowed this call: it is theirs from now on. */
  allow(written: readonly string[]): void {
    for (const form of written) this.#allowed.add(bare(form));
  }

  clear(): void {
    this.#sources = [];
    this.#size = 0;
    this.#allowed.clear();
  }
}

function bare(text: string): string {
  return text.replace(/[\s"'`\\]+/gu, '').toLowerCase();
}
