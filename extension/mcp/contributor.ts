/**
 * MCP servers as a contribution to a run: plan → consent → running servers → tools.
 *
 * The list is fixed for a run. What a server changes meanwhile waits for the next rebuild, and for
 * the user where it is not what was approved.
 */
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Contribution, Contributor, Preparation, Workspace } from '../agent/contributor.ts';
import type { Settings } from '../agent/settings.ts';
import type { Tool } from '../agent/tool.ts';
import type { Core } from '../core.ts';
import { TOOLS_WINDOW_PERCENT, CHARACTERS_PER_TOKEN } from '../limits.ts';
import type { Log } from '../log.ts';
import type { StateFolder } from '../state.ts';
import type { ServerTools } from './connection.ts';
import { deferredTools } from './deferred.ts';
import { elicitBy, type Elicit } from './elicitation.ts';
import { Eras } from './eras.ts';
import type { HttpAuthorization } from './http-authorization.ts';
import { mentioned } from './mentions.ts';
import { ServerSkillLists } from './offered-skills.ts';
import { ServerOffers } from './offers.ts';
import { Pins, whyWithheld, type Compared } from './pins.ts';
import type { ApprovedServer, ServerPlan, ServerPlans } from './plans.ts';
import { hasEntries, selfConfigurationTools } from './self-configuration.ts';
import { resourceTool } from './resource-tool.ts';
import { failureNotice, planNotices } from './server-notices.ts';
import { placeOf, serverTool, type ServerPlace } from './server-tool.ts';
import { ServerSet } from './servers.ts';
import { standingsOf, tokensOf, type Offered, type ToolStanding } from './tool-standings.ts';
import type { SessionServers } from './session-servers.ts';

export interface ServersContributorParts {
  readonly core: Core;
  readonly settings: () => Settings;
  readonly state: StateFolder;
  readonly log: Log;
  readonly plans: ServerPlans;
  /** As it stands now: a server can be started before the first run. */
  readonly workspace: () => Workspace;
  /** Servers that the agent connects by itself; without it there are no tools for that. */
  readonly session?: SessionServers;
  /** How an address is opened for a server; without it nobody can answer what servers ask. */
  readonly openAddress?: (url: string) => Promise<void>;
  /** Who signs requests to servers over HTTP. */
  readonly authorization?: HttpAuthorization;
  /** We run on another machine than the user's. */
  readonly remote?: boolean;
}

export class ServersContributor implements Contributor {
  /** The running servers, for whoever shows them. */
  readonly servers: ServerSet;
  /** Their resources and prompts. */
  readonly offers: ServerOffers;
  /** The skills that they offer. */
  readonly skills: ServerSkillLists;
  readonly #parts: ServersContributorParts;
  readonly #pins: Pins;
  readonly #told = new Set<string>();
  readonly #unsubscribe: () => void;
  #standings = new Map<string, readonly ToolStanding[]>();
  /** The offers that the current contribution was made of. */
  #used = new Map<string, ServerTools>();
  #changed = false;
  /** The agent connected, disconnected or reloaded something. */
  #configured = false;
  /** The plan that the last preparation was made of; null where servers are switched off. */
  #plan: ServerPlan | null = null;
  /** Names of servers that the agent stopped and nobody started since. */
  readonly #stoppedByAgent = new Set<string>();

