/** What `@` and `/` offer in the chat's box. */
import * as vscode from 'vscode';
import type { Completion } from '../chat/protocol.ts';
import { COMPLETIONS } from '../limits.ts';

/** Beside what the editor's own settings leave out. */
const unsearched = '**/{node_modules,.git}/**';

/** Files and folders of the workspace whose path holds the characters of `query` in a row. */
export async function files(query: string): Promise<readonly Completion[]> {
  const name = query.replaceAll('\\', '/').split('/').at(-1) ?? '';
  const found = await vscode.workspace.findFiles(
    `**/*${anyCase(name)}*`,
    unsearched,
    COMPLETIONS * 4,
  );
  const wanted = query.replaceAll('\\', '/').toLowerCase();
  return found
    .filter((uri) => uri.scheme === 'file')
    .map((uri) => vscode.workspace.asRelativePath(uri))
    .filter((path) => path.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a, wanted) - rank(b, wanted) || (a < b ? -1 : 1))
    .slice(0, COMPLETIONS)
    .map((path) => {
      const cut = path.lastIndexOf('/') + 1;
      return {
        insert: `@${path}`,
        label: path.slice(cut),
        detail: path.slice(0, cut),
        icon: 'file',
        group: vscode.l10n.t('Files'),
      };
    });
}

/** Names that begin with the query before names that hold it, short paths before long ones. */
function rank(path: string, wanted: string): number {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const group = name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  return group * 10_000 + Math.min(path.length, 9999);
}

/** `text` as a glob that takes either case; what means something in a glob stands for itself. */
function anyCase(text: string): string {
  return [...text]
    .map((character) => {
      const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
      if (/[*?{}[\],!\\]/.test(character)) return '?';
      return lower === upper ? character : `[${lower}${upper}]`;
    })
    .join('');
}
