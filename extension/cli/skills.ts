/** `gbs skills`: what skills there are, what is wrong with them, and which may be used. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Workspace } from '../agent/contributor.ts';
import { Hosts } from '../agent/hosts.ts';
import type { SkillEntry, SkillsView } from '../skills/skills.ts';
import { expandHome, tildePath } from '../skills/sources.ts';
import { NewSkillRefusal, writeNewSkill } from '../skills/template.ts';
import { pickByModel, rankSkills, type Picked } from '../skills/which.ts';
import { createAsk } from './ask.ts';
import { tellUnknownHosts } from './flag-names.ts';
import { CliFailure, type CliParts, oneLine, collect } from './parts.ts';
import { chooseModel, modelFailure, openServer } from './provider.ts';
import { addServersFlag, type ServersFlag, skillsOf, withSkills } from './skills-parts.ts';
import { registerCheck } from './skills-check.ts';
import { registerConsent } from './skills-consent.ts';
import { serveCommand } from './skills-serve.ts';
import { registerShow } from './skills-show.ts';

export function register(program: Command, parts: CliParts): void {
  const skills = program
    .command('skills')
    .description('List, check, show, search, write and serve skills, and say which may be used');
  registerList(skills, parts);
  registerCheck(skills, parts);
  registerShow(skills, parts);
  registerConsent(skills, parts);
  registerNew(skills, parts);
  registerSearch(skills, parts);
  const serve = skills
    .command('serve')
    .description('Serve folders of skills to any MCP client, as gbs-skills-mcp does');
  serveCommand(serve, parts);
}

function registerList(skills: Command, parts: CliParts): void {
  addServersFlag(skills.command('list'))
    .description('Every skill, where it comes from and what became of it')
    .option('--open <file>', 'as if this file were open: skills that fit it come first')
    .action(async ({ open, ...flags }: ServersFlag & { open?: string }) => {
      const folder = parts.workspace();
      const openFile = open === undefined ? null : resolve(open);
      const workspace: Workspace = { ...folder, openFile };
      await withSkills(parts, [], flags, async (skillsHere) => {
        const view = await skillsHere.look(workspace, parts.settings().contextWindow);
        if (parts.json) parts.printJson(listed(view));
        else printList(view, parts);
      });
    });
}

function listed(view: SkillsView): unknown {
  return {
    skills: view.skills.map(({ record, report, consent, problems }) => ({
      name: report.name,
      description: record.parsed.description,
      origin: record.source.origin,
      source: record.source.label,
      path: record.path,
      state: report.state,
      why: report.why,
      text: report.text,
      tokens: report.tokens,
      fullTokens: report.fullTokens,
      fits: report.fits,
      shadowedBy: report.shadowedBy,
      consent: consent?.standing.kind ?? null,
      files: record.files.map(({ path, size }) => ({ path, size })),
      problems,
    })),
    instructions: view.instructions.map(({ record, standing }) => ({
      path: record.path,
      file: record.file,
      consent: standing.kind,
    })),
    catalogue: {
      block: view.catalogue.block,
      tokens: view.catalogue.tokens,
      budget: view.catalogue.budget,
    },
    problems: view.problems,
  };
}

function printList(view: SkillsView, parts: CliParts): void {
  const { out } = parts.screen;
  const width = Math.max(0, ...view.skills.map(({ report }) => report.name.length));
  const shown = Math.min(width, 40);
  for (const source of view.sources) {
    const entries = view.skills.filter(({ record }) => record.source.path === source.path);
    if (entries.length === 0) continue;
    const label = oneLine(parts, source.label);
    out.line(`${out.paint.bold(label)} ${out.paint.dim(ownerWords[source.origin])}`);
    for (const entry of entries) out.line(`  ${skillLine(entry, shown, parts)}`);
  }
  for (const { record, standing } of view.instructions) {
    const said =
      standing.kind === 'allowed' ? 'instructions, allowed' : 'instructions, wait for you';
    out.line(`${out.paint.bold(oneLine(parts, record.path))} ${out.paint.dim(said)}`);
  }
  if (view.skills.length + view.instructions.length === 0) {
    out.line(
      parts.settings().skillsEnabled
        ? 'No skills here. Write one: gbs skills new NAME'
        : 'Skills are turned off by the setting skills.enabled: nothing of them is read or sent.',
    );
  }
  for (const { path, message } of view.problems)
    parts.log.warn(oneLine(parts, `${path}: ${message}`));
  const waiting = view.skills.filter(({ report }) => report.state === 'heldBack').length;
  const files = view.instructions.filter(({ standing }) => standing.kind !== 'allowed').length;
  const offered = view.skills.some(
    ({ record, report }) => report.state === 'heldBack' && record.offered !== undefined,
  );
  if (waiting + files > 0) {
    parts.log.warn(
      `${String(waiting + files)} ${waiting + files === 1 ? 'waits' : 'wait'} for you. See and allow: gbs skills approve${offered ? ' --servers' : ''}`,
    );
  }
}

const ownerWords = {
  project: 'this repository',
  package: 'a package',
  user: 'yours',
  server: 'an MCP server',
} as const;

function skillLine({ report }: SkillEntry, width: number, parts: CliParts): string {
  const { paint } = parts.screen.out;
  const name = oneLine(parts, report.name);
  const text = oneLine(parts, report.text);
  const padding = ' '.repeat(Math.max(0, width - name.length));
  switch (report.state) {
    case 'heldBack':
      return `${paint.cyan(name)}${padding}  ${paint.yellow(text)}`;
    case 'unusable':
      return `${paint.cyan(name)}${padding}  ${paint.red(text)}`;
    case 'full':
    case 'shortened':
    case 'hidden':
    case 'userOnly':
    case 'shadowed':
    case 'overLimit':
      return `${paint.cyan(name)}${padding}  ${paint.dim(text)}`;
  }
}

function registerNew(skills: Command, parts: CliParts): void {
  skills
    .command('new <name>')
    .description('Write a new skill, valid from the start')
    .option('--user', 'for all your projects, instead of this one')
    .option('--description <text>', 'what it does, and when to use it')
    .action(async (name: string, { user, description }: { user?: true; description?: string }) => {
      const folder =
        user === true
          ? userFolder(parts)
          : resolve(parts.workspace().folders[0] ?? '.', '.gbs', 'skills');
      const words = description ?? 'Says what this skill does and when to use it.';
      try {
        const file = await writeNewSkill(parts.core, folder, name, words);
        if (parts.json) parts.printJson({ path: file });
        else {
          parts.screen.out.line(file);
          const next =
            description === undefined
              ? 'Write in it what it does and when to use it'
              : 'Write in it what the model should do';
          const { err } = parts.screen;
          err.line(err.paint.dim(`${next}. Then: gbs skills check, gbs skills search WORDS`));
        }
      } catch (error) {
        if (error instanceof NewSkillRefusal) throw new CliFailure(1, error.message);
        throw error;
      }
    });
}

function userFolder(parts: CliParts): string {
  const path = parts.settings().skillsPath;
  return resolve(expandHome(path, parts.userHome));
}

/** What the model of the settings would load. */
async function pickFor(
  view: SkillsView,
  sentence: string,
  yesHosts: readonly string[],
  parts: CliParts,
): Promise<Picked> {
  const settings = parts.settings();
  try {
    const { provider, model: found } = await openServer(parts);
    tellUnknownHosts(yesHosts, provider.host, parts);
    const hosts = new Hosts({
      core: parts.core,
      state: parts.state,
      folder: () => parts.workspace().folders[0] ?? '',
    });
    const ask = createAsk(parts, {
      answers: { yesHosts },
      needsApproval: (_card, flag) => {
        throw new CliFailure(3, `needs approval: answer beforehand with ${flag}`);
      },
    });
    if (!(await hosts.allowed(provider, settings.model, (card) => ask(card, parts.signal)))) {
      throw new CliFailure(1, `nothing was sent to ${provider.host}`);
    }
    const model = found ?? (await chooseModel(provider, parts));
    return await pickByModel({ provider, model: model.id }, view, sentence, parts.signal);
  } catch (error) {
    throw await modelFailure(error, parts);
  }
}

