/** How a command ends: what went wrong on stderr, and the exit code. */
import { CommanderError } from 'commander';
import { CliFailure } from './parts.ts';
import { Stop } from './stop.ts';

/** The exit code of a failure that is told here, or already was; null for one that nobody foresaw. */
export function exitCodeOf(name: string, error: unknown): number | null {
  if (error instanceof CliFailure) {
    process.stderr.write(`${name}: ${error.message}\n`);
    return error.exitCode;
  }
  // Commander has said what is wrong; help and version are no mistakes.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return null;
}

/** Runs a program whose `main` gives its exit code. */
export function runProgram(
  name: string,
  main: (argv: readonly string[], stop: Stop) => Promise<number>,
): void {
  const stop = new Stop();
  stop.watch();
  main(process.argv.slice(2), stop).then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
