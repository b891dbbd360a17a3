/** What the built-in tools share: files, what was read, what changes, and small things of the session. */
import type { Core } from '../../core.ts';
import type { WorkspaceFiles } from '../files.ts';
import type { Changes } from '../changes.ts';
import type { Settings } from '../settings.ts';
import type { RunEvent } from '../events.ts';

export interface Workbench {
  readonly core: Core;
  readonly files: WorkspaceFiles;
  readonly reads: Reads;
  /** Where a change is recorded before it is made. */
  readonly changes: Changes;
  readonly settings: () => Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly ripgrep: () => Promise<string | null>;
  /** Characters that a result may have: of the setting, and of the window. */
  readonly resultChars: () => number;
  readonly emit: (event: RunEvent) => void;
  readonly diagnostics: (paths: readonly string[], signal: AbortSignal) => Promise<string>;
}

/** Which files were read, by the digest of what was seen: an edit needs an up-to-date read. */
export class Reads {
  readonly #digests = new Map<string, string>();

  note(path: string, digest: string): void {
    this.#digests.set(path, digest);
  }

  of(path: string): string | null {
    return this.#digests.get(path) ?? null;
  }

  clear(): void {
    this.#digests.clear();
  }
}
