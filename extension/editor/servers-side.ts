/**
 * MCP servers in the editor: their view, findings in their configuration files, review and revoking,
 * start, stop and log. The plan is read again when a file changes; what runs is not touched by that.
 */
import { dirname, join, relative } from 'node:path';
import * as vscode from 'vscode';
import type { Ask, CardAnswer } from '../agent/tool.ts';
import type { ServerEntry } from '../chat/protocol.ts';
import type { Card, Core, Problem } from '../core.ts';
import type { ServersContributor } from '../mcp/contributor.ts';
import type { PlannedServer, ServerPlan, ServerPlans } from '../mcp/plans.ts';
import type { SessionServers } from '../mcp/session-servers.ts';
import { Looks } from './looks.ts';
import type { FileProblems, ProblemPanel } from './problem-panel.ts';
import { ServerLogs } from './server-logs.ts';
import { fileOf, lookOf, serverTree, type ServerTreeParts } from './server-tree.ts';
import type { ServerSignIns } from './server-sign-ins.ts';
import { openFile } from './show.ts';
import { shortPath, workspace } from './surroundings.ts';
import type { TreeNode } from './tree-node.ts';
import { watchFiles } from './watcher.ts';
import { say } from './words.ts';

export interface ServersSideParts {
  readonly core: Core;
  readonly plans: ServerPlans;
  readonly contributor: Pick<ServersContributor, 'servers' | 'standings' | 'reload'>;
  /** Servers that the agent connected: they stand in no file. */
  readonly session: Pick<SessionServers, 'get' | 'list' | 'revoke'>;
  readonly signIns: ServerSignIns;
  readonly panel: ProblemPanel;
  /** Absolute. */
  readonly userHome: string;
  /** Shows a card outside of a turn. */
  review(card: Card): Promise<CardAnswer>;
  changed(): void;
  failed(what: string, error: unknown): void;
}

export class ServersSide implements vscode.Disposable {
  readonly #parts: ServersSideParts;
  readonly #logs: ServerLogs;
  readonly #stopListening: () => void;
  #plan: ServerPlan | null = null;
  readonly #looks = new Looks(() => this.#look());
  #watch: vscode.Disposable | null = null;

  constructor(parts: ServersSideParts) {
    this.#parts = parts;
    this.#logs = new ServerLogs((name) => parts.contributor.servers.lines(name));
    const { servers } = parts.contributor;
    const stops = [
      servers.onChange(() => parts.changed()),
      servers.onLine((name) => this.#logs.update(name)),
    ];
    this.#stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  /** The plan as it was read last; reads it when nobody has yet. */
  async plan(): Promise<ServerPlan> {
    return this.#plan ?? this.#looks.shared();
  }

  /** Reads the files as they stand now. */
  look(): Promise<ServerPlan> {
    return this.#looks.fresh();
  }

  async #look(): Promise<ServerPlan> {
    const { plans, panel, signIns, changed } = this.#parts;
    const plan = await plans.read(workspace());
    await signIns.look(plan.servers);
    this.#plan = plan;
    panel.setAll('servers', problemsByFile(plan));
    changed();
    return plan;
  }

  /** Watches the files of the workspace as it stands now. */
  watch(): void {
    this.#watch?.dispose();
    const { userHome } = this.#parts;
    const files = [
      ...workspace().folders.flatMap((folder) => [
        { folder, name: '.mcp.json' },
        { folder, name: '.gbs/mcp.json' },
      ]),
      { folder: join(userHome, '.gbs'), name: 'mcp.json' },
      { folder: join(userHome, '.claude'), name: 'mcp.json' },
    ];
    this.#watch = watchFiles(files, () => {
      this.look().catch((error: unknown) => this.#parts.failed('servers', error));
    });
  }

