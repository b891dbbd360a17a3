/**
 * Ctrl-C, SIGTERM and a closed terminal. The first one stops the work, which then ends what it
 * started; the second ends the process at once. Who has something smaller to stop intercepts Ctrl-C.
 */

export class Stop {
  readonly #controller = new AbortController();
  #interceptors: readonly (() => void)[] = [];

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What Ctrl-C does. */
  interrupt(): void {
    const last = this.#interceptors.at(-1);
    if (last) last();
    else this.end();
  }

  /** Stops everything. */
  end(): void {
    this.#controller.abort();
  }

  /** From now on Ctrl-C does this; gives how to end that. */
  intercept(handler: () => void): () => void {
    const own = (): void => {
      handler();
    };
    this.#interceptors = [...this.#interceptors, own];
    return () => {
      this.#interceptors = this.#interceptors.filter((each) => each !== own);
    };
  }

  /** Follows the signals of the process, and readers that leave early, such as `head`. */
  watch(): void {
    process.on('SIGINT', () => {
      if (this.signal.aborted) process.exit(130);
      this.interrupt();
    });
    for (const name of ['SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        if (this.signal.aborted) process.exit(130);
        this.end();
      });
    }
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
        this.end();
      });
    }
  }
}
