/**
 * Puts back what turns changed, the newest first. In: their journals and what stands there now. Out: for each file
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

  /** What undoing these turns, the newest first, would do; nothing is changed. */
  async plan(turns: readonly (readonly ChangedFile[])[]): Promise<readonly UndoneFile[]> {
    return (await this.#steps(turns)).map(shown);
  }

  /** Undoes them, and says what was done. */
  async undo(turns: readonly (readonly ChangedFile[])[]): Promise<readonly UndoneFile[]> {
    const done: UndoneFile[] = [];
    for (const step of await this.#steps(turns)) {
      done.push(
        step.what === 'keep' || step.place === null
          ? shown(step)
          : await this.#apply(step, step.place),
      );
    }
    return done;
  }

  async #steps(turns: readonly (readonly ChangedFile[])[]): Promise<readonly Step[]> {
    const changes = new Map<string, ChangedFile[]>();
    for (const file of turns.flat().filter(isChange)) {
      const own = changes.get(file.path) ?? [];
      own.push(file);
      changes.set(file.path, own);
    }
    const steps = await Promise.all([...changes].map(([path, own]) => this.#step(path, own)));
    return steps.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** All changes of a file, the newest first: all of them are taken back, or none. */
  async #step(path: string, changes: readonly ChangedFile[]): Promise<Step> {
    const keep = (note: string): Step => ({
      path,
      what: 'keep',
      note,
      place: null,
      now: null,
      then: null,
    });
    try {
      const place = await this.#files.place(path, 'write');
      if (place.path !== path) return keep('it is a link now');
      if (place.kind !== 'file' && place.kind !== 'absent') return keep('it is not a file now');
      const now = place.kind === 'absent' ? null : await this.#files.read(place, TEXT_FILE_BYTES);
      let step: Step | null = null;
      for (const file of changes) {
        if (file.before === 'unknown') return keep('no copy from before was kept');
        const before = file.before === null ? null : await this.#blobs.get(file.before);
        if (before === null && file.before !== null) return keep('the copy from before is gone');
        const next = await this.#decided(file, place, before, step === null ? now : step.then);
        if (next.what === 'keep' && !same(next.then, before)) return keep(next.note);
        step = joined(step, next);
      }
      if (step === null || same(now, step.then)) return keep('it is as it was before');
      return { ...step, now };
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

function same(one: Buffer | null, other: Buffer | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}

/** What a step that follows another one comes to, seen from before both. */
function joined(first: Step | null, next: Step): Step {
  if (first === null || first.what === 'keep') return next;
  return next.what === 'keep'
    ? first
    : { ...next, note: next.note === '' ? first.note : next.note };
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