  async nodes(): Promise<readonly TreeNode[]> {
    const plan = await this.plan();
    return serverTree({ ...plan, servers: this.#all(plan) }, this.#treeParts());
  }

  /** For the chat's chip. */
  get shown(): readonly ServerEntry[] {
    const parts = this.#treeParts();
    return (this.#plan === null ? [] : this.#all(this.#plan)).map((server) => {
      const { kind, text } = lookOf(server, parts);
      const state = parts.state(server.name);
      return {
        name: server.name,
        state: kind,
        tools: state?.kind === 'running' ? state.offer.tools.length : 0,
        detail: text,
        withheld: parts.standings(server.name).filter((tool) => tool.state === 'withheld').length,
      };
    });
  }

  #all({ servers }: ServerPlan): readonly PlannedServer[] {
    const connected = this.#parts.session.list().map(({ name, origin, path }): PlannedServer => ({
      name,
      origin,
      path,
      line: 1,
      description: vscode.l10n.t('The agent connected it for this session; you allowed it.'),
      standing: { kind: 'ready' },
      address: null,
    }));
    return [...connected, ...servers];
  }

  /** Starts a server as its entry stands now, after its consent where that is due. */
  start(name: string): Promise<void> {
    return this.#begin(name, false);
  }

  stop(name: string): Promise<void> {
    return this.#parts.contributor.servers.stop(name);
  }

  restart(name: string): Promise<void> {
    return this.start(name);
  }

  /** Asks about a server that waits, and starts it after a yes. */
  approve(name: string): Promise<void> {
    return this.#begin(name, true);
  }

  async #begin(name: string, asked: boolean): Promise<void> {
    const { plans, contributor, review, session } = this.#parts;
    const connected = session.get(name);
    if (connected !== null) return contributor.servers.start(connected);
    const { signal } = new AbortController();
    if (asked) await plans.forgetDeclined(workspace(), [name]);
    const plan = await plans.read(workspace());
    const only = { ...plan, servers: plan.servers.filter((server) => server.name === name) };
    const ask: Ask = (card) => review(card);
    const [server] = await plans.approve(only, ask, signal);
    if (server !== undefined) await contributor.servers.start(server);
    await this.look();
  }

  /** Signs in, and starts the server with what that gave. Without a name the user chooses one. */
  async signIn(name: string | null): Promise<void> {
    const { signIns } = this.#parts;
    const server = await this.#withAddress(name, () => true);
    if (server?.address?.ownAuthorization === true) {
      const { l10n, window } = vscode;
      void window.showWarningMessage(
        l10n.t(
          'The entry of {0} in {1} has an "Authorization" in its headers, and that is what is sent. Remove it there to sign in.',
          this.#treeParts().visible(server.name),
          shortPath(server.path),
        ),
      );
      return;
    }
    if (server === null || !(await signIns.signIn(server))) return;
    await this.start(server.name);
  }

  /** Signs out and stops the server: what it was given is good no more. */
  async signOut(name: string | null): Promise<void> {
    const { signIns } = this.#parts;
    const server = await this.#withAddress(name, (each) => signIns.isSignedIn(each));
    if (server === null) return;
    await signIns.signOut(server);
    await this.stop(server.name);
    await this.look();
  }

  /** A server that is called by its address and may be: nobody signs in to what was not approved. */
  async #withAddress(
    name: string | null,
    fits: (server: PlannedServer) => boolean,
  ): Promise<PlannedServer | null> {
    const { l10n, window } = vscode;
    const { servers } = await this.look();
    const some = servers.filter(
      (each) => each.address !== null && each.standing.kind === 'ready' && fits(each),
    );
    if (name !== null) return some.find((each) => each.name === name) ?? null;
    const { visible } = this.#treeParts();
    const items = some.map((server) => ({
      label: visible(server.name),
      description: visible(server.address?.shown ?? ''),
      server,
    }));
    if (items.length === 0) {
      void window.showInformationMessage(
        l10n.t('No server here that is reached by a url and approved.'),
      );
      return null;
    }
    return (await window.showQuickPick(items, { title: l10n.t('Which server?') }))?.server ?? null;
  }

  showLog(name: string): void {
    this.#logs.show(name);
  }

  async openConfiguration(row: TreeNode): Promise<void> {
    const plan = await this.plan();
    const found =
      [...plan.shadowed, ...plan.disabled].find(
        (server) => row.place?.path === server.path && row.place.line === server.line,
      ) ?? plan.servers.find(({ name }) => name === row.subject);
    const place = found === undefined ? null : fileOf(found);
    if (place !== null) return openFile(place.path, place.line, []);
    await vscode.commands.executeCommand(
      'workbench.action.openSettings',
      '@id:gbsAgent.mcpServers',
    );
  }

  /** Lists what a server gives and what it does not, each with its reason. */
  async whyMissing(name: string): Promise<void> {
    const { l10n, window } = vscode;
    const server = (await this.plan()).servers.find((each) => each.name === name);
    if (server === undefined) {
      void window.showInformationMessage(
        l10n.t('This entry is not used; another one stands in its place, or it is turned off.'),
      );
      return;
    }
    await window.showQuickPick(this.#reasons(server), {
      title: l10n.t('Tools of {0}', name),
      placeHolder: lookOf(server, this.#treeParts()).text,
      matchOnDescription: true,
    });
  }

  #reasons(server: PlannedServer): vscode.QuickPickItem[] {
    const { l10n } = vscode;
    const { contributor, core } = this.#parts;
    const state = contributor.servers.state(server.name);
    if (state?.kind !== 'running' || server.standing.kind !== 'ready') {
      return [
        {
          label: `$(info) ${l10n.t('It does not run, so it gives no tools.')}`,
          description: lookOf(server, this.#treeParts()).text,
        },
      ];
    }
    const found = new Map(
      (contributor.standings().get(server.name) ?? []).map((tool) => [tool.tool, tool]),
    );
    return [
      ...state.offer.tools.map(({ name }) => {
        const { state: stands, why } = found.get(name) ?? { state: 'ready', why: '' };
        const icon = { ready: 'check', deferred: 'search', withheld: 'lock' }[stands];
        const words = {
          ready: l10n.t('ready'),
          deferred: l10n.t('deferred: the model looks it up before it calls it'),
          withheld: l10n.t('withheld: {0}', core.visibleText(why)),
        }[stands];
        return { label: `$(${icon}) ${core.visibleText(name)}`, description: words };
      }),
      ...state.offer.problems.map((problem) => ({
        label: `$(warning) ${core.visibleText(problem)}`,
      })),
    ];
  }

  async revoke(names: readonly string[] | null): Promise<readonly string[]> {
    const { plans, contributor, session } = this.#parts;
    const kept = await plans.revoke(workspace(), names);
    const revoked = [...new Set([...kept, ...session.revoke(names)])].sort();
    for (const name of revoked) await contributor.servers.stop(name);
    await this.look();
    return revoked;
  }

  async reload(): Promise<void> {
    await this.#parts.contributor.reload();
    await this.look();
  }

  check(document: vscode.TextDocument): void {
    const problems = this.#parts.plans.check(document.uri.fsPath, document.getText());
    this.#parts.panel.setDocument('servers', document, problems);
  }

  dispose(): void {
    this.#watch?.dispose();
    this.#stopListening();
    this.#logs.dispose();
    this.#parts.signIns.dispose();
  }

  #treeParts(): ServerTreeParts {
    const { core, contributor, signIns, userHome } = this.#parts;
    const { servers } = contributor;
    return {
      visible: (text) => core.visibleText(text),
      say,
      shortPath: (path) => {
        const inside = relative(userHome, path);
        if (dirname(path) === '.') return path;
        const short = shortPath(path);
        return short === path && !inside.startsWith('..') ? `~/${inside}` : short;
      },
      state: (name) => servers.state(name),
      lines: (name) => servers.lines(name),
      standings: (name) => contributor.standings().get(name) ?? [],
      need: (server) => signIns.need(server),
      isSignedIn: (server) => signIns.isSignedIn(server),
    };
  }
}

function problemsByFile({ problems }: ServerPlan): readonly FileProblems[] {
  const files = new Map<string, Problem[]>();
  for (const { path, problem } of problems) {
    if (fileOf({ path, line: 1 }) === null) continue;
    files.set(path, [...(files.get(path) ?? []), problem]);
  }
  return [...files].map(([path, found]) => ({ path, problems: found }));
}
