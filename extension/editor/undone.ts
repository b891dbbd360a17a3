/** What undoing a turn did, in one line. */
import { relative } from 'node:path';
import { l10n } from 'vscode';
import type { UndoneFile } from '../agent/session.ts';

export function undoneWords(files: readonly UndoneFile[], folders: readonly string[]): string {
  const of = (what: UndoneFile['what']): readonly UndoneFile[] =>
    files.filter((file) => file.what === what);
  const [back, gone, kept] = [of('putBack').length, of('remove').length, of('keep')];
  const short = (path: string): string => {
    const names = folders.map((folder) => relative(folder, path));
    return names.find((name) => !name.startsWith('..')) ?? path;
  };
  return [
    back === 0 ? '' : back === 1 ? l10n.t('1 file put back') : l10n.t('{0} files put back', back),
    gone === 0 ? '' : gone === 1 ? l10n.t('1 file removed') : l10n.t('{0} files removed', gone),
    ...kept.map(({ path, note }) => l10n.t('kept {0}: {1}', short(path), note)),
  ]
    .filter((part) => part !== '')
    .join(', ');
}
