// Runs programs and says what went wrong in one sentence with a remedy.
import { spawn, spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { environment, root } from './paths.mjs';

/** A step that did not work; printed without a stack. */
export class StepFailed extends Error {
  constructor(step, remedy) {
    super(`${step}\n  ${remedy}`);
  }
}

/** Runs a program to its end with our tools on the PATH; throws StepFailed when it fails. */
export async function run(file, args, { step, remedy, cwd = root, env = {}, quiet = false } = {}) {
  const child = spawn(file, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  let output = '';
  child.stdout?.on('data', (data) => (output += data));
  child.stderr?.on('data', (data) => (output += data));
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code ?? error.message));
    child.on('close', (status, signal) => resolve(status ?? signal));
  });
  if (code === 0) return output;
  if (quiet) process.stderr.write(output);
  throw new StepFailed(
    `${step ?? [file, ...args].join(' ')}: ${code === 'ENOENT' ? `${file} is not installed` : `ended with ${code}`}.`,
    remedy ?? 'What it printed stands above.',
  );
}

/** What a program prints, or null when it is not there or fails. */
export function ask(file, args) {
  const result = spawnSync(file, args, {
    encoding: 'utf8',
    env: environment(),
    shell: process.platform === 'win32',
  });
  return result.status === 0 ? result.stdout.trim() : null;
}

/** Says what is being done, and how long it took. */
export async function timed(title, work) {
  const start = Date.now();
  process.stdout.write(`── ${title}\n`);
  const result = await work();
  const seconds = (Date.now() - start) / 1000;
  if (seconds >= 1) process.stdout.write(`   ${seconds.toFixed(1)} s\n`);
  return result;
}

/** Is the module at this address the one that Node was started with, and not imported? */
export function isStarted(address) {
  const started = process.argv[1];
  return started !== undefined && address === pathToFileURL(started).href;
}

/** Runs a script's main function; failures become one message and exit code 1. */
export function main(work) {
  work().catch((error) => {
    process.stderr.write(
      `\n${error instanceof StepFailed ? error.message : (error.stack ?? error)}\n`,
    );
    process.exitCode = 1;
  });
}
