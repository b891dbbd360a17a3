/**
 * Skills and project instructions as a run gets them: catalogue, tool, hint, instructions, all fixed
 * until the next rebuild. With nothing usable there is nothing of it in the request.
 */
import { randomUUID } from 'node:crypto';
import type { Contribution, Contributor, Preparation } from '../agent/contributor.ts';
import type { Emit, RunEvent } from '../agent/events.ts';
import type { Tool } from '../agent/tool.ts';
import { changesBetween, sentence } from './changes.ts';
import { addressesIn, commandOf, invokedBy, named, notInvoked } from './invoke.ts';
import { addressOf, type ServerSkills } from './offered.ts';
import { LoadedTexts } from './loaded.ts';
import { skillNotices } from './notices.ts';
import { Skills, type SkillsParts, type SkillsView } from './skills.ts';
import { invokedText, loadable, skillTool } from './tool.ts';

export interface SkillsContributorParts extends SkillsParts {
  /** Shared with the editor's view; made when missing. */
  readonly skills?: Skills;
}

export class SkillsContributor implements Contributor {
  readonly skills: Skills;
  readonly #parts: SkillsContributorParts;
  readonly #loaded = new LoadedTexts();
  readonly #told = new Set<string>();
  readonly #invoked = new Set<string>();
  #last: SkillsView | null = null;
  /** Of the last preparation. */
  #workspace: Preparation['workspace'] | null = null;
  #rebuild = false;
  /** What `askFirst` found for the preparation that goes on. */
  #early: { readonly preparation: Preparation; readonly view: SkillsView } | null = null;
  /** What it needs of servers is there once they run. */
  readonly isPreparedLast = true;

  constructor(parts: SkillsContributorParts) {
    this.#parts = parts;
    this.skills = parts.skills ?? new Skills(parts);
  }

  /** How everything stood when a run was last prepared; null before. */
  get view(): SkillsView | null {
    return this.#last;
  }

  /** What lies on disk is asked about before servers start: that may take a while. */
  async askFirst(preparation: Preparation): Promise<void> {
    const { workspace, contextWindow, ask, signal } = preparation;
    const view = await this.skills.prepare(workspace, contextWindow, ask, signal, 'disk');
    this.#early = { preparation, view };
  }

