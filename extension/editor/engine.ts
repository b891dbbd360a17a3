/**
 * The agent's side of the extension: everything heavy, in a bundle of its own that is loaded when it
 * is first needed. Builds the parts, hands each what it needs, and ends what they started.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Contributor } from '../agent/contributor.ts';
import type { Emit } from '../agent/events.ts';
import { Hosts } from '../agent/hosts.ts';
import { AgentSession, type UndoneFile } from '../agent/session.ts';
import type { CardAnswer } from '../agent/tool.ts';
import { Chats, type ShownChat } from '../chat/chats.ts';
import { rewindPlan, undoable, type RewindPlan } from '../chat/rewind.ts';
import { Sessions } from '../chat/sessions.ts';
import { createCore, type Card, type Core } from '../core.ts';
import type { Log } from '../log.ts';
import { connect } from '../models/connect.ts';
import { findServers, usualPorts } from '../models/discover.ts';
import type { Provider } from '../models/provider.ts';
import { SkillsContributor } from '../skills/contributor.ts';
import { Skills } from '../skills/skills.ts';
import { Settled } from '../skills/watch.ts';
import { ServersContributor } from '../mcp/contributor.ts';
import type { ServerSkillLists } from '../mcp/offered-skills.ts';
import { FileServerPlans } from '../mcp/file-server-plans.ts';
import { SessionServers } from '../mcp/session-servers.ts';
import type { ServerPlans } from '../mcp/plans.ts';
import { StateFolder } from '../state.ts';
import { ModelAbilities } from './abilities.ts';
import type { ApiKeys } from './api-keys.ts';
import { Authoring } from './authoring.ts';
import { Demo } from './demo.ts';
import type { EditorLandings } from './editor-landings.ts';
import type { Failures } from './failures.ts';
import { importServers } from './import-servers.ts';
import { newErrors } from './language-errors.ts';
import { ModelServers } from './model-servers.ts';
import { onPath } from './on-path.ts';
import type { ProblemPanel } from './problem-panel.ts';
import { remoteOf } from './remote.ts';
import { ripgrep } from './ripgrep.ts';
import { ServerSignIns } from './server-sign-ins.ts';
import { ServerCompletions } from './server-completions.ts';
import { ServersSide } from './servers-side.ts';
import { openFile, openLink } from './show.ts';
import { SkillsSide } from './skills-side.ts';
import { workspace, type WindowSettings } from './surroundings.ts';
import { undoneWords } from './undone.ts';
import { EditorModels, editorModelsTakeImages, hasEditorModels } from './vscode-models.ts';
import { whichSkill } from './which-skill.ts';

export interface EngineParts {
  /** Of this extension. */
  readonly version: string;
  readonly settings: WindowSettings;
  readonly keys: ApiKeys;
  readonly secrets: vscode.SecretStorage;
  /** Where a browser comes back to in a remote window. */
  readonly landings: EditorLandings;
  readonly log: Log;
  readonly panel: ProblemPanel;
  /** Absolute folders: what is remembered; snapshots and saved outputs of this workspace. */
  readonly stateRoot: string;
  readonly storage: string;
  readonly emit: Emit;
  readonly ask: (card: Card, signal: AbortSignal, id: string) => Promise<CardAnswer>;
  /** A turn's changes were put back; `note` says what was done. */
  undone(turn: string, note: string): void;
  /** Shows the chat and the card that waits in it. */
  showCard(): void;
  /** The chat as the view has it, and another one in its place. */
  chat(): ShownChat;
  show(chat: ShownChat, keepBox: boolean): void;
  /** What the chat's status or the trees show may have changed. */
  changed(): void;
  readonly failures: Failures;
}

