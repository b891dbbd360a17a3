/** Whether a program of this name can be started by it; the current directory is not looked at. */
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

export async function onPath(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Promise<boolean> {
  const path = environment['PATH'] ?? environment['Path'] ?? '';
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const candidates = path
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  const found = await Promise.all(
    candidates.map((candidate) =>
      access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
