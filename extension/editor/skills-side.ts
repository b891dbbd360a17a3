/**
 * Skills in the editor: their view, their findings in the Problems panel, review and revoking, and
 * what `/` offers. What is found is kept until something changes on disk.
 */
import { lstatSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { Settings } from '../agent/settings.ts';
import type { CardAnswer } from '../agent/tool.ts';
import type { Completion, SkillEntry as ShownSkill } from '../chat/protocol.ts';
import type { Card, Core, Problem, SkillState } from '../core.ts';
import { SKILLS_MENTIONED } from '../limits.ts';
import { never } from '../never.ts';
import { skillFixes, type SkillFix } from '../skills/fixes.ts';
import { isInvocable, mentionStart } from '../skills/invoke.ts';
import type { Skills, SkillsView } from '../skills/skills.ts';
import { expandHome } from '../skills/sources.ts';
import { SkillWatch, watchedFolders } from '../skills/watch.ts';
import { Looks } from './looks.ts';
import type { FileProblems, ProblemPanel } from './problem-panel.ts';
import { OfferedView } from './offered-view.ts';
import { openFile } from './show.ts';
import { shownReason, skillTree } from './skill-tree.ts';
import { workspace } from './surroundings.ts';
import type { TreeNode } from './tree-node.ts';
import { watchFolders } from './watcher.ts';
import { say } from './words.ts';

export interface SkillsSideParts {
  readonly core: Core;
  readonly skills: Skills;
  readonly panel: ProblemPanel;
  /** Absolute. */
  readonly userHome: string;
  settings(): Settings;
  contextWindow(): number;
  /** Shows a card outside of a turn. */
  review(card: Card): Promise<CardAnswer>;
  changed(): void;
  failed(what: string, error: unknown): void;
}

export class SkillsSide implements vscode.Disposable {
  readonly #parts: SkillsSideParts;
  #view: SkillsView | null = null;
  readonly #looks = new Looks(() => this.#look());
  #watch: SkillWatch | null = null;
  readonly #texts = new OfferedView();

  constructor(parts: SkillsSideParts) {
    this.#parts = parts;
  }

  /** What was found last; looks when nobody has yet. */
  async view(): Promise<SkillsView> {
    return this.#view ?? this.#looks.shared();
  }

  /** Looks at the disk as it stands now. */
  look(): Promise<SkillsView> {
    return this.#looks.fresh();
  }

  async #look(): Promise<SkillsView> {
    const { skills, panel, changed, contextWindow } = this.#parts;
    const view = await skills.look(workspace(), contextWindow());
    this.#view = view;
    const onDisk = view.skills.filter(({ record }) => record.offered === undefined);
    panel.setAll('skills', onDisk.map(problemsOf));
    changed();
    return view;
  }

  /** Watches the folders of the workspace as it stands now. */
  watch(): void {
    void this.#watch?.dispose();
    const { settings, userHome } = this.#parts;
    const folders = watchedFolders(workspace(), userFolders(settings(), userHome));
    this.#watch = new SkillWatch(watchFolders, folders, () => {
      this.look().catch((error: unknown) => this.#parts.failed('skills', error));
    });
  }

  async nodes(): Promise<readonly TreeNode[]> {
    return skillTree(await this.view(), {
      visible: (text) => this.#parts.core.visibleText(text),
      say,
    });
  }

  /** For the chat's chip: what can be used, and what waits or cannot be. */
  get shown(): readonly ShownSkill[] {
    return (this.#view?.skills ?? []).flatMap(({ record, report }) => {
      const state = shownState(report.state);
      if (state === null) return [];
      return [
        { name: report.name, state, origin: record.source.origin, detail: shownReason(report) },
      ];
    });
  }

  /** What `/` offers. */
  async completions(query: string): Promise<readonly Completion[]> {
    return (await this.#named(query)).map((entry) => this.#offered(entry, '/'));
  }

  /** What `@` offers before files. */
  async mentions(query: string): Promise<readonly Completion[]> {
    const name = query.replace(/^skill:/, '');
    const found = (await this.#named(name)).slice(0, SKILLS_MENTIONED);
    return found.map((entry) => this.#offered(entry, mentionStart));
  }

  /** Skills that the user may load, by name. */
  async #named(query: string): Promise<readonly Entry[]> {
    const view = await this.view();
    return view.skills
      .filter(
        (entry) =>
          usable(entry.report.state) &&
          isInvocable(entry) &&
          entry.report.name.toLowerCase().includes(query.toLowerCase()),
      )
      .sort((a, b) => (a.report.name < b.report.name ? -1 : 1));
  }

  #offered({ record, report }: Entry, start: string): Completion {
    const { core } = this.#parts;
    const hint = record.parsed.fields.argumentHint ?? '';
    const name = start === '/' ? `/${report.name}` : report.name;
    return {
      insert: `${start}${report.name}`,
      label: hint === '' || start !== '/' ? name : `${name} ${core.visibleText(hint)}`,
      detail: core.visibleText(record.parsed.description ?? ''),
      icon: 'skill',
      group: vscode.l10n.t('Skills'),
    };
  }

  async open(name: string): Promise<void> {
    const found = (await this.view()).skills.find(({ report }) => report.name === name);
    if (found === undefined) return;
    if (found.record.offered !== undefined) return this.#show(found);
    await openFile(join(found.record.path, found.record.fileName), 1, []);
  }

  /** The text of a server's skill, fetched now. */
  async #show({ record, report }: Entry): Promise<void> {
    const read = await this.#parts.skills.anyFile(record, record.fileName);
    if (read.kind === 'read') {
      await this.#texts.show(report.name, new TextDecoder().decode(read.bytes));
      return;
    }
    const why =
      read.kind === 'unreachable'
        ? read.message
        : vscode.l10n.t('The server gave something else than it had listed; it is not shown.');
    void vscode.window.showWarningMessage(`${report.name}: ${why}`);
  }

  /** Asks about what is held back: one skill, or all. */
  async approve(name: string | null): Promise<void> {
    const { skills, review } = this.#parts;
    const approval = await skills.approval(workspace(), (each) => name === null || each === name);
    if (approval === null) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No skill waits for you.'));
      return;
    }
    const { answer } = await review(approval.card);
    if (answer === 'allow' || answer === 'allowSession') await approval.allow();
    if (answer === 'notNow') await approval.decline();
    await this.look();
  }

  async revoke(names: readonly string[] | null): Promise<readonly string[]> {
    const revoked = await this.#parts.skills.revoke(workspace(), names);
    await this.look();
    return revoked;
  }

  async reload(): Promise<void> {
    await this.#parts.skills.reload(workspace());
    await this.look();
  }

  /** Findings in a SKILL.md as it stands in its editor. */
  check(document: vscode.TextDocument): void {
    const folder = basename(dirname(document.uri.fsPath));
    const bytes = new TextEncoder().encode(document.getText());
    const { problems } = this.#parts.core.parseSkill(bytes, folder);
    const entry = this.#view?.skills.find((each) => fileOf(each) === document.uri.fsPath);
    // What its folder and the other skills show does not change while somebody types.
    const around = entry === undefined ? [] : aroundFile(entry);
    this.#parts.panel.setDocument('skills', document, [...problems, ...around]);
  }

  /** What can be done about a finding in a file of ours. */
  fixes(document: vscode.TextDocument, problem: Problem): readonly SkillFix[] {
    if (!isSkillFile(document.uri.path)) return problem.fix === null ? [] : [problem.fix];
    const folder = dirname(document.uri.fsPath);
    return skillFixes(
      {
        core: this.#parts.core,
        text: document.getText(),
        folderName: basename(folder),
        at: (path) => {
          const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
          return found === undefined ? 'nothing' : found.isDirectory() ? 'folder' : 'other';
        },
      },
      problem,
    );
  }

  dispose(): void {
    this.#texts.dispose();
    void this.#watch?.dispose();
  }
}