interface SearchFlags {
  readonly limit: string;
  readonly ask?: boolean;
  readonly yesHost: readonly string[];
}

function registerSearch(skills: Command, parts: CliParts): void {
  skills
    .command('search <words...>')
    .description('Which skills fit some words, best first')
    .option('--limit <n>', 'at most so many', '10')
    .option('--ask', 'ask the model, too, which it would load')
    .option(
      '--yes-host <host>',
      'send to this model server, which is not on this machine',
      collect,
      [],
    )
    .action(async (words: string[], { limit, ask, yesHost }: SearchFlags) => {
      const most = Number(limit);
      if (!Number.isInteger(most) || most < 1) {
        throw new CliFailure(
          2,
          `--limit takes a whole number from 1, not ${JSON.stringify(limit)}`,
        );
      }
      const view = await skillsOf(parts).look(parts.workspace(), 0);
      const sentence = words.join(' ');
      const hits = rankSkills(parts.core, view, sentence, most);
      const picked = ask === true ? await pickFor(view, sentence, yesHost, parts) : null;
      if (parts.json) {
        parts.printJson(picked === null ? hits : { hits, picked });
        return;
      }
      const { out } = parts.screen;
      if (hits.length === 0) out.line('No skill fits these words.');
      for (const { name, score, description, path } of hits) {
        const at = tildePath(path, parts.userHome);
        out.line(
          `${out.paint.cyan(name)} ${out.paint.dim(`${String(score)}, ${oneLine(parts, at)}`)}`,
        );
        out.line(`  ${oneLine(parts, description)}`);
      }
      if (picked !== null) {
        out.line(`The model picks ${picked.name ?? `none: “${oneLine(parts, picked.answer)}”`}.`);
      }
    });
}
