/** `gbs skills show`: one skill for a person, or the very text that a model would get. */
import { join } from 'node:path';
import type { Command } from 'commander';
import type { SkillEntry, Skills } from '../skills/skills.ts';
import { addAnswerFlag, type AnswerFlag } from './mcp-answers.ts';
import type { CliParts } from './parts.ts';
import { CliFailure, oneLine } from './parts.ts';
import { withSkills } from './skills-parts.ts';
import { readText } from '../skills/text.ts';

interface ShowFlags extends AnswerFlag {
  readonly resource?: string;
  readonly asModel?: true;
  readonly part: string;
}

export function registerShow(skills: Command, parts: CliParts): void {
  addAnswerFlag(skills.command('show <name>'))
    .description('A skill: where it comes from, how it stands, its files and its text')
    .option('--resource <path>', 'one of its files instead of SKILL.md')
    .option('--as-model', 'exactly what the model gets when it loads it')
    .option('--part <n>', 'with --as-model, which part', '1')
    .action((name: string, flags: ShowFlags) =>
      withSkills(parts, [name], flags, (skillsHere) => show(name, flags, skillsHere, parts)),
    );
}

async function show(
  name: string,
  flags: ShowFlags,
  skillsHere: Skills,
  parts: CliParts,
): Promise<void> {
  const window = parts.settings().contextWindow;
  const view = await skillsHere.look(parts.workspace(), window);
  const entry = view.skills.find(({ report }) => report.name === name);
  if (entry === undefined) {
    const all = name.includes(':') ? 'gbs skills list --servers' : 'gbs skills list';
    throw new CliFailure(1, `no skill is called ${oneLine(parts, name)}. See all: ${all}`);
  }
  const part = Number(flags.part);
  if (!Number.isInteger(part) || part < 1) {
    throw new CliFailure(
      2,
      `--part takes a whole number from 1, not ${JSON.stringify(flags.part)}`,
    );
  }
  const shown = await readText(parts.core, skillsHere, entry, {
    resource: flags.resource ?? null,
    part: flags.asModel === true ? part : null,
    contextWindow: window,
  });
  if (shown.kind === 'refused') throw new CliFailure(1, oneLine(parts, shown.message));
  if (parts.json) parts.printJson(described(entry, shown.text));
  else print(entry, shown.text, flags, parts);
}

function described({ record, report, consent, problems }: SkillEntry, text: string): unknown {
  return {
    name: report.name,
    description: record.parsed.description,
    frontMatter: JSON.parse(record.parsed.frontMatter) as unknown,
    origin: record.source.origin,
    source: record.source.label,
    path: record.path,
    state: report.state,
    text: report.text,
    tokens: report.tokens,
    consent: consent?.standing.kind ?? null,
    files: record.files.map(({ path, size }) => ({ path, size })),
    problems,
    content: text,
  };
}

function print(entry: SkillEntry, text: string, flags: ShowFlags, parts: CliParts): void {
  const { out } = parts.screen;
  const { record, report } = entry;
  // What goes to a file or a pipe is the text itself; on a terminal nothing in it acts.
  const content = out.terminal ? parts.core.visibleText(text) : text;
  if (flags.resource === undefined && flags.asModel !== true) {
    const fact = (term: string, value: string) => {
      out.line(`${out.paint.dim(term.padEnd(7))} ${oneLine(parts, value)}`);
    };
    fact('skill', report.name);
    fact('from', record.offered?.skill.uri ?? join(record.path, record.fileName));
    fact('state', report.text);
    fact('says', record.parsed.description ?? '');
    const { argumentHint } = record.parsed.fields;
    if (argumentHint !== null) fact('takes', `/${report.name} ${argumentHint}`);
    for (const { path, size } of record.files) {
      if (path !== record.fileName) fact('file', `${path} (${String(size)} bytes)`);
    }
    for (const { severity, message, start } of entry.problems) {
      fact(severity, `line ${String(start.line)}: ${message}`);
    }
    out.line('');
  }
  out.write(content.endsWith('\n') ? content : `${content}\n`);
}
