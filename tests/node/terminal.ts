/** Programs on a real terminal, made by util-linux's `script`. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export const hasTerminal = process.platform === 'linux';

/** What is typed once a text was seen after what the step before waited for. */
export interface TerminalStep {
  readonly after: string;
  readonly type: string;
}

export interface TerminalOptions {
  /** Typed at once. */
  readonly early?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** When this was seen, the terminal's input ends. */
  readonly until?: RegExp;
}

const tsx = join(import.meta.dirname, '../../node_modules/tsx/dist/loader.mjs');

/** Runs a TypeScript program; gives everything the terminal showed. */
export async function runOnTerminal(
  args: readonly string[],
  steps: readonly TerminalStep[],
  { early = '', environment = {}, until }: TerminalOptions = {},
): Promise<string> {
  const words = [process.execPath, '--import', tsx, ...args];
  const command = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1', LC_ALL: 'C.UTF-8', ...environment },
    timeout: 45_000,
  });
  if (early !== '') child.stdin.write(early);
  const waiting = [...steps];
  let seen = '';
  let from = 0;
  for await (const chunk of child.stdout) {
    seen += String(chunk);
    for (;;) {
      const [step] = waiting;
      const at = step ? seen.indexOf(step.after, from) : -1;
      if (!step || at < 0) break;
      from = at + step.after.length;
      waiting.shift();
      child.stdin.write(step.type);
    }
    if (until?.test(seen)) child.stdin.end();
  }
  return seen;
}
