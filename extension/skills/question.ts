/**
 * What the consent card needs to know: the text of every file that waits, and how it differs from the
 * version that was allowed. The core makes the card of it.
 */
import { basename, join } from 'node:path';
import { difference } from '../agent/difference.ts';
import type { ConsentFile, ConsentQuestion, ConsentSkill, Core, FileDigest } from '../core.ts';
import { day } from '../day.ts';
import type { Earlier } from './consent.ts';
import type { ApprovedCopies } from './copies.ts';
import type { InstructionsRecord } from './instructions.ts';
import { apartFromHeader, headerCopy, shownHeader } from './offered.ts';
import { type SkillLibrary, type SkillRecord, sha256 } from './library.ts';

export interface WaitingSkill {
  readonly record: SkillRecord;
  readonly digests: readonly FileDigest[];
  readonly workspaceFolder: string;
  readonly earlier: Earlier | null;
  /** The real folder, where that is outside of the workspace. */
  readonly outside: string | null;
}

export interface WaitingInstructions {
  readonly record: InstructionsRecord;
  readonly earlier: Earlier | null;
}

export interface QuestionParts {
  readonly core: Core;
  readonly library: SkillLibrary;
  readonly copies: ApprovedCopies;
  readonly now: () => Date;
}

/** The texts that a yes would cover, for keeping copies, by digest. */
export type Texts = ReadonlyMap<string, { readonly folder: string; readonly bytes: Uint8Array }>;

/**
 * The question, or null when a file is no longer what was read: then everything is to be read again,
 * so that nobody is shown one thing and allows another.
 */
export async function consentQuestion(
  parts: QuestionParts,
  skills: readonly WaitingSkill[],
  instructions: readonly WaitingInstructions[],
): Promise<{ readonly question: ConsentQuestion; readonly texts: Texts } | null> {
  const texts = new Map<string, { folder: string; bytes: Uint8Array }>();
  const asked: ConsentSkill[] = [];
  for (const skill of skills) {
    const files = await skillFiles(parts, skill, texts);
    if (files === null) return null;
    const { record, earlier } = skill;
    asked.push({
      name: record.parsed.name ?? '',
      origin: record.source.origin,
      label: record.source.label,
      files,
      allowedTools: record.parsed.fields.allowedTools,
      approvedOn: earlier === null ? null : day(earlier.at, parts.now()),
      outside: skill.outside,
      header: record.offered === undefined ? null : shownHeader(record.offered),
    });
  }
  const files: ConsentFile[] = [];
  for (const { record, earlier } of instructions) {
    const [digest] = record.item.files;
    if (digest === undefined) continue;
    const { workspaceFolder } = record.item;
    texts.set(digest.sha256, { folder: workspaceFolder, bytes: record.bytes });
    const before = earlier?.files.find(({ path }) => path === digest.path);
    files.push({
      path: record.path,
      place: record.file,
      state: earlier === null ? 'new' : 'changed',
      text: record.text,
      diff: before === undefined ? null : await hunks(parts, workspaceFolder, before, record.text),
    });
  }
  return { question: { skills: asked, instructions: files }, texts };
}

async function skillFiles(
  parts: QuestionParts,
  { record, digests, workspaceFolder, earlier }: WaitingSkill,
  texts: Map<string, { folder: string; bytes: Uint8Array }>,
): Promise<ConsentFile[] | null> {
  const changes = parts.core.compareSkillFiles([...(earlier?.files ?? [])], [...digests]);
  const { files: ofFiles, header } = apartFromHeader(changes);
  const kept = headerCopy(record.offered, digests);
  if (kept !== null) {
    const bytes = Buffer.from(kept.text);
    texts.set(kept.digest.sha256, { folder: workspaceFolder, bytes });
  }
  const files: ConsentFile[] = [];
  for (const { path, state } of ofFiles) {
    const place = join(record.path, ...path.split('/'));
    const before = earlier?.files.find((file) => file.path === path);
    if (state === 'removed') {
      const diff = before === undefined ? null : await hunks(parts, workspaceFolder, before, '');
      files.push({ path, place, state, text: null, diff });
      continue;
    }
    // A server's file is not fetched before it is needed: its digest is what is asked about.
    if (record.offered !== undefined) {
      const isHeaders = path === record.fileName && earlier !== null && kept !== null;
      if (!isHeaders || header === null || header.state === 'same') {
        files.push({ path, place: '', state, text: null, diff: null });
        continue;
      }
      // The header stands in that file, and is all that is known of its text.
      const old = earlier.files.find((file) => file.path === kept.digest.path);
      const diff = old === undefined ? null : await hunks(parts, workspaceFolder, old, kept.text);
      const shown = state === 'same' ? `${path} (its header)` : path;
      files.push({ path: shown, place: '', state: 'changed', text: null, diff });
      continue;
    }
    const digest = digests.find((file) => file.path === path);
    const read = parts.library.file(record, path);
    if (read.kind !== 'read' || sha256(read.bytes) !== digest?.sha256) return null;
    const text = parts.core.fileText(path, read.bytes) ?? null;
    if (text !== null) texts.set(digest.sha256, { folder: workspaceFolder, bytes: read.bytes });
    const diff =
      state === 'changed' && before !== undefined && text !== null
        ? await hunks(parts, workspaceFolder, before, text)
        : null;
    files.push({ path, place, state, text, diff });
  }
  const main = ofFiles.findIndex(({ path }) => path === record.fileName);
  return main < 1 ? files : [...files.splice(main, 1), ...files];
}

/** The hunks that lead from the allowed text to this one; null where no copy of it is left. */
async function hunks(
  { core, copies }: QuestionParts,
  workspaceFolder: string,
  before: FileDigest,
  text: string,
): Promise<string | null> {
  const copy = await copies.read(workspaceFolder, before.sha256);
  if (copy === null || sha256(copy) !== before.sha256) return null;
  const old = core.fileText(basename(before.path), copy);
  return old === undefined ? null : difference(old, text).text;
}