  constructor(parts: ServersContributorParts) {
    this.#parts = parts;
    const elicitation = parts.openAddress !== undefined;
    this.#pins = new Pins(parts.core, parts.state, elicitation);
    this.servers = new ServerSet({
      core: parts.core,
      client: { name: 'gbs-agent', version: parts.core.version() },
      log: parts.log,
      roots: () =>
        parts.workspace().folders.map((folder) => ({
          uri: pathToFileURL(folder).href,
          name: basename(folder),
        })),
      elicitation,
      notified: (name, method) => {
        this.offers.notified(name, method);
        this.skills.notified(name, method);
      },
      eras: new Eras(parts.state, () => this.#folder()),
      ...(parts.authorization === undefined ? {} : { authorization: parts.authorization }),
      changedSince: (server) =>
        parts.session !== undefined && server.origin === 'agent'
          ? parts.session.changedSince(server)
          : parts.plans.changedSince(server),
    });
    this.offers = new ServerOffers(this.servers);
    this.skills = new ServerSkillLists(parts.core, this.servers);
    this.#unsubscribe = this.servers.onChange((name) => {
      const state = this.servers.state(name);
      // Whoever stops it the next time, it is not this stop that is then in force.
      if (state?.kind !== 'stopped') this.#stoppedByAgent.delete(name);
      const used = this.#used.get(name);
      if (used !== undefined && state?.kind === 'running' && state.offer !== used) {
        this.#changed = true;
      }
    });
  }

  /**
   * The tools of each running server as the last preparation left them; what the server says
   * otherwise since then waits for the next one.
   */
  standings(): ReadonlyMap<string, readonly ToolStanding[]> {
    const now = new Map(this.#standings);
    for (const [name, used] of this.#used) {
      const state = this.servers.state(name);
      if (state?.kind !== 'running' || state.offer === used) continue;
      now.set(name, [...this.#since(name, used, state.offer)]);
    }
    return now;
  }

  *#since(name: string, used: ServerTools, offer: ServerTools): Iterable<ToolStanding> {
    const { changes } = this.#parts.core.compareTools(said(name, used), said(name, offer));
    const waits = new Map(
      changes.map(({ tool, parts }) => [tool, `${whyWithheld(parts)}; you are asked next time`]),
    );
    for (const standing of this.#standings.get(name) ?? []) {
      const why = waits.get(standing.tool);
      waits.delete(standing.tool);
      yield why === undefined ? standing : { ...standing, state: 'withheld', why, tokens: 0 };
    }
    for (const [tool, why] of waits) {
      yield { tool, state: 'withheld', why, tokens: 0, readOnly: false };
    }
  }

  async prepare(preparation: Preparation): Promise<Contribution> {
    const { emit, signal } = preparation;
    this.#changed = false;
    this.#configured = false;
    const approved = await this.#approved(preparation);
    const starting = approved.filter(({ name }) => this.servers.state(name)?.kind !== 'running');
    if (starting.length > 0) {
      const names = starting.map(({ name }) => name);
      emit({ type: 'phase', phase: { kind: 'startingServers', names } });
    }
    await this.servers.ensure(approved, signal);
    this.#tellFailures(emit);
    const offered: Offered[] = [];
    for (const server of approved) {
      const one = await this.#offered(server, preparation);
      if (one !== null) offered.push(one);
    }
    for (const { server, compared } of offered) {
      this.#tellWithheld(server.name, compared, preparation);
    }
    const { message = '', contextWindow } = preparation;
    const hint = await this.#mentioned(message, contextWindow, signal, preparation);
    return { ...this.#contribution(offered, preparation), hint };
  }

  /** In the middle of a turn nobody is asked for the arguments of a prompt. */
  asked(message: string, contextWindow: number): Promise<string> {
    return this.#mentioned(message, contextWindow, new AbortController().signal, null);
  }

  /** What the message names of servers: resources to bring along, a prompt to use. */
  #mentioned(
    message: string,
    contextWindow: number,
    signal: AbortSignal,
    preparation: Preparation | null,
  ): Promise<string> {
    return mentioned(message, {
      core: this.#parts.core,
      offers: this.offers,
      maxCharacters: this.#mostCharacters(contextWindow),
      signal,
      ask: preparation?.ask ?? null,
      elicit: (server, during) =>
        preparation === null ? null : this.#elicit(server, during, preparation),
    });
  }

  /** No result takes more than a quarter of the window. */
  #mostCharacters(contextWindow: number): number {
    const quarter = Math.floor((contextWindow * CHARACTERS_PER_TOKEN) / 4);
    return Math.max(1, Math.min(this.#parts.settings().maxToolOutputChars, quarter));
  }

  takeRebuild(): boolean {
    if (this.#configured) return true;
    if (!this.#changed) return false;
    // A list that is still changing is not worth a new prompt.
    if (![...this.#used.keys()].every((name) => this.servers.quiet(name))) return false;
    this.#changed = false;
    return [...this.#used].some(([name, used]) => {
      const state = this.servers.state(name);
      return state?.kind === 'running' && !this.#same(name, used, state.offer);
    });
  }

  /** Definitions are in no history. */
  forgotten(): void {
    return;
  }

  /** After a reload: what failed is tried again, and what was put off is asked again. */
  async reload(): Promise<void> {
    this.#told.clear();
    this.skills.reload();
    this.servers.forgetFailures();
    await this.#parts.plans.forgetDeclined(this.#parts.workspace(), null);
    await this.#pins.forgetDeclined(this.#folder());
  }

  async dispose(hurried = false): Promise<void> {
    this.#unsubscribe();
    await this.servers.dispose(hurried);
  }

  #folder(): string {
    return this.#parts.workspace().folders[0] ?? '';
  }

  /** The servers that may run, after the questions that are due. */
  async #approved({
    workspace,
    ask,
    emit,
    signal,
  }: Preparation): Promise<readonly ApprovedServer[]> {
    this.#plan = null;
    if (!this.#parts.settings().mcpEnabled) return [];
    const { plans, session } = this.#parts;
    const plan = await plans.read(workspace);
    this.#plan = plan;
    for (const notice of planNotices(plan)) {
      const key = `${notice.fact} ${notice.cause}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      emit({ type: 'notice', notice });
    }
    const running = this.servers
      .standings()
      .flatMap(({ server, state }) => (state.kind === 'running' ? [server.launch] : []));
    const approved = await plans.approve({ ...plan, running: new Set(running) }, ask, signal);
    // A file that names one of the session's servers by now has the last word.
    for (const { name } of approved) session?.remove(name);
    return [...approved, ...(session?.list() ?? [])];
  }

  /** What a running server offers, compared with its pin; asks about what changed. */
  async #offered(server: ApprovedServer, preparation: Preparation): Promise<Offered | null> {
    const { ask, signal } = preparation;
    const folder = this.#folder();
    const look = async (): Promise<Offered | null> => {
      const state = this.servers.state(server.name);
      if (state?.kind !== 'running') return null;
      const { offer } = state;
      return { server, offer, compared: await this.#pins.compare(folder, server, offer) };
    };
    let seen = await look();
    if (seen === null) return null;
    const { compared, offer } = seen;
    // Servers register tools after their start; a pin, or a question, is about the list at rest.
    if (offer.peer.tellsChanges && (compared.first || compared.withheld.length > 0)) {
      await this.servers.settled(server.name, signal);
      seen = await look();
      if (seen === null) return null;
    }
    if (seen.compared.first) {
      await this.#pins.pin(folder, server, seen.offer);
      return seen;
    }
    if (seen.compared.card === null || signal.aborted) return seen;
    const answer = await ask(seen.compared.card, signal);
    if (answer.answer === 'allow' || answer.answer === 'allowSession') {
      await this.#pins.pin(folder, server, seen.offer);
      return { ...seen, compared: await this.#pins.compare(folder, server, seen.offer) };
    }
    if (answer.answer === 'notNow' && !signal.aborted) {
      await this.#pins.decline(folder, server, seen.offer);
    }
    return seen;
  }

  #tellFailures(emit: Preparation['emit']): void {
    for (const { server, failure } of this.servers.takeFailures()) {
      this.#parts.log.info(`${server.name}: ${failure.fact} ${failure.stderr}`);
      emit({ type: 'notice', notice: failureNotice(server.name, failure) });
    }
  }

  #tellWithheld(name: string, { withheld }: Compared, { emit }: Preparation): void {
    const key = JSON.stringify([name, withheld]);
    if (withheld.length === 0 || this.#told.has(key)) return;
    this.#told.add(key);
    const words = withheld.map(
      (tool) => `${name} ${tool.name} waits for your review: ${tool.why}.`,
    );
    emit({
      type: 'notice',
      notice: {
        code: 'tools-withheld',
        severity: 'warning',
        fact: words.join(' '),
        cause: '',
        remedy: 'Review the change to let the agent use it again.',
        lasting: false,
        actions: [{ id: 'review', label: 'Review' }],
      },
    });
  }

  #contribution(offered: readonly Offered[], preparation: Preparation): Contribution {
    const { core, settings, log } = this.#parts;
    const { mcpToolLoading } = settings();
    const window = preparation.contextWindow;
    const maxCharacters = this.#mostCharacters(window);
    const made = offered.flatMap(({ server, compared }) =>
      compared.tools.map((definition) =>
        serverTool({
          core,
          servers: this.servers,
          server,
          definition,
          place: this.#place(server),
          maxCharacters,
          elicit: this.#elicit(server.name, definition.name, preparation),
        }),
      ),
    );
    // Only a collision of hashes makes two names alike; the highest precedence comes last.
    const owners = new Map(made.map((tool) => [tool.name, tool]));
    const all = made.filter((tool) => owners.get(tool.name) === tool);
    const clashes = made.filter((tool) => owners.get(tool.name) !== tool);
    const tokens = all.reduce((sum, tool) => sum + tokensOf(tool), 0);
    const deferred =
      mcpToolLoading === 'search' ||
      (mcpToolLoading === 'auto' && tokens > (window * TOOLS_WINDOW_PERCENT) / 100);
    for (const tool of clashes) {
      log.warn(`A tool is left out, as another one has its name: ${tool.name}`);
    }
    this.#used = new Map(offered.map(({ server, offer }) => [server.name, offer]));
    this.#standings = standingsOf(offered, all, clashes, deferred);
    const offers = deferred && all.length > 0 ? deferredTools(core, all) : all;
    return {
      // First, so that what comes and goes behind them leaves the beginning of the prompt as it is.
      tools: [
        ...this.#management(preparation),
        ...this.#reading(offered, maxCharacters, preparation),
        ...offers,
      ],
      catalogue: '',
      servers: offered.map(({ server, compared }) => ({
        name: server.name,
        instructions: compared.instructions,
      })),
      hint: '',
    };
  }

  /** The tool that reads resources, where a server has some. */
  #reading(
    offered: readonly Offered[],
    maxCharacters: number,
    preparation: Preparation,
  ): readonly Tool[] {
    const has = new Set(this.offers.with('resources'));
    const owners = offered.map(({ server }) => server).filter(({ name }) => has.has(name));
    if (owners.length === 0) return [];
    return [
      resourceTool({
        core: this.#parts.core,
        offers: this.offers,
        servers: owners.map(({ name }) => name),
        maxCharacters,
        place: (name) => {
          const owner = owners.find((one) => one.name === name);
          return owner === undefined ? { goesTo: name, from: name } : this.#place(owner);
        },
        elicit: (server, during) => this.#elicit(server, during, preparation),
      }),
    ];
  }

  #place(server: ApprovedServer): ServerPlace {
    const { workspace, remote = false } = this.#parts;
    return placeOf(server, workspace(), remote);
  }

  /** How the user is asked for a server, during something of its own; null where nobody can answer. */
  #elicit(server: string, during: string, { ask }: Preparation): Elicit | null {
    const { core, openAddress } = this.#parts;
    return openAddress === undefined
      ? null
      : elicitBy({ core, ask, openAddress }, { server, during });
  }

  /** The tools by which the agent configures servers, where the user wants that and there is an entry. */
  #management(preparation: Preparation): readonly Tool[] {
    const { core, plans, session, settings, workspace } = this.#parts;
    if (session === undefined || !settings().selfConfiguration) return [];
    const isThere = session.list().length > 0 || (this.#plan !== null && hasEntries(this.#plan));
    if (this.#plan === null || !isThere) return [];
    const { servers } = this;
    const stopped = this.#stoppedByAgent;
    const changed = (): void => {
      this.#configured = true;
    };
    const failed = (name: string): void => {
      this.#configured ||= this.#used.has(name);
      this.#tellFailures(preparation.emit);
    };
    return selfConfigurationTools(
      { core, plans, session, servers, workspace, stopped, changed, failed },
      preparation,
    );
  }

  #same(name: string, before: ServerTools, now: ServerTools): boolean {
    const drift = this.#parts.core.compareTools(said(name, before), said(name, now));
    return drift.changes.length === 0 && drift.removed.length === 0 && !drift.instructions;
  }
}

function said(server: string, { peer, tools }: ServerTools): Parameters<Core['compareTools']>[0] {
  return { server, version: '', instructions: peer.instructions, tools: [...tools] };
}
