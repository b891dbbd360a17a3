/** A skill's text for a person: whole, allowed or not, or as a model would get it. */
import type { Core, Disclosed } from '../core.ts';
import type { SkillEntry, Skills } from './skills.ts';
import { errorCode } from '../error-code.ts';

export interface TextWanted {
  /** As a person or a model writes it; null for the body. */
  readonly resource: string | null;
  /** Which part as a model gets it; null for the whole text as it is. */
  readonly part: number | null;
  readonly contextWindow: number;
}

export async function readText(
  core: Core,
  skills: Skills,
  { record, report }: SkillEntry,
  { resource, part, contextWindow }: TextWanted,
): Promise<{ kind: 'text'; text: string } | { kind: 'refused'; message: string }> {
  let path = record.fileName;
  if (resource !== null) {
    try {
      path = core.resourcePath(resource);
    } catch (error) {
      if (errorCode(error) === null || !(error instanceof Error)) throw error;
      return { kind: 'refused', message: `${error.message}.` };
    }
    if (!record.files.some((file) => file.path === path)) {
      return { kind: 'refused', message: `The skill has no file ${JSON.stringify(resource)}.` };
    }
  }
  const read = await skills.anyFile(record, path);
  if (read.kind === 'unreachable') return { kind: 'refused', message: read.message };
  if (read.kind === 'changed') return { kind: 'refused', message: otherThanListed };
  if (read.kind !== 'read') return { kind: 'refused', message: 'The file cannot be read.' };
  const of = { name: report.name, origin: record.source.origin, part, contextWindow };
  if (resource !== null) {
    return part === null
      ? { kind: 'text', text: core.fileText(path, read.bytes) ?? notText }
      : given(core.loadResource({ of, resource: path }, read.bytes));
  }
  const { body } = core.parseSkill(read.bytes, report.name);
  if (part === null) return { kind: 'text', text: body };
  const files = record.files
    .filter((file) => file.path !== record.fileName)
    .map(({ path: file, size }) => ({ path: file, size }));
  return given(core.loadBody({ of, body, files }));
}

const otherThanListed = 'The server gave something else than it had listed; it is not shown.';

const notText = 'This file is not text.';

function given(
  disclosed: Disclosed,
): { kind: 'text'; text: string } | { kind: 'refused'; message: string } {
  return disclosed.kind === 'text'
    ? { kind: 'text', text: disclosed.text }
    : { kind: 'refused', message: disclosed.message };
}
