/** The commands of the manifest: each calls one small thing that it is handed. */
import * as vscode from 'vscode';
import { commandIds, type CommandId } from './command-ids.ts';
import type { TreeNode } from './tree-node.ts';

/** What a command does. Commands on a row of a tree get that row. */
export type Commands = Readonly<Record<CommandId, (row?: TreeNode) => unknown>>;

/** Registers all of them; a failure is said to the user, once, and logged whole. */
export function registerCommands(
  commands: Commands,
  failed: (command: string, error: unknown) => void,
): vscode.Disposable {
  return vscode.Disposable.from(
    ...commandIds.map((id) =>
      vscode.commands.registerCommand(`gbsAgent.${id}`, async (row?: TreeNode) => {
        try {
          await commands[id](row);
        } catch (error) {
          failed(id, error);
        }
      }),
    ),
  );
}
