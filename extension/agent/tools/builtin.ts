/** The tools that are always there, in the order in which they are sent. */
import type { Tool } from '../tool.ts';
import { editFileTool } from './edit-file.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listDirTool } from './list-dir.ts';
import { readFileTool } from './read-file.ts';
import { runCommandTool } from './run-command.ts';
import { todoWriteTool } from './todo-write.ts';
import type { Workbench } from './workbench.ts';
import { writeFileTool } from './write-file.ts';

export function builtinTools(bench: Workbench): readonly Tool[] {
  return [
    readFileTool(bench),
    listDirTool(bench),
    globTool(bench),
    grepTool(bench),
    editFileTool(bench),
    writeFileTool(bench),
    runCommandTool(bench),
    todoWriteTool(bench),
  ];
}
