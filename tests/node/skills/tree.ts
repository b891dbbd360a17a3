/** Folder trees for tests of skills: real files and links in a temporary folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { defaultSettings, type Settings } from '../../../extension/agent/settings.ts';
import type { Workspace } from '../../../extension/agent/contributor.ts';
import type { Ask, CardAnswer } from '../../../extension/agent/tool.ts';
import { createCore, type Card } from '../../../extension/core.ts';
import { ContainedFiles, type FilesParts } from '../../../extension/skills/files.ts';
import { Skills, type SkillsParts, type SkillsView } from '../../../extension/skills/skills.ts';
import { StateFolder } from '../../../extension/state.ts';

export const core = createCore();

/** What stands at a path: text, bytes, a link to somewhere, a pipe. */
export type Node = string | Uint8Array | { readonly link: string } | { readonly pipe: true };

/** A folder of its own for one test, links followed; removed when the tests of the file are over. */
export function tree(nodes: Readonly<Record<string, Node>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gbs-skills-')));
  after(() => {
    rmSync(root, { recursive: true, force: true });
  });
  plant(root, nodes);
  return root;
}

export function plant(root: string, nodes: Readonly<Record<string, Node>>): void {
  for (const [path, node] of Object.entries(nodes)) {
    const at = join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    if (typeof node === 'string' || node instanceof Uint8Array) writeFileSync(at, node);
    else if ('link' in node) symlinkSync(node.link, at);
    else execFileSync('mkfifo', [at]);
  }
}

/** A SKILL.md with these fields. */
export function skill(name: string, description = `About ${name}.`, more = '', body = 'Body.\n') {
  return `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}`;
}

export interface Bench {
  readonly skills: Skills;
  readonly parts: SkillsParts;
  readonly workspace: Workspace;
  readonly warnings: string[];
  settings: Settings;
}

/** Skills over `root`/ws, with `root`/home as the user's home and `root`/state for answers. */
export function bench(
  root: string,
  options: {
    readonly settings?: Partial<Settings>;
    readonly workspace?: Partial<Workspace>;
    readonly files?: Partial<FilesParts>;
    readonly now?: () => Date;
  } = {},
): Bench {
  const warnings: string[] = [];
  const made = {
    warnings,
    settings: { ...defaultSettings, ...options.settings },
    workspace: {
      folders: [join(root, 'ws')],
      trusted: true,
      openFile: null,
      ...options.workspace,
    },
  };
  const parts: SkillsParts = {
    core,
    settings: () => made.settings,
    state: new StateFolder(join(root, 'state')),
    log: { info: () => undefined, warn: (text) => warnings.push(text), error: () => undefined },
    platform: process.platform,
    userHome: join(root, 'home'),
    ...(options.now ? { now: options.now } : {}),
    files: new ContainedFiles({ core, platform: process.platform, ...options.files }),
  };
  return Object.assign(made, { parts, skills: new Skills(parts) });
}

/** Answers every card alike, and keeps what was asked. */
export function answering(answer: CardAnswer['answer']): { ask: Ask; cards: Card[] } {
  const cards: Card[] = [];
  return {
    cards,
    ask: (card) => {
      cards.push(card);
      return Promise.resolve({ answer });
    },
  };
}

/** Looks after the user allowed whatever waits. */
export async function allowed({ skills, workspace }: Bench): Promise<SkillsView> {
  return skills.prepare(workspace, 0, answering('allow').ask, new AbortController().signal);
}

/** Every skill as `path below root: state`, without its cost; every folder's problem by its code. */
export function summary(root: string, view: SkillsView): string[] {
  const below = (path: string) => path.replace(`${root}/`, '');
  return [
    ...view.skills.map(
      ({ record, report }) => `${below(record.path)}: ${report.text.replace(/, \d+ tokens?$/, '')}`,
    ),
    ...view.problems.map(({ path, code }) => `${below(path)}! ${code}`),
  ];
}

/** The catalogue's lines. */
export function lines(view: SkillsView): string[] {
  return view.catalogue.block.split('\n').slice(2);
}