export class Engine {
  readonly core: Core;
  readonly models: ModelServers;
  readonly authoring: Authoring;
  readonly skills: SkillsSide;
  readonly chats: Chats;
  /** Settles once the chat of the last run stands in the view, or there is none. */
  readonly takenUp: Promise<void>;
  readonly #parts: EngineParts;
  readonly servers: ServersSide;
  /** What running servers offer while the user types. */
  readonly completions: ServerCompletions;
  readonly #contributor: ServersContributor;
  readonly #contributors: readonly Contributor[];
  readonly #session: AgentSession;
  readonly #hosts: Hosts;
  readonly #abilities: ModelAbilities;
  readonly #demo = new Demo();
  readonly #ended = new AbortController();
  /** Looks again, a moment after what may have changed how skills and servers stand. */
  readonly #soon = new Settled(() => {
    const looks = Promise.all([this.#lookAtSkills(), this.servers.look()]);
    this.#parts.failures.watch('skills and servers', looks);
  });
  readonly #emit: Emit = (event) => {
    this.#parts.emit(event);
    if (event.type === 'answered' || event.type === 'turnEnded') this.#soon.touch();
  };
  #reviews = 0;
  /** A message that is sent while a chat is changed for another one belongs to that. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { settings, keys, log, changed } = parts;
    const environment = ownEnvironment();
    const userHome = homedir();
    const { platform } = process;
    this.core = createCore(parts.failures.traps);
    this.models = new ModelServers({
      settings,
      keys,
      log,
      connect,
      editor: hasEditorModels() ? new EditorModels() : null,
      find: findServers,
      onPath: (program) => onPath(program, environment, platform),
      remote: remoteOf(vscode.env.remoteName),
      usual: usualPorts.map(({ port }) => `localhost:${port}`),
      changed: () => {
        changed();
        parts.failures.watch('what the model can do', this.#learn());
      },
    });
    this.authoring = new Authoring({
      core: this.core,
      settings,
      folders: () => workspace().folders,
    });
    const shared = {
      core: this.core,
      settings: this.models.settings,
      state: new StateFolder(parts.stateRoot),
      log,
      environment,
      platform,
      userHome,
    };
    this.#abilities = new ModelAbilities(shared.state);
    this.#hosts = new Hosts({ ...shared, folder: () => workspace().folders[0] ?? '' });
    const offered = (): ServerSkillLists => contributor.skills;
    const skills = new Skills({ ...shared, offered });
    this.skills = new SkillsSide({
      core: this.core,
      skills,
      panel: parts.panel,
      userHome,
      settings: this.models.settings,
      contextWindow: () => this.models.contextWindow,
      review: (card) => this.#review(card),
      changed,
      failed: parts.failures.say,
    });
    const signIns = new ServerSignIns({
      secrets: parts.secrets,
      stateRoot: parts.stateRoot,
      log,
      landings: parts.landings,
      clientDocument: () => settings.current().mcpClientDocument,
      visible: (text) => this.core.visibleText(text),
      changed: () => this.#soon.touch(),
    });
    const plans = trusted(new FileServerPlans(shared));
    const session = new SessionServers({ ...shared, workspace });
    const contributor: ServersContributor = new ServersContributor({
      ...shared,
      plans,
      workspace,
      session,
      openAddress: openLink,
      authorization: signIns.signIns,
      remote: vscode.env.remoteName !== undefined,
    });
    this.#contributor = contributor;
    contributor.servers.onChange(() => this.#soon.touch());
    this.completions = new ServerCompletions(this.core, contributor.offers);
    this.servers = new ServersSide({
      core: this.core,
      plans,
      contributor,
      session,
      signIns,
      panel: parts.panel,
      userHome,
      review: (card) => this.#review(card),
      changed,
      failed: parts.failures.say,
    });
    this.#contributors = [new SkillsContributor({ ...shared, skills, offered }), contributor];
    this.#session = new AgentSession({
      ...shared,
      settings: () => this.#demo.settings(this.models.settings()),
      provider: async () => {
        if (this.#demo.provider !== null) return this.#demo.provider;
        const provider = await this.models.provider();
        const { model, subagentModel } = this.models.settings();
        await this.#abilities.load(provider.host, [model, subagentModel]);
        return provider;
      },
      abilities: this.#abilities.of,
      contributors: this.#contributors,
      workspace,
      ask: parts.ask,
      emit: this.#emit,
      storage: parts.storage,
      ripgrep: ripgrep(vscode.env.appRoot),
      diagnostics: newErrors,
    });
    this.chats = new Chats({
      sessions: new Sessions(join(parts.storage, 'chats')),
      now: Date.now,
      later: (work, ms) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
      shown: parts.chat,
      show: parts.show,
      agent: this.#session,
      failed: parts.failures.say,
    });
    this.takenUp = this.chats.takeUp().catch((error: unknown) => {
      parts.failures.say('the last chat', error);
    });
    this.#changing = this.takenUp;
  }

  /** Looks at what the workspace has and goes on looking; again when folders or trust changed. */
  async start(): Promise<void> {
    this.skills.watch();
    this.servers.watch();
    this.#contributor.servers.rootsChanged();
    await Promise.all([this.skills.look(), this.servers.look()]);
  }

  /** What running servers offer is asked for, too. */
  async #lookAtSkills(): Promise<void> {
    await this.skills.look();
    const { skills } = this.#contributor;
    if (!this.models.settings().skillsEnabled || !skills.wantsAsking) return;
    await skills.ask(this.#ended.signal);
    await this.skills.look();
  }

  /** A setting, the mode or a picked model changed. */
  async settingsChanged(): Promise<void> {
    await Promise.all([this.start(), this.models.ready()]);
  }

  /** Another file is in front of the user: other skills may fit it. */
  fileChanged(): void {
    this.#parts.changed();
    this.#soon.touch();
  }

  /** Reads everything again, and asks again about what was put off. */
  async reload(): Promise<void> {
    await Promise.all([this.skills.reload(), this.servers.reload()]);
  }

  async send(text: string, images: readonly string[] = []): Promise<void> {
    if (text.trim() === '/new') return this.newChat();
    await this.#changing;
    await this.#session.send(text, images);
  }

  /** A turn that no model answers, in a chat of its own; while another turn runs there is none. */
  demo(): Promise<void> {
    const chat = { begin: () => this.newChat(), send: (text: string) => this.send(text) };
    return this.#demo.run(this.#parts.chat().transcript, workspace().folders, chat);
  }

  /** Does the model in use take images? Null where nobody asked it. */
  get takesImages(): boolean | null {
    const settings = this.models.settings();
    if (settings.provider === 'vscode' && !editorModelsTakeImages()) return false;
    return this.#abilities.of(settings.model).images;
  }

  /** What is remembered of the model in use, once it is known which one that is. */
  async #learn(): Promise<void> {
    const { state } = this.models;
    const { model } = this.models.settings();
    if (state.kind !== 'found' || model === '') return;
    if (await this.#abilities.load(state.host, [model])) this.#parts.changed();
  }

  editQueued(id: string, text: string | null): void {
    this.#session.editQueued(id, text);
  }

  undoPlan(turn: string): Promise<readonly UndoneFile[]> {
    return this.#session.undoPlan(turn);
  }

  async undo(turn: string): Promise<void> {
    const files = await this.#session.undo(turn);
    this.#parts.undone(turn, undoneWords(files));
  }

  /** Asks for a sentence and shows which skills fit it. */
  whichSkill(): Promise<void> {
    return whichSkill({
      core: this.core,
      view: () => this.skills.view(),
      provider: () => this.#allowedProvider(),
      model: () => this.models.settings().model,
      open: (name) => this.skills.open(name),
    });
  }

  /** Offers the servers of other programs. */
  importServers(): Promise<void> {
    return importServers({
      core: this.core,
      userHome: homedir(),
      environment: ownEnvironment(),
      plan: () => this.servers.look(),
      open: (path) => openFile(path, null, workspace().folders),
    });
  }

  /** Asks the model in use what it can do; the answers are remembered. */
  async probeModel(): Promise<void> {
    const provider = await this.#allowedProvider();
    const { model } = this.models.settings();
    if (provider !== null && model !== '') await this.#abilities.ask(provider, model);
  }

  /** The server in use, once the user let something be sent there; else null. */
  async #allowedProvider(): Promise<Provider | null> {
    const provider = await this.models.provider();
    const { model } = this.models.settings();
    const allowed = await this.#hosts.allowed(provider, model, (card) => this.#review(card));
    return allowed ? provider : null;
  }

  /** The last message again; in its own place where nothing came of it. */
  async retry(): Promise<void> {
    const turn = this.#parts.chat().transcript.turns.findLast(({ message }) => message !== null);
    if (turn?.message == null) return;
    const { text, images } = turn.message;
    const nothing = turn.items.every(({ kind }) => kind === 'notice' || kind === 'thought');
    await (turn.end?.end.kind === 'failed' && nothing
      ? this.rewind(turn.id, { putFilesBack: false, again: text })
      : this.send(text, images));
  }

  /** What going back to before a turn's message would do. */
  rewindPlan(turn: string): Promise<RewindPlan> {
    return rewindPlan(this.#parts.chat().transcript.turns, turn, this.#session);
  }

  /** Goes back there, and sends a message in place of the one that stood there. */
  async rewind(
    id: string,
    how: { readonly putFilesBack: boolean; readonly again: string | null },
  ): Promise<void> {
    await this.#session.halt();
    const { transcript, draft } = this.#parts.chat();
    const message = transcript.turns.find((turn) => turn.id === id)?.message ?? null;
    if (message === null) return;
    if (how.putFilesBack) await this.#session.undo(...undoable(transcript.turns, id));
    const images = message.images ?? [];
    const text = [message.text, draft.text].filter((one) => one.trim() !== '').join('\n\n');
    const back = { text, images: [...images, ...draft.images] };
    await this.#change(this.chats.rewind(id, how.again === null ? back : null));
    if (how.again !== null) await this.send(how.again, images);
  }

  openChat(id: string): Promise<void> {
    return this.#change(this.chats.open(id));
  }

  deleteChat(id: string): Promise<void> {
    return this.#change(this.chats.remove(id));
  }

  /** What is sent meanwhile waits for it, whether it succeeds or not. */
  #change(work: Promise<void>): Promise<void> {
    this.#changing = work.catch(() => undefined);
    return work;
  }

  stop(): void {
    this.#session.stop();
  }

  newChat(): Promise<void> {
    return this.#change(this.chats.begin());
  }

  /** Ends everything that was started. */
  async dispose(): Promise<void> {
    this.#ended.abort();
    this.#soon.dispose();
    this.skills.dispose();
    this.servers.dispose();
    await this.#session.halt();
    await this.chats.flush();
    await Promise.all([
      this.#session.dispose(),
      ...this.#contributors.map((each) => each.dispose()),
    ]);
  }

  /** A card that nobody's turn asks: the user wants to look at a server or a skill. */
  async #review(card: Card): Promise<CardAnswer> {
    const { ask, showCard } = this.#parts;
    const id = `review-${++this.#reviews}`;
    this.#emit({ type: 'card', id, card, number: 1, of: 1 });
    showCard();
    const answer = await ask(card, this.#ended.signal, id);
    this.#emit({ type: 'answered', id, answer });
    return answer;
  }
}

/** Trust is looked at again immediately before every start: it can be taken back at any time. */
function trusted(plans: ServerPlans): ServerPlans {
  return {
    read: (of) => plans.read(of),
    approve: (plan, ask, signal) => plans.approve(plan, ask, signal),
    revoke: (of, names) => plans.revoke(of, names),
    forgetDeclined: (of, names) => plans.forgetDeclined(of, names),
    adopt: (of, path, shown) => plans.adopt(of, path, shown),
    check: (path, text) => plans.check(path, text),
    changedSince: (server) =>
      vscode.workspace.isTrusted
        ? plans.changedSince(server)
        : Promise.resolve(vscode.l10n.t('You have not trusted this folder.')),
  };
}

function ownEnvironment(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
