/** The three resources: the catalogue in XML and in Markdown, and how the tools are used. */
import type { SkillSummary } from './skill.ts';

export interface CatalogueResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  text(skills: readonly SkillSummary[]): string;
}

export const resources: readonly CatalogueResource[] = [
  {
    uri: 'skills://catalog/xml',
    name: 'skills-catalog-xml',
    title: 'Skills (XML)',
    description: 'Every skill with its id, name and description, as XML',
    mimeType: 'application/xml',
    text: catalogueXml,
  },
  {
    uri: 'skills://catalog/markdown',
    name: 'skills-catalog-markdown',
    title: 'Skills (Markdown)',
    description: 'Every skill with its id, name and description, as Markdown',
    mimeType: 'text/markdown',
    text: catalogueMarkdown,
  },
  {
    uri: 'skills://tools-usage-instructions',
    name: 'skills-tools-usage-instructions',
    title: 'How to use the skills tools',
    description: 'In which order the tools of this server are called, and what each gives',
    mimeType: 'text/markdown',
    text: () => usage,
  },
];

/** Those whose text changes with the list of skills. */
export const catalogueUris: readonly string[] = [
  'skills://catalog/xml',
  'skills://catalog/markdown',
];

export function catalogueXml(skills: readonly SkillSummary[]): string {
  const lines = skills.flatMap(({ id, name, description, version, tags }) => [
    '  <skill>',
    `    <id>${xml(id)}</id>`,
    `    <name>${xml(name)}</name>`,
    `    <description>${xml(description)}</description>`,
    ...(version === null ? [] : [`    <version>${xml(version)}</version>`]),
    ...tags.map((tag) => `    <tag>${xml(tag)}</tag>`),
    '  </skill>',
  ]);
  return ['<available_skills>', ...lines, '</available_skills>', ''].join('\n');
}

export function catalogueMarkdown(skills: readonly SkillSummary[]): string {
  if (skills.length === 0) return '# Skills\n\nThere are none.\n';
  const lines = skills.map(({ id, name, description, tags }) => {
    const title = name === id ? '' : ` (${markdown(name)})`;
    const tagged = tags.length === 0 ? '' : ` Tags: ${tags.map(markdown).join(', ')}.`;
    return `- **${markdown(id)}**${title}: ${markdown(description)}${tagged}`;
  });
  return ['# Skills', '', ...lines, ''].join('\n');
}

/** Characters that XML 1.0 has no way to write are dropped. */
function xml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** On one line, so that a description can never look like another skill. */
function markdown(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/[\\`*_[\]<>|]/g, (mark) => `\\${mark}`);
}

export const usage = `# Skills

A skill is a set of instructions for one kind of task, with files that go with it.

1. \`list_skills\` shows what there is. With many skills, \`search_skills\` with words of the task finds those that fit.
2. \`get_skill_body\` with the skill’s id gives its instructions. Read them before you begin, and follow them.
3. Where the instructions name a file, get it: \`get_skill_reference\` for what is to be read, \`get_skill_script\` for what is to be run, \`get_skill_asset\` for templates and data. \`list_skill_references\`, \`list_skill_scripts\` and \`list_skill_assets\` show their names.
4. \`get_skill_metadata\` gives everything the author wrote in the header, such as version and license.

Ids and names are taken as the lists give them. What is not there comes as null: do not guess, list again.
`;
