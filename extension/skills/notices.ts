/** What a person is told about skills that cannot be used: once each, in the chat or the terminal. */
import { join } from 'node:path';
import type { Notice } from '../agent/events.ts';
import { SKILL_NOTICES } from '../limits.ts';
import type { SkillEntry, SkillsView } from './skills.ts';

/** Each notice with what it is about: while that stays the same it is not said again. */
export type SkillNotice = Notice & { readonly about: string };

export function skillNotices(view: SkillsView): readonly SkillNotice[] {
  const folders = view.problems.map(({ path, message }) =>
    notice(`${path}: ${message}`, `${path} cannot be read.`, message, ''),
  );
  const out = view.skills.filter(
    ({ report }) => report.state === 'unusable' || report.state === 'overLimit',
  );
  const about = out.map((entry) => `${entry.record.path}: ${entry.report.text}`);
  // A repository full of broken skills must not bury the chat.
  if (out.length > SKILL_NOTICES) {
    const names = out.map(nameOf).join(', ');
    const fact = `${String(out.length)} skills cannot be used: ${names}.`;
    const why = 'The Skills view, or gbs skills check, says why for each.';
    return [...folders, notice(about.join('\n'), fact, '', why)];
  }
  return [...folders, ...out.map((entry, k) => skillNotice(entry, about[k] ?? ''))];
}

function skillNotice(entry: SkillEntry, about: string): SkillNotice {
  const fact = `The skill ${nameOf(entry)} cannot be used.`;
  const problem = entry.problems.find(({ severity }) => severity === 'error');
  const file = join(entry.record.path, entry.record.fileName);
  if (problem === undefined) return notice(about, fact, entry.report.text, `It is ${file}.`);
  return notice(about, fact, problem.message, `See ${file}, line ${String(problem.start.line)}.`);
}

function nameOf({ record, report }: SkillEntry): string {
  return report.name || record.path;
}

function notice(about: string, fact: string, cause: string, remedy: string): SkillNotice {
  return {
    about,
    code: 'skill-unusable',
    severity: 'warning',
    fact,
    cause,
    remedy,
    lasting: false,
    actions: [],
  };
}
