/**
 * The Skills view, as data: every skill by where it comes from, its state and reason first, its cost
 * after it. What is held back can be reviewed, what cannot be used says why.
 */
import type { ReportedSkill, SkillOrigin, SkillState } from '../core.ts';
import { never } from '../never.ts';
import type { InstructionsEntry, SkillEntry, SkillsView } from '../skills/skills.ts';
import { color, node, type TreeNode } from './tree-node.ts';

export interface SkillTreeParts {
  /** Draws hidden characters as marks. */
  visible(text: string): string;
  /** Fills `{0}` … of one of our sentences, in the user's language. */
  say(text: string, ...values: (string | number)[]): string;
}

const origins: readonly SkillOrigin[] = ['project', 'package', 'user', 'server'];

export function skillTree(view: SkillsView, parts: SkillTreeParts): readonly TreeNode[] {
  return [
    ...origins.flatMap((origin) => group(origin, view, parts)),
    ...instructions(view.instructions, parts),
  ];
}

/** What stands after the state's word in the chat's list: the reason alone, where the word is ours. */
export function shownReason({ state, why, text }: ReportedSkill): string {
  switch (state) {
    case 'hidden':
    case 'heldBack':
    case 'unusable':
      return why;
    case 'full':
    case 'shortened':
    case 'userOnly':
    case 'shadowed':
    case 'overLimit':
      return text;
    default:
      return never(state);
  }
}

function group(origin: SkillOrigin, view: SkillsView, parts: SkillTreeParts): readonly TreeNode[] {
  const skills = view.skills.filter(({ record }) => record.source.origin === origin);
  if (skills.length === 0) return [];
  const labels = [...new Set(skills.map(({ record }) => record.source.label))];
  const count = skills.length === 1 ? parts.say('1 skill') : parts.say('{0} skills', skills.length);
  const only =
    labels.length === 1 && origin !== 'package' && origin !== 'server' ? labels[0] : undefined;
  return [
    node({
      id: `origin:${origin}`,
      ...originWords(origin, parts),
      description: only === undefined ? count : `${parts.visible(only)}, ${count}`,
      tooltip: labels.map(parts.visible).join('\n'),
      open: true,
      children: skills.map((entry) =>
        skill(entry, labels.length > 1 && origin !== 'server', parts),
      ),
    }),
  ];
}

function skill(entry: SkillEntry, named: boolean, parts: SkillTreeParts): TreeNode {
  const { record, report, consent } = entry;
  const { icon, tint } = stateLook(report.state);
  const name = parts.visible(report.name);
  const fits = report.fits && report.state === 'full' ? parts.say('fits the open file') : '';
  return node({
    id: `skill:${record.path}`,
    label: name,
    description: [fits, parts.visible(report.text), named ? parts.visible(record.source.label) : '']
      .filter((part) => part !== '')
      .join(', '),
    tooltip: [
      name,
      parts.visible(record.parsed.description ?? ''),
      parts.visible(report.why),
      record.offered?.skill.root ?? record.path,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
    icon,
    color: tint,
    context: [
      'skill',
      report.state === 'heldBack' ? 'approve' : '',
      consent?.standing.kind === 'allowed' ? 'revoke' : '',
      record.offered === undefined ? '' : 'server',
      record.source.workspaceFolder === null || record.offered !== undefined ? '' : 'workspace',
    ]
      .filter((word) => word !== '')
      .join(' '),
    place:
      record.offered === undefined ? { path: `${record.path}/${record.fileName}`, line: 1 } : null,
    problems: entry.problems.length > 0,
    subject: report.name,
  });
}

function instructions(
  entries: readonly InstructionsEntry[],
  parts: SkillTreeParts,
): readonly TreeNode[] {
  if (entries.length === 0) return [];
  return [
    node({
      id: 'instructions',
      label: parts.say('Project instructions'),
      description:
        entries.length === 1 ? parts.say('1 file') : parts.say('{0} files', entries.length),
      icon: 'note',
      open: true,
      children: entries.map(({ record, standing }) =>
        node({
          id: `instructions:${record.file}`,
          label: parts.visible(record.path),
          description: standing.kind === 'allowed' ? parts.say('used') : parts.say('waits for you'),
          tooltip: record.file,
          icon: standing.kind === 'allowed' ? 'note' : 'lock',
          color: standing.kind === 'allowed' ? null : color.waits,
          context: standing.kind === 'allowed' ? 'skill revoke' : 'skill approve',
          place: { path: record.file, line: 1 },
          subject: record.path,
        }),
      ),
    }),
  ];
}

function originWords(
  origin: SkillOrigin,
  { say }: SkillTreeParts,
): { readonly label: string; readonly icon: string } {
  switch (origin) {
    case 'project':
      return { label: say('Project'), icon: 'root-folder' };
    case 'package':
      return { label: say('Packages'), icon: 'package' };
    case 'user':
      return { label: say('User'), icon: 'account' };
    case 'server':
      return { label: say('MCP servers'), icon: 'server' };
    default:
      return never(origin);
  }
}

function stateLook(state: SkillState): { readonly icon: string; readonly tint: string | null } {
  switch (state) {
    case 'full':
    case 'shortened':
      return { icon: 'book', tint: null };
    case 'hidden':
    case 'overLimit':
      return { icon: 'eye-closed', tint: color.muted };
    case 'userOnly':
      return { icon: 'person', tint: null };
    case 'heldBack':
      return { icon: 'lock', tint: color.waits };
    case 'shadowed':
      return { icon: 'circle-slash', tint: color.muted };
    case 'unusable':
      return { icon: 'error', tint: color.bad };
    default:
      return never(state);
  }
}
