/**
 * Puts back what a turn changed. In: the turn's journal and what stands there now. Out: for each file
 * what would happen, then what did. What changed since is kept: where it does not overlap with the
 * turn's change, only that change is taken out; else the file stays as it is. Every file that is
 * removed or replaced is copied first.
 */
import { rm } from 'node:fs/promises';
import { applyPatch, structuredPatch } from 'diff';
import { DIFF_EDITS, TEXT_FILE_BYTES } from '../limits.ts';
import type { Blobs } from './blobs.ts';
import { isChange, type ChangedFile } from './changes.ts';
import { difference } from './difference.ts';
import { digest, type Place, type WorkspaceFiles } from './files.ts';
import { bytesOf, textOf } from './text-file.ts';
import { ToolRefusal } from './tool.ts';

/** What undoing a turn would do, or did, to one file. */
export interface UndoneFile {
  /** Absolute. */
  readonly path: string;
  /** `keep`: it stays as it is, and `note` says why. */
  readonly what: 'putBack' | 'remove' | 'keep';
  /** In our words; may be empty. */
  readonly note: string;
}

interface Step extends UndoneFile {
  readonly place: Place | null;
  /** What stands there now; null for nothing. */
  readonly now: Buffer | null;
  /** What will stand there; null for nothing. */
  readonly then: Buffer | null;
}

export class Undo {
  readonly #files: WorkspaceFiles;
  readonly #blobs: Blobs;

  constructor(files: WorkspaceFiles, blobs: Blobs) {
    this.#files = files;
    this.#blobs = blobs;
  }

  /** What undoing would do; nothing is changed. */
  async plan(changed: readonly ChangedFile[]): Promise<readonly UndoneFile[]> {
    return (await this.#steps(changed)).map(shown);
  }

  /** Undoes, and says what was done. */
  async undo(changed: readonly ChangedFile[]): Promise<readonly UndoneFile[]> {
    const done: UndoneFile[] = [];
    for (const step of await this.#steps(changed)) {
      done.push(
        step.what === 'keep' || step.place === null
          ? shown(step)
          : await this.#apply(step, step.place),
      );
    }
    return done;
  }

  async #steps(changed: readonly ChangedFile[]): Promise<readonly Step[]> {
    const steps = await Promise.all(changed.filter(isChange).map((file) => this.#step(file)));
    return steps.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #step(file: ChangedFile): Promise<Step> {
    const keep = (note: string): Step => ({
      path: file.path,
      what: 'keep',
      note,
      place: null,
      now: null,
      then: null,
    });
    if (file.before === 'unknown') return keep('no copy from before was kept');
    try {
      const place = await this.#files.place(file.path, 'write');
      if (place.path !== file.path) return keep('it is a link now');
      if (place.kind !== 'file' && place.kind !== 'absent') return keep('it is no file now');
      const now = place.kind === 'absent' ? null : await this.#files.read(place, TEXT_FILE_BYTES);
      const before = file.before === null ? null : await this.#blobs.get(file.before);
      if (before === null && file.before !== null) return keep('the copy from before is gone');
      return await this.#decided(file, place, before, now);
    } catch (error) {
      if (error instanceof ToolRefusal) return keep(error.message);
      throw error;
    }
  }

  async #decided(
    file: ChangedFile,
    place: Place,
    before: Buffer | null,
    now: Buffer | null,
  ): Promise<Step> {
    const step = (what: UndoneFile['what'], note: string, then: Buffer | null): Step => ({
      path: file.path,
      what,
      note,
      place,
      now,
      then,
    });
    const nowName = now === null ? null : digest(now);
    if (nowName === file.before) return step('keep', 'it is as it was before', now);
    if (nowName === file.after) {
      if (before === null) return step('remove', 'new file; a copy is kept', null);
      return step('putBack', file.after === null ? 'it was removed' : '', before);
    }
    if (now === null) return step('keep', 'it was removed since', null);
    if (before === null || file.after === null || file.after === 'unknown') {
      return step('keep', 'it changed since', now);
    }
    const after = await this.#blobs.get(file.after);
    const merged = after === null ? null : withoutChange(before, after, now);
    if (merged === null) return step('keep', 'it changed since in the same place', now);
    return step(
      'putBack',
      `keeps ${merged.lines} later ${merged.lines === 1 ? 'line' : 'lines'}`,
      merged.data,
    );
  }

  async #apply(step: Step, place: Place): Promise<UndoneFile> {
    try {
      if (step.now !== null) await this.#blobs.put(step.now);
      if (step.then === null) {
        const still = await this.#files.read(place, TEXT_FILE_BYTES);
        if (step.now === null || !still.equals(step.now)) {
          return { path: step.path, what: 'keep', note: 'it changed a moment ago' };
        }
        await rm(place.path);
      } else {
        await this.#files.write(place, step.then, step.now === null ? null : digest(step.now));
      }
      return shown(step);
    } catch (error) {
      if (error instanceof ToolRefusal) {
        return { path: step.path, what: 'keep', note: error.message };
      }
      throw error;
    }
  }
}

function shown({ path, what, note }: UndoneFile): UndoneFile {
  return { path, what, note };
}

/** `now` without what led from `before` to `after`; null where later changes stand in its way. */
function withoutChange(
  before: Buffer,
  after: Buffer,
  now: Buffer,
): { readonly data: Buffer; readonly lines: number } | null {
  const [old, fresh, current] = [textOf(before), textOf(after), textOf(now)];
  if (old.kind !== 'text' || fresh.kind !== 'text' || current.kind !== 'text') return null;
  if (!old.faithful || !fresh.faithful || !current.faithful) return null;
  const patch = structuredPatch('', '', fresh.text, old.text, '', '', {
    context: 3,
    maxEditLength: DIFF_EDITS,
  });
  if (patch === undefined) return null;
  const merged = applyPatch(current.text, patch, { autoConvertLineEndings: false });
  if (merged === false) return null;
  const kept = difference(fresh.text, current.text);
  return { data: bytesOf(merged, current.encoding), lines: kept.added };
}
