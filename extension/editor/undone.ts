/** What undoing a turn did, in one line. */
import { l10n } from 'vscode';
import type { UndoneFile } from '../agent/session.ts';
import { shortPath } from './surroundings.ts';

export function undoneWords(files: readonly UndoneFile[]): string {
  const of = (what: UndoneFile['what']): readonly UndoneFile[] =>
    files.filter((file) => file.what === what);
  const [back, gone, kept] = [of('putBack').length, of('remove').length, of('keep')];
  return [
    back === 0 ? '' : back === 1 ? l10n.t('1 file put back') : l10n.t('{0} files put back', back),
    gone === 0 ? '' : gone === 1 ? l10n.t('1 file removed') : l10n.t('{0} files removed', gone),
    ...kept.map(({ path, note }) => l10n.t('kept {0}: {1}', shortPath(path), note)),
  ]
    .filter((part) => part !== '')
    .join(', ');
}
