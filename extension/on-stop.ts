/**
 * Calls `stop` once, when the signal fires; at once when it has fired before, for an event that is past
 * does not come again. Gives what takes the listener off.
 */
export function onStop(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => undefined;
  }
  signal.addEventListener('abort', stop, { once: true });
  return () => {
    signal.removeEventListener('abort', stop);
  };
}
