/** Skills that the user asks for by name in a message, and what is said of a name that nothing has. */
import { SKILLS_ASKED_FOR } from '../limits.ts';
import type { SkillEntry } from './skills.ts';
import { loadable } from './tool.ts';

/** How `@` names a skill in a message: a file's path has no such beginning. */
export const mentionStart = '@skill:';

/**
 * The skills that a message names, by `/name` at its start or `@skill:name` anywhere, where the user may
 * load them so: they are allowed and used, also where the model is not told of them. Each once.
 */
export function invokedBy(message: string, entries: readonly SkillEntry[]): readonly SkillEntry[] {
  const usable = invocable(entries);
  const mentions = message.matchAll(/(?:^|\s)@skill:((?:[\w-]+:[\w./-]*\w)|[a-z0-9-]+)/g);
  const names = [commandOf(message), ...Array.from(mentions, ([, name]) => name ?? null)];
  const found = new Set<SkillEntry>();
  for (const name of names) {
    const entry = usable.find(({ report }) => report.name === name);
    if (entry !== undefined) found.add(entry);
  }
  return [...found].slice(0, SKILLS_ASKED_FOR);
}

/** The word behind `/` with which a message begins; null where it is a path, or nothing. */
export function commandOf(message: string): string | null {
  return /^\s*\/([A-Za-z0-9][\w-]*|[\w-]+:[\w./-]+)(?=\s|$)/.exec(message)?.[1] ?? null;
}

/**
 * Why the `/word` of a message loads nothing, in sentences; null where it does, where the message has
 * none, and where the user is asked about the skill first.
 */
export function notInvoked(
  message: string,
  entries: readonly SkillEntry[],
): { readonly fact: string; readonly cause: string } | null {
  const name = commandOf(message);
  if (name === null || invokedBy(message, entries).some(({ report }) => report.name === name)) {
    return null;
  }
  const entry = entries.find(({ report }) => report.name === name);
  if (entry === undefined) {
    return { fact: `There is no skill or command named /${name}.`, cause: '' };
  }
  if (entry.report.state === 'heldBack') return null;
  return {
    fact: `/${name} loads nothing.`,
    cause: isInvocable(entry)
      ? `The skill ${name} stands so: ${entry.report.text}.`
      : 'Its header says that only the model loads it.',
  };
}

/** The skills that the user may load by name, in their order. */
export function invocable(entries: readonly SkillEntry[]): readonly SkillEntry[] {
  const everyone = new Set(entries.map(({ report }) => report.name));
  return loadable(entries, everyone).filter(isInvocable);
}

/** Does the skill let the user load it? */
export function isInvocable({ record }: Pick<SkillEntry, 'record'>): boolean {
  return record.parsed.fields.userInvocable;
}
