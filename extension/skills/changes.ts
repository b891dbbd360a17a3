/** What became of the skills between two looks, for a status line. */
import type { SkillEntry, SkillsView } from './skills.ts';

export interface SkillChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly unusable: readonly string[];
}

export function changesBetween(before: SkillsView, after: SkillsView): SkillChanges {
  const old = new Map(before.skills.map((entry) => [entry.record.path, entry]));
  const now = new Set(after.skills.map(({ record }) => record.path));
  const added: string[] = [];
  const changed: string[] = [];
  const unusable: string[] = [];
  for (const entry of after.skills) {
    const earlier = old.get(entry.record.path);
    const isUnusable = entry.report.state === 'unusable';
    if (isUnusable) {
      if (earlier?.report.state !== 'unusable') unusable.push(nameOf(entry));
    } else if (earlier === undefined) {
      added.push(nameOf(entry));
    } else if (earlier.report.state === 'unusable' || content(earlier) !== content(entry)) {
      changed.push(nameOf(entry));
    }
  }
  const removed = before.skills.filter(({ record }) => !now.has(record.path)).map(nameOf);
  return { added, changed, removed, unusable };
}

/** One sentence, or nothing where nothing changed. */
export function sentence(changes: SkillChanges): string {
  const said = [
    ['added', changes.added],
    ['changed', changes.changed],
    ['removed', changes.removed],
    ['unusable', changes.unusable],
  ] as const;
  const parts = said
    .filter(([, names]) => names.length > 0)
    .map(([verb, names]) => `${verb} ${names.join(', ')}`);
  return parts.length === 0 ? '' : `Skills: ${parts.join('; ')}.`;
}

function content({ record }: SkillEntry): string {
  const files = record.files.map(({ path, stamp }) => `${path} ${stamp}`);
  // What a server says of a skill may change without its files.
  return [...files, record.offered?.skill.frontMatter ?? ''].join('\n');
}

/** Bare only where it is a name; a folder's name is somebody else's text and stands in quotes. */
function nameOf({ report }: SkillEntry): string {
  return /^(?:[\w-]{1,64}:)?[\w./-]{1,128}$/.test(report.name)
    ? report.name
    : JSON.stringify(report.name);
}
