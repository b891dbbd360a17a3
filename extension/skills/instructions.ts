/**
 * A project's own instructions files, as they lie in the workspace folders. They are words of the
 * repository, so they go under the same consent as its skills.
 */
import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Workspace } from '../agent/contributor.ts';
import type { Core } from '../core.ts';
import type { ConsentItem } from './consent.ts';
import { type ContainedFiles } from './files.ts';
import { sha256 } from './library.ts';
import { INSTRUCTIONS_BYTES } from '../limits.ts';
import type { FolderProblem } from './sources.ts';
import { errorCode } from '../error-code.ts';

export interface InstructionsRecord {
  /** Relative to its workspace folder; where there are several folders, that folder's name first. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly item: ConsentItem;
}

const names = ['AGENTS.md', 'CLAUDE.md', '.gbs/instructions.md'];

export function readInstructions(
  { core, files }: { readonly core: Core; readonly files: ContainedFiles },
  workspace: Workspace,
): {
  readonly found: readonly InstructionsRecord[];
  readonly problems: readonly FolderProblem[];
} {
  const found: InstructionsRecord[] = [];
  const problems: FolderProblem[] = [];
  if (!workspace.trusted) return { found, problems };
  for (const workspaceFolder of workspace.folders) {
    const real = folderOf(workspaceFolder);
    if (real === null) continue;
    for (const name of names) {
      const file = join(workspaceFolder, ...name.split('/'));
      const read = files.read(real, join(real, ...name.split('/')), INSTRUCTIONS_BYTES);
      if (read.kind === 'missing') continue;
      const text = read.kind === 'read' ? core.fileText(name, read.bytes) : undefined;
      if (read.kind !== 'read' || text === undefined) {
        problems.push(notUsed(file, read.kind));
        continue;
      }
      found.push({
        path: workspace.folders.length > 1 ? `${basename(workspaceFolder)}/${name}` : name,
        file,
        text,
        bytes: read.bytes,
        item: {
          key: `instructions:${name}`,
          workspaceFolder,
          files: [{ path: name, sha256: sha256(read.bytes) }],
        },
      });
    }
  }
  return { found, problems };
}

function folderOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return null;
  }
}

function notUsed(
  path: string,
  why: 'read' | 'outside' | 'notAFile' | 'tooLarge' | 'unreadable',
): FolderProblem {
  const cause = {
    read: 'it is not text',
    outside: 'it is a link that leads out of the workspace folder',
    notAFile: 'it is not a file',
    tooLarge: `it is larger than ${String(INSTRUCTIONS_BYTES / 1024)} KiB`,
    unreadable: 'it cannot be read',
  }[why];
  return {
    path,
    code: 'instructions-not-used',
    message: `These instructions are not used: ${cause}.`,
  };
}
