/** The editor's own file watchers, as the small function that skills and servers are handed. */
import * as vscode from 'vscode';

/** Watches folders and everything below, whether they exist yet or not. */
export function watchFolders(folders: readonly string[], changed: () => void): vscode.Disposable {
  return watch(
    folders.map((folder) => [folder, '**']),
    changed,
  );
}

/** Watches single files, whether they exist yet or not. */
export function watchFiles(
  files: readonly { readonly folder: string; readonly name: string }[],
  changed: () => void,
): vscode.Disposable {
  return watch(
    files.map(({ folder, name }) => [folder, name]),
    changed,
  );
}

function watch(
  patterns: readonly (readonly [folder: string, glob: string])[],
  changed: () => void,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...patterns.flatMap(([folder, glob]) => {
      const watcher = vscode.workspace.createFileSystemWatcher(
        new vscode.RelativePattern(vscode.Uri.file(folder), glob),
      );
      return [
        watcher,
        watcher.onDidCreate(changed),
        watcher.onDidChange(changed),
        watcher.onDidDelete(changed),
      ];
    }),
  );
}
