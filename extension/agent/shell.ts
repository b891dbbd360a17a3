/** The user's shell: which one, and how it takes a command line. */
import { win32 } from 'node:path';
import type { ShellKind } from '../core.ts';

export interface Shell {
  readonly kind: ShellKind;
  /** What is spawned. */
  readonly file: string;
  /** Its name for people and models, such as `bash`. */
  readonly name: string;
  argv(line: string): readonly string[];
  /** The argv is one string that Windows passes on as it is. */
  readonly verbatim: boolean;
}

/** `chosen` is the setting, empty for the user's own. */
export function shellOf(
  chosen: string,
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Shell {
  const windows = platform === 'win32';
  const root = environment['SystemRoot'] ?? environment['SYSTEMROOT'] ?? 'C:\\Windows';
  const file =
    chosen !== ''
      ? chosen
      : windows
        ? win32.join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe')
        : (environment['SHELL'] ?? '/bin/sh');
  const name = (windows ? win32.basename(file) : file.slice(file.lastIndexOf('/') + 1))
    .toLowerCase()
    .replace(/\.exe$/u, '');
  if (name === 'powershell' || name === 'pwsh') {
    return {
      kind: 'powerShell',
      file,
      name,
      argv: (line) => ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', line],
      verbatim: false,
    };
  }
  if (name === 'cmd') {
    // /s takes the outer quotes away and nothing else.
    return {
      kind: 'cmd',
      file,
      name,
      argv: (line) => ['/d', '/s', '/c', `"${line}"`],
      verbatim: true,
    };
  }
  return { kind: 'posix', file, name, argv: (line) => ['-c', line], verbatim: false };
}
