/**
 * Runs the real `git`, without a shell, never asking anybody anything, and without what a repository or
 * an address could make it run: hooks, file system monitors, filters, submodules, transports of its own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CATALOGUE_GIT_MS, CATALOGUE_GIT_SAID } from '../limits.ts';

const safe = [
  'protocol.allow=never',
  'protocol.https.allow=always',
  'protocol.http.allow=always',
  'protocol.ssh.allow=always',
  'protocol.git.allow=always',
  'protocol.file.allow=always',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.autocrlf=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'filter.lfs.required=false',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/** What it printed. Throws what it said of an error. */
export async function runGit(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const child = spawn('git', [...safe, ...args], {
    env: {
      ...process.env,
      ...notHere,
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      GIT_SSH_COMMAND: process.env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
      LC_ALL: 'C',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(CATALOGUE_GIT_MS)]),
    windowsHide: true,
  });
  let printed = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-CATALOGUE_GIT_SAID);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return printed;
  const lines = said.trim().split('\n');
  const line = lines.find((each) => each.startsWith('fatal:')) ?? lines.at(-1) ?? '';
  throw new Error(
    `git ${code === null ? 'was stopped' : 'failed'}: ${line.replace(/^fatal: /, '')}`,
  );
}

/** A repository of the folder it is started in is none of its business. */
const notHere: NodeJS.ProcessEnv = {
  GIT_DIR: undefined,
  GIT_WORK_TREE: undefined,
  GIT_INDEX_FILE: undefined,
  GIT_OBJECT_DIRECTORY: undefined,
};
