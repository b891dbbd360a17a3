/** Skills that the user asks for by name in a message, and what is said of a name that nothing has. */
import { SKILLS_ASKED_FOR } from '../limits.ts';
import { addressOf } from './offered.ts';
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
  const found = new Set<SkillEntry>();
  for (const name of namesIn(message)) {
    const entry = named(name, usable);
    if (entry !== undefined) found.add(entry);
  }
  return [...found].slice(0, SKILLS_ASKED_FOR);
}

/** The skills that a message names by `server:address`, each once. */
export function addressesIn(
  message: string,
): readonly { readonly name: string; readonly label: string; readonly uri: string }[] {
  return [...new Set(namesIn(message))].slice(0, SKILLS_ASKED_FOR).flatMap((name) => {
    const address = addressOf(name);
    return address === null ? [] : [{ name, ...address }];
  });
}

/** The skill of a name: its own, or where its server has it. */
export function named(name: string, entries: readonly SkillEntry[]): SkillEntry | undefined {
  const address = addressOf(name);
  if (address === null) return entries.find(({ report }) => report.name === name);
  return entries.find(
    ({ record }) =>
      record.source.label === address.label && record.offered?.skill.uri === address.uri,
  );
}

function namesIn(message: string): string[] {
  const mentions = message.matchAll(
    /(?:^|\s)@skill:([\w-]+:[A-Za-z][\w+.-]*:\/\/[^\s?#]*[\w/]|[\w-]+:[\w./-]*\w|[a-z0-9-]+)/g,
  );
  const names = [commandOf(message), ...Array.from(mentions, ([, name]) => name ?? null)];
  return names.filter((name) => name !== null);
}

/** The word behind `/` with which a message begins; null where it is a path, or nothing. */
export function commandOf(message: string): string | null {
  const command =
    /^\s*\/([A-Za-z0-9][\w-]*|[\w-]+:[\w./-]+|[\w-]+:[A-Za-z][\w+.-]*:\/\/[^\s?#]+)(?=\s|$)/;
  return command.exec(message)?.[1] ?? null;
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
  if (name === null) return null;
  const entry = named(name, entries);
  if (entry !== undefined && invokedBy(message, entries).includes(entry)) return null;
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
