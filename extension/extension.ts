/**
 * The composition root: builds, wires, disposes. Nothing is decided here, and nothing is loaded
 * before it is needed: the agent's side stands in a bundle of its own.
 */
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ChatHost, chatView } from './chat/host.ts';
import { ApiKeys } from './editor/api-keys.ts';
import { AttentionView } from './editor/attention-view.ts';
import { registerCommands } from './editor/commands.ts';
import { ConfigLanguage } from './editor/config-language.ts';
import { ContextKeys } from './editor/context-keys.ts';
import { Documents } from './editor/documents.ts';
import { EditorLandings } from './editor/editor-landings.ts';
import type { Engine } from './editor/engine.ts';
import { Failures } from './editor/failures.ts';
import { Lazy } from './editor/lazy.ts';
import { PageActions } from './editor/page-actions.ts';
import { ProblemPanel } from './editor/problem-panel.ts';
import { SkillHeader } from './editor/skill-header.ts';
import { ChangeView } from './editor/show.ts';
import { chatStatus, translated } from './editor/status.ts';
import { WindowSettings, workspace } from './editor/surroundings.ts';
import { Tree } from './editor/tree.ts';
import { windowCommands } from './editor/window-commands.ts';

class Extension {
  #engine: Lazy<Promise<Engine>> | null = null;

  activate(context: vscode.ExtensionContext): void {
    const log = vscode.window.createOutputChannel('GBS Agent', { log: true });
    const failures = new Failures(log);
    const settings = new WindowSettings(log);
    const panel: ProblemPanel = new ProblemPanel(async (document, problem) =>
      (await engine.value).skills.fixes(document, problem),
    );
    const changes = new ChangeView();
    const contextKeys = new ContextKeys();
    const landings = new EditorLandings();
    const attention = new AttentionView(() => host.view);
    let made: Engine | null = null;

    const engine = new Lazy(async () => {
      const { Engine } = await import(/* webpackChunkName: "engine" */ './editor/engine.ts');
      made = new Engine({
        version: String(context.extension.packageJSON.version),
        settings,
        keys: new ApiKeys(context.secrets),
        secrets: context.secrets,
        landings,
        log,
        panel,
        stateRoot: context.globalStorageUri.fsPath,
        storage: join((context.storageUri ?? context.globalStorageUri).fsPath, 'agent'),
        emit: (event) => {
          host.emit(event);
          changes.noticing(event);
        },
        ask: host.ask,
        undone: (turn, note) => host.add({ type: 'undone', turn, note }),
        showCard: () => run('gbsAgent.showCard'),
        chat: () => host.chat,
        show: (chat, keepBox) => host.load(chat, keepBox),
        changed: () => {
          contextKeys.serverFound(made?.models.state.kind === 'found');
          host.refresh();
          skills.refresh();
          servers.refresh();
        },
        failures,
      });
      return made;
    });
    this.#engine = engine;

    const run = (command: string): void =>
      failures.watch(command, Promise.resolve(vscode.commands.executeCommand(command)));
    const start = (): void =>
      failures.watch(
        'start',
        engine.value.then((side) => side.start()),
      );
    const skills = new Tree(async () => (await engine.value).skills.nodes());
    const servers = new Tree(async () => (await engine.value).servers.nodes());
    const actions = new PageActions({
      host: () => host,
      settings,
      log,
      changes,
      engine: () => engine.value,
      folders: () => workspace().folders,
      run,
      failed: failures.say,
    });
    const host: ChatHost = new ChatHost({
      extensionUri: context.extensionUri,
      attention,
      status: () => chatStatus(settings, made),
      words: translated,
      receive: actions.receive,
      shown: () =>
        failures.watch(
          'models',
          engine.value.then((side) => side.models.ready()),
        ),
      takenUp: () =>
        engine.value.then(
          (side) => side.takenUp,
          () => undefined, // `shown` says why.
        ),
      changed: () => {
        contextKeys.update(host);
        made?.chats.changed();
      },
      problem: (message) => log.warn(`The chat's page: ${message}`),
      check: async (card, values) =>
        (await engine.value).core.readForm([...card.form], values).problems,
    });
    const documents = new Documents(
      (finder, document) =>
        failures.watch(
          'findings',
          engine.value.then((side) => side[finder].check(document)),
        ),
      start,
    );

    context.subscriptions.push(
      log,
      settings,
      panel,
      changes,
      attention,
      skills,
      servers,
      host,
      documents,
      new SkillHeader(),
      new ConfigLanguage(),
      settings.onDidChange(() => {
        host.refresh();
        if (made !== null) failures.watch('settings', made.settingsChanged());
      }),
      vscode.window.onDidChangeActiveTextEditor(() => made?.fileChanged()),
      vscode.workspace.onDidGrantWorkspaceTrust(start),
      vscode.workspace.onDidChangeWorkspaceFolders(start),
      vscode.window.registerWebviewViewProvider(chatView, host),
      vscode.window.registerUriHandler(landings),
      vscode.window.registerTreeDataProvider('gbsAgent.skills', skills),
      vscode.window.registerTreeDataProvider('gbsAgent.servers', servers),
      registerCommands(
        windowCommands({ host, log, settings, engine: () => engine.value }),
        failures.say,
      ),
    );
    // After this returned: what stands in the workspace is looked at without holding anybody up.
    setTimeout(start, 0);
  }

  async deactivate(): Promise<void> {
    const made = await this.#engine?.made;
    await made?.dispose();
  }
}

const extension = new Extension();

export function activate(context: vscode.ExtensionContext): void {
  extension.activate(context);
}

export function deactivate(): Promise<void> {
  return extension.deactivate();
}
