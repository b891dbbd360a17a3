/**
 * Errors that the language servers newly report after an edit. Only files that are open in the
 * editor are looked at: for the others most language servers know nothing, and what they find when a
 * file is opened is not new.
 */
import * as vscode from 'vscode';
import { pathBelow } from '../agent/folder-names.ts';
import { ERRORS_FIRST_MS, ERRORS_QUIET_MS } from '../limits.ts';
import { workspace } from './surroundings.ts';

/** One line an error, or empty. `paths` were written just now. */
export async function newErrors(paths: readonly string[], signal: AbortSignal): Promise<string> {
  const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  const uris = paths.map((path) => vscode.Uri.file(path)).filter((uri) => open.has(`${uri}`));
  if (uris.length === 0) return '';
  const before = new Set(uris.flatMap(errors).map(({ key }) => key));
  await settled(uris, signal);
  return uris
    .flatMap(errors)
    .filter(({ key }) => !before.has(key))
    .map(({ line }) => line)
    .join('\n');
}

function errors(uri: vscode.Uri): { readonly key: string; readonly line: string }[] {
  const path = pathBelow(uri.fsPath, workspace().folders);
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ severity }) => severity === vscode.DiagnosticSeverity.Error)
    .map(({ message, source, range }) => ({
      // An error that only moved is not new.
      key: JSON.stringify([`${uri}`, source, message]),
      line: `${path}:${range.start.line + 1}: ${message}`,
    }));
}

/** Waits for findings about these files, then until no more come. */
function settled(uris: readonly vscode.Uri[], signal: AbortSignal): Promise<void> {
  const ours = new Set(uris.map(String));
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      listener.dispose();
      signal.removeEventListener('abort', end);
      resolve();
    };
    let timer = setTimeout(end, ERRORS_FIRST_MS);
    const listener = vscode.languages.onDidChangeDiagnostics((event) => {
      if (!event.uris.some((uri) => ours.has(uri.toString()))) return;
      clearTimeout(timer);
      timer = setTimeout(end, ERRORS_QUIET_MS);
    });
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
