/** One line that a person types on the terminal. */
import { createInterface } from 'node:readline';
import { onStop } from '../on-stop.ts';

/**
 * Shows `prompt` on stderr and gives the line; null at the end of the input, when the signal fires,
 * and at Ctrl-C, after `interrupted` was called.
 */
export async function readLine(
  prompt: string,
  signal: AbortSignal,
  interrupted: () => void = () => undefined,
): Promise<string | null> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, historySize: 0 });
  const close = (): void => {
    reader.close();
  };
  let listening = (): void => undefined;
  try {
    return await new Promise<string | null>((resolve) => {
      reader.on('SIGINT', () => {
        interrupted();
        close();
      });
      reader.on('close', () => {
        resolve(null);
      });
      reader.question(prompt, resolve);
      listening = onStop(signal, close);
    });
  } finally {
    listening();
    close();
  }
}
