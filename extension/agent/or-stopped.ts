/** Does not wait for what takes no notice of the signal. */
export async function orStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'stopped'> {
  work.catch(() => null);
  const stopped = new Promise<'stopped'>((resolve) => {
    if (signal.aborted) resolve('stopped');
    signal.addEventListener(
      'abort',
      () => {
        resolve('stopped');
      },
      { once: true },
    );
  });
  return Promise.race([work, stopped]);
}
