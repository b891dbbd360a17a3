/** Does not wait for what takes no notice of the signal. */
export function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'stopped'> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      resolve('stopped');
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}
