/** Errors of the operating system in words that people read, with the file they are about. Pure. */

/** Null for an error that is none. `say` translates. */
export function systemErrorWords(
  error: unknown,
  say: (text: string, ...fill: string[]) => string,
): string | null {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return null;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : '';
  const code = String(error.code);
  const why = reason(code, say);
  return path === '' ? why : say('{0}: {1}', path, why);
}

function reason(code: string, say: (text: string, ...fill: string[]) => string): string {
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return say('It is not there.');
    case 'EACCES':
    case 'EPERM':
      return say('You have no permission for it.');
    case 'ENOSPC':
    case 'EDQUOT':
      return say('There is no room left on the disk.');
    case 'EROFS':
      return say('It is on a disk that cannot be written to.');
    case 'EMFILE':
    case 'ENFILE':
      return say('Too many files are open on this machine.');
    case 'EISDIR':
      return say('It is a folder, and a file was looked for.');
    default:
      return say('The system failed with {0}.', code);
  }
}
