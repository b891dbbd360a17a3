/** Opens a page in the user's browser, by the program that each system has for it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { CliParts } from './parts.ts';

/** False where there is nothing to open it with. The page is https, or http on this machine. */
export async function openPage(
  page: URL,
  { environment, platform, userHome }: Pick<CliParts, 'environment' | 'platform' | 'userHome'>,
): Promise<boolean> {
  const command = await opener(environment, platform);
  if (command === null) return false;
  const [file, ...args] = command;
  // No shell reads the address, and the folder of the workspace is nowhere near.
  const child = spawn(file, [...args, page.href], {
    cwd: userHome,
    detached: true,
    stdio: 'ignore',
    shell: false,
    windowsHide: true,
  });
  child.unref();
  return once(child, 'spawn').then(
    () => true,
    () => false,
  );
}

async function opener(
  environment: CliParts['environment'],
  platform: NodeJS.Platform,
): Promise<readonly [string, ...string[]] | null> {
  if (platform === 'darwin') return ['/usr/bin/open'];
  if (platform === 'win32') {
    const root = environment['SystemRoot'] ?? environment['SYSTEMROOT'] ?? 'C:\\Windows';
    return [join(root, 'System32', 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  }
  const found = await onPath('xdg-open', environment['PATH'] ?? '');
  return found === null ? null : [found];
}

/** Folders that the PATH names whole; a relative one could lie in the workspace. */
async function onPath(program: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(folder, program);
    const there = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return candidate;
  }
  return null;
}