  async prepare(preparation: Preparation): Promise<Contribution> {
    const { emit, contextWindow } = preparation;
    const view = await this.#prepared(preparation);
    this.#workspace = preparation.workspace;
    this.#tell(view, preparation);
    const changed = this.#last === null ? '' : sentence(changesBetween(this.#last, view));
    if (changed !== '') {
      emit(notice('skills-changed', { fact: changed, cause: '', remedy: '' }));
    }
    this.#last = view;
    const asked = await this.#invocation(view, preparation.message ?? '', contextWindow, emit);
    const tools = this.#tools(view, preparation);
    const allowed = view.instructions.filter(({ standing }) => standing.kind === 'allowed');
    const instructions = this.#parts.core.projectInstructions(
      allowed.map(({ record }) => ({ path: record.path, text: record.text })),
      contextWindow,
    );
    return {
      tools,
      catalogue: tools.length === 0 ? '' : view.catalogue.block,
      servers: [],
      hint: tools.length === 0 ? '' : (asked ?? view.catalogue.hint),
      ...(instructions.length > 0 ? { instructions } : {}),
    };
  }

  /** The view, after the questions that are due; servers run by now. */
  async #prepared(preparation: Preparation): Promise<SkillsView> {
    const { workspace, contextWindow, ask, signal, emit } = preparation;
    const early = this.#early?.preparation === preparation ? this.#early.view : null;
    this.#early = null;
    const servers = this.#servers();
    await servers?.ask(signal);
    await this.#atAddresses(preparation.message ?? '', emit, signal);
    const isSame = (servers?.known().length ?? 0) === 0 && !hasOffered(early);
    if (early !== null && isSame) return early;
    const about = early === null ? 'all' : 'servers';
    return this.skills.prepare(workspace, contextWindow, ask, signal, about);
  }

  /** Who asks servers; none where skills are turned off. */
  #servers(): ServerSkills | undefined {
    return this.#parts.settings().skillsEnabled ? this.#parts.offered?.() : undefined;
  }

  /** Asks servers for the skills that a message names by their addresses. Is any of them there now? */
  async #atAddresses(message: string, emit: Emit, signal: AbortSignal): Promise<boolean> {
    const servers = this.#servers();
    let isAny = false;
    for (const { name, label, uri } of addressesIn(message)) {
      const answer = (await servers?.get(label, uri, signal)) ?? this.#noServers();
      if (answer.kind === 'had') isAny = true;
      else {
        const fact = `The skill ${name} was not loaded.`;
        emit(notice('skill-not-found', { fact, cause: answer.message, remedy: asItIs }));
      }
    }
    return isAny;
  }

  #noServers() {
    const message = this.#parts.settings().skillsEnabled
      ? 'No server is there.'
      : 'Skills are turned off.';
    return { kind: 'refused', message } as const;
  }

  takeRebuild(): boolean {
    const offers = this.#last !== null && this.#parts.settings().skillsEnabled;
    const rebuild = this.#rebuild || (offers && this.#parts.offered?.().wantsAsking === true);
    this.#rebuild = false;
    return rebuild;
  }

  forgotten(callIds: readonly string[]): void {
    this.#loaded.forget(callIds);
  }

  dispose(): Promise<void> {
    return Promise.resolve();
  }

  async asked(
    message: string,
    contextWindow: number,
    emit: Emit,
    signal: AbortSignal,
  ): Promise<string> {
    const last = this.#last;
    if (last === null || this.#workspace === null) return '';
    let view = last;
    const addresses = addressesIn(message).map(({ name }) => name);
    const isNew = addresses.some((name) => named(name, last.skills) === undefined);
    if ((await this.#atAddresses(message, emit, signal)) && isNew) {
      // It is asked about, and told of, at the next step; what was allowed before is loaded now.
      this.#rebuild = true;
      view = await this.skills.look(this.#workspace, contextWindow);
    }
    const before = loadable(last.skills, this.#invoked).length;
    const given = await this.#invocation(view, message, contextWindow, emit);
    // The tool that gives its further parts is not there yet.
    if (before === 0 && given !== null) this.#rebuild = true;
    const waits = addresses.flatMap((name) => {
      const report = named(name, view.skills)?.report;
      return report?.state === 'heldBack' ? [awaited(report.name)] : [];
    });
    return [...waits, ...(given === null ? [] : [given])].join('\n\n');
  }

  /** The skills that the user's message asks for, as text to stand before it; null when it asks for none. */
  async #invocation(
    view: SkillsView,
    message: string,
    contextWindow: number,
    emit: Emit,
  ): Promise<string | null> {
    const nothing = notInvoked(message, view.skills);
    // Of an address its server was asked, and what it answered is said already.
    if (nothing !== null && !isUnknownAddress(message, view)) {
      emit(notice('skill-not-found', { ...nothing, remedy: asItIs }));
    }
    const texts: string[] = [];
    for (const entry of invokedBy(message, view.skills)) {
      const { core } = this.#parts;
      const given = await invokedText({ core, skills: this.skills, contextWindow }, entry);
      if (given === null) continue;
      const { name } = entry.report;
      this.#invoked.add(name);
      emit({
        type: 'line',
        line: {
          id: `skill-${randomUUID()}`,
          icon: 'skill',
          verb: 'Loaded skill',
          object: name,
          state: 'done',
          measure: given.measure,
          output: { kind: 'text', text: given.text },
          allowedBy: '',
        },
      });
      texts.push(`The user loaded the skill ${name} for this message:\n${given.text}`);
    }
    return texts.length === 0 ? null : texts.join('\n\n');
  }

  #tools(view: SkillsView, { contextWindow, workspace }: Preparation): Tool[] {
    if (loadable(view.skills, this.#invoked).length === 0) return [];
    const tool = skillTool({
      core: this.#parts.core,
      skills: this.skills,
      entries: view.skills,
      contextWindow,
      loaded: this.#loaded,
      invoked: this.#invoked,
      atAddress: async (label, uri, signal) => {
        const answer = (await this.#servers()?.get(label, uri, signal)) ?? this.#noServers();
        // It is asked about, and told of, at the next step.
        if (answer.kind === 'had') this.#rebuild = true;
        return answer;
      },
    });
    if (!this.#parts.settings().selfConfiguration) return [tool];
    return [tool, this.#reloadTool(view, workspace)];
  }

  /** Lets the agent take up skills that it, or somebody else, has just written. */
  #reloadTool(before: SkillsView, workspace: Preparation['workspace']): Tool {
    return {
      name: 'reload_skills',
      description: 'Reads the skills on disk again. Use it after writing or changing one.',
      parameters: '{"type":"object","properties":{}}',
      origin: { kind: 'management' },
      parallel: false,
      readOnly: false,
      line: () => ({ icon: 'skill', verb: 'Read skills again', object: '' }),
      subject: () => Promise.resolve({ kind: 'harmless' }),
      run: async () => {
        await this.skills.reload(workspace);
        const after = await this.skills.look(workspace, 0);
        this.#rebuild = true;
        const changed = sentence(changesBetween(before, after));
        const waiting = after.skills.filter(({ report }) => report.state === 'heldBack').length;
        const waits = waiting > 0 ? ` ${String(waiting)} wait for the user.` : '';
        return { text: `${changed || 'Nothing changed.'}${waits}`, isError: false };
      },
    };
  }

  /** Each notice once, until what it is about changes. */
  #tell(view: SkillsView, { emit }: Preparation): void {
    for (const { about, ...notice } of skillNotices(view)) {
      if (this.#told.has(about)) continue;
      this.#told.add(about);
      emit({ type: 'notice', notice });
    }
  }
}

/** For the model: the user is asked about the skill only after their message was taken up. */
function awaited(name: string): string {
  return `The user asks for the skill ${name} with this message: call skill with that name first.`;
}

const asItIs = 'The message went to the model as it is.';

/** Is the `/name` of a message an address at which nothing is known? */
function isUnknownAddress(message: string, { skills }: SkillsView): boolean {
  const name = commandOf(message) ?? '';
  return addressOf(name) !== null && named(name, skills) === undefined;
}

function hasOffered(view: SkillsView | null): boolean {
  return view?.skills.some(({ record }) => record.offered !== undefined) ?? false;
}

function notice(
  code: string,
  said: { readonly fact: string; readonly cause: string; readonly remedy: string },
): RunEvent {
  return {
    type: 'notice',
    notice: { code, severity: 'info', ...said, lasting: false, actions: [] },
  };
}