/** Where the user's own skills lie; absolute. */
function userFolders(
  { skillsPath, skillsReadSharedFolders }: Settings,
  userHome: string,
): readonly string[] {
  const own = expandHome(skillsPath, userHome);
  const shared = ['.agents', '.claude', '.copilot'].map((name) => join(userHome, name, 'skills'));
  return [...(isAbsolute(own) ? [own] : []), ...(skillsReadSharedFolders ? shared : [])];
}

function isSkillFile(path: string): boolean {
  return /(?:^|\/)skill\.md$/i.test(path);
}

type Entry = SkillsView['skills'][number];

function fileOf({ record }: Entry): string {
  return join(record.path, record.fileName);
}

function problemsOf(entry: Entry): FileProblems {
  return { path: fileOf(entry), problems: entry.problems };
}

/** Findings that no text of SKILL.md shows: of its folder, and of the merge. */
function aroundFile({ record, report }: Entry): readonly Problem[] {
  const ofFolder = record.parsed.problems.filter(({ code }) => code.startsWith('skill-'));
  return [...ofFolder, ...report.problems];
}

function usable(state: SkillState): boolean {
  return ['full', 'shortened', 'hidden', 'userOnly'].includes(state);
}

/** Null for what has no say: another one stands in its place. */
function shownState(state: SkillState): ShownSkill['state'] | null {
  switch (state) {
    case 'full':
    case 'shortened':
    case 'userOnly':
      return 'usable';
    case 'hidden':
    case 'overLimit':
      return 'hidden';
    case 'heldBack':
      return 'waits';
    case 'unusable':
      return 'unusable';
    case 'shadowed':
      return null;
    default:
      return never(state);
  }
}
