/** Where the editor's own ripgrep may stand: it moved over its versions. Pure. */
import { join } from 'node:path';

export function ripgrep(
  appRoot: string,
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): readonly string[] {
  const program = platform === 'win32' ? 'rg.exe' : 'rg';
  return [
    join('node_modules', '@vscode', 'ripgrep-universal', 'bin', `${platform}-${arch}`),
    join('node_modules', '@vscode', 'ripgrep', 'bin'),
    join('node_modules.asar.unpacked', '@vscode', 'ripgrep', 'bin'),
  ].map((folder) => join(appRoot, folder, program));
}
