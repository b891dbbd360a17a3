/**
 * Does a Git repository itself name programs that even a reading Git command starts?
 *
 * Options switch off what has a fixed name (hooks, monitors, pagers); filters and the remotes of a
 * partial clone have names of the repository's own. Git is asked for its settings, which starts
 * nothing; what the user's own settings name counts as theirs.
 */
import { spawn } from 'node:child_process';
import { GIT_SETTINGS_BYTES, GIT_SETTINGS_MS } from '../../limits.ts';

const ofRepository: ReadonlySet<string> = new Set(['local', 'worktree']);
/** Git writes sections and keys in lower case; the name in between stays as it is. */
const names =
  /^(?:filter\..*\.(?:clean|smudge|process)|remote\..*\.(?:promisor|partialclonefilter)|extensions\.partialclone)$/s;

/** `folder` is absolute. True also when it cannot be found out: then the user is asked. */
export function repositoryNamesPrograms(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const args = ['-c', 'safe.bareRepository=explicit', 'config', '--list', '--show-scope', '-z'];
    const child = spawn('git', args, {
      cwd: folder,
      env: { ...environment },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: GIT_SETTINGS_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    let said = '';
    child.stdout.setEncoding('latin1');
    child.stdout.on('data', (piece: string) => {
      said += piece;
      if (said.length > GIT_SETTINGS_BYTES) child.kill('SIGKILL');
    });
    // Without Git no Git command starts anything.
    child.on('error', () => {
      resolve(false);
    });
    child.on('close', (code) => {
      resolve(code !== 0 || namesPrograms(said));
    });
  });
}

/** Scope and setting in turn, each ended by a NUL; a setting is its key, a line break and its value. */
function namesPrograms(said: string): boolean {
  const parts = said.split('\0');
  return parts.some((setting, k) => {
    if (k % 2 === 0 || !ofRepository.has(parts[k - 1] ?? '')) return false;
    const end = setting.indexOf('\n');
    return names.test(end < 0 ? setting : setting.slice(0, end));
  });
}
