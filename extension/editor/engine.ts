/**
 * The agent's side of the extension: everything heavy, in a bundle of its own that is loaded when it
 * is first needed. Builds the parts, hands each what it needs, and ends what they started.
 */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Contributor } from '../agent/contributor.ts';
import type { Emit } from '../agent/events.ts';
import { Hosts } from '../agent/hosts.ts';
import { AgentSession, type UndoneFile } from '../agent/session.ts';
import type { CardAnswer } from '../agent/tool.ts';
import { createCore, type Card, type Core } from '../core.ts';
import type { Log } from '../log.ts';
import { connect } from '../models/connect.ts';
import { findServers, usualPorts } from '../models/discover.ts';
import type { Provider } from '../models/provider.ts';
import { SkillsContributor } from '../skills/contributor.ts';
import { Skills } from '../skills/skills.ts';
import { Settled } from '../skills/watch.ts';
import { ServersContributor } from '../mcp/contributor.ts';
import { FileServerPlans } from '../mcp/file-server-plans.ts';
import { SessionServers } from '../mcp/session-servers.ts';
import type { ServerPlans } from '../mcp/plans.ts';
import { StateFolder } from '../state.ts';
import { ModelAbilities } from './abilities.ts';
import type { ApiKeys } from './api-keys.ts';
import { Authoring } from './authoring.ts';
import type { Failures } from './failures.ts';
import { newErrors } from './language-errors.ts';
import { ModelServers } from './model-servers.ts';
import { onPath } from './on-path.ts';
import type { ProblemPanel } from './problem-panel.ts';
import { ripgrep } from './ripgrep.ts';
import { ServersSide } from './servers-side.ts';
import { SkillsSide } from './skills-side.ts';
import { workspace, type WindowSettings } from './surroundings.ts';
import { undoneWords } from './undone.ts';
import { EditorModels, hasEditorModels } from './vscode-models.ts';
import { whichSkill } from './which-skill.ts';

export interface EngineParts {
  /** Of this extension. */
  readonly version: string;
  readonly settings: WindowSettings;
  readonly keys: ApiKeys;
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
  /** The chat was emptied. */
  cleared(): void;
  /** What the chat's status or the trees show may have changed. */
  changed(): void;
  readonly failures: Failures;
}

export class Engine {
  readonly core: Core;
  readonly models: ModelServers;
  readonly authoring: Authoring;
  readonly skills: SkillsSide;
  readonly #parts: EngineParts;
  readonly servers: ServersSide;
  readonly #contributors: readonly Contributor[];
  readonly #session: AgentSession;
  readonly #hosts: Hosts;
  readonly #abilities: ModelAbilities;
  readonly #ended = new AbortController();
  /** Looks again, a moment after what may have changed how skills and servers stand. */
  readonly #soon = new Settled(() => {
    const looks = Promise.all([this.skills.look(), this.servers.look()]);
    this.#parts.failures.watch('skills and servers', looks);
  });
  readonly #emit: Emit = (event) => {
    this.#parts.emit(event);
    if (event.type === 'answered' || event.type === 'turnEnded') this.#soon.touch();
  };
  #reviews = 0;
  #lastMessage = '';
  /** A message that is sent while a chat is cleared belongs to the new one. */
  #cleared: Promise<void> = Promise.resolve();

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
      usual: usualPorts.map(({ port }) => `localhost:${port}`),
      changed,
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
    const skills = new Skills(shared);
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
    const plans = trusted(new FileServerPlans(shared));
    const session = new SessionServers({ ...shared, workspace });
    const contributor = new ServersContributor({ ...shared, plans, workspace, session });
    this.servers = new ServersSide({
      core: this.core,
      plans,
      contributor,
      session,
      panel: parts.panel,
      userHome,
      review: (card) => this.#review(card),
      changed,
      failed: parts.failures.say,
    });
    this.#contributors = [new SkillsContributor({ ...shared, skills }), contributor];
    this.#session = new AgentSession({
      ...shared,
      provider: async () => {
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
  }

  /** Looks at what the workspace has and goes on looking; again when folders or trust changed. */
  async start(): Promise<void> {
    this.skills.watch();
    this.servers.watch();
    await Promise.all([this.skills.look(), this.servers.look()]);
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

  async send(text: string): Promise<void> {
    if (text.trim() === '/new') return this.newChat();
    await this.#cleared;
    this.#lastMessage = text;
    await this.#session.send(text);
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

  /** The last message again. */
  retry(): Promise<void> {
    return this.send(this.#lastMessage);
  }

  stop(): void {
    this.#session.stop();
  }

  newChat(): Promise<void> {
    this.#cleared = this.#session.reset().then(() => this.#parts.cleared());
    return this.#cleared;
  }

  /** Ends everything that was started. */
  async dispose(): Promise<void> {
    this.#ended.abort();
    this.#soon.dispose();
    this.skills.dispose();
    this.servers.dispose();
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
