/** One line that is rewritten in place while something works. Draws nothing but on a terminal. */
import { SPINNER_MS } from '../limits.ts';
import type { Screen } from './screen.ts';

export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | null = null;
  #words = '';
  #note = '';
  #measure = '';
  #since = 0;
  #frame = 0;
  #drawn = false;

  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
  }

  /** Shows a phase; its seconds count from here. */
  start(words: string, measure: string): void {
    const { err, marks } = this.#screen;
    if (!err.terminal || marks.spinner.length === 0) return;
    this.#words = words;
    this.#note = '';
    this.#measure = measure;
    this.#since = this.#now();
    this.#timer ??= setInterval(() => {
      this.#draw();
    }, SPINNER_MS);
    // Showing that something runs is no reason to run on.
    this.#timer.unref();
    this.#draw();
  }

  /** What the phase is doing just now. */
  note(text: string): void {
    this.#note = text;
  }

  measure(text: string): void {
    this.#measure = text;
  }

  /** Takes the line away until its next frame. */
  clear(): void {
    if (this.#drawn) this.#screen.err.write('\r\x1b[K');
    this.#drawn = false;
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.clear();
  }

  #draw(): void {
    const { err, marks } = this.#screen;
    const frame = marks.spinner[this.#frame++ % marks.spinner.length] ?? '';
    const seconds = Math.floor((this.#now() - this.#since) / 1000);
    const facts = [`${String(seconds)} s`, this.#measure, 'Ctrl+C stops'];
    const words = this.#note === '' ? this.#words : this.#note;
    const tail = facts.filter((fact) => fact !== '').join(', ');
    // One row only: a longer line would wrap, and could not be taken away.
    const room = Math.max(0, err.columns() - tail.length - 4);
    const short = Array.from(words).slice(0, room).join('');
    err.write(`\r\x1b[K${err.paint.cyan(frame)} ${short} ${err.paint.dim(tail)}`);
    this.#drawn = true;
  }
}
