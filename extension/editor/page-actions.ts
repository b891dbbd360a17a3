/** What the chat's page asks for, carried out: each request calls one small thing. */
import * as vscode from 'vscode';
import type { NoticeAction } from '../agent/events.ts';
import type { ChatHost, Request } from '../chat/host.ts';
import type { Completion, Way } from '../chat/protocol.ts';
import type { Log } from '../log.ts';
import { never } from '../never.ts';
import { FileCompletions } from './completions.ts';
import type { Engine } from './engine.ts';
import { openFile, openLink, type ChangeView } from './show.ts';
import type { WindowSettings } from './surroundings.ts';

type CompleteRequest = Extract<Request, { readonly type: 'complete' }>;
type ServerAction = Extract<Request, { readonly type: 'server' }>['action'];

export interface PageActionParts {
  /** Made after this: each needs the other. */
  host(): ChatHost;
  readonly settings: WindowSettings;
  readonly log: Log;
  readonly changes: ChangeView;
  engine(): Promise<Engine>;
  folders(): readonly string[];
  run(command: string): void;
  failed(what: string, error: unknown): void;
}

export class PageActions {
  readonly #parts: PageActionParts;
  readonly #files: FileCompletions;

  constructor(parts: PageActionParts) {
    this.#parts = parts;
    this.#files = new FileCompletions(parts.log);
  }

  readonly receive = (request: Request): void => {
    this.#carryOut(request).catch((error: unknown) => this.#parts.failed(request.type, error));
  };

  async #carryOut(request: Request): Promise<void> {
    const { settings, changes, folders, run } = this.#parts;
    const host = this.#parts.host();
    switch (request.type) {
      case 'send':
        return (await this.#parts.engine()).send(request.text, request.images);
      case 'stop':
        return (await this.#parts.engine()).stop();
      case 'newChat':
        return (await this.#parts.engine()).newChat();
      case 'editQueued':
        return (await this.#parts.engine()).editQueued(request.id, request.text);
      case 'setMode':
        return settings.setMode(request.mode);
      case 'setModel':
        return (await this.#parts.engine()).models.choose(request.server, request.model);
      case 'open':
        return openFile(request.path, request.line, folders());
      case 'openDiff': {
        const card = host.card(request.card);
        return card === null ? undefined : changes.show(request.card, card, folders());
      }
      case 'openLink':
        return openLink(request.url);
      case 'undo': {
        const plan = await (await this.#parts.engine()).undoPlan(request.turn);
        return host.tell({ type: 'undoPlan', turn: request.turn, files: plan });
      }
      case 'rewindPlan': {
        const plan = await (await this.#parts.engine()).rewindPlan(request.turn);
        return host.tell({ type: 'rewindPlan', turn: request.turn, ...plan });
      }
      case 'rewind':
        return (await this.#parts.engine()).rewind(request.turn, request);
      case 'listChats':
        return this.#listChats(request.query);
      case 'openChat':
        return (await this.#parts.engine()).openChat(request.id);
      case 'renameChat':
        await (await this.#parts.engine()).chats.rename(request.id, request.title);
        return this.#listChats('');
      case 'deleteChat':
        await (await this.#parts.engine()).deleteChat(request.id);
        return this.#listChats('');
      case 'undoNow':
        return (await this.#parts.engine()).undo(request.turn);
      case 'notice':
        return this.#notice(request.code, request.action);
      case 'copy':
        return vscode.env.clipboard.writeText(request.text);
      case 'insert':
        return insert(request.text);
      case 'complete':
        return this.#complete(request);
      case 'way':
        return this.#way(request.way);
      case 'show':
        return run(shownBy[request.view]);
      case 'skill':
        return this.#skill(request.name, request.action);
      case 'server':
        return this.#server(request.name, request.action);
      default:
        return never(request);
    }
  }

  async #listChats(query: string): Promise<void> {
    const { chats } = await this.#parts.engine();
    this.#parts.host().tell({ type: 'chats', query, ...(await chats.list(query)) });
  }

  async #skill(name: string, action: 'open' | 'review'): Promise<void> {
    const { skills } = await this.#parts.engine();
    switch (action) {
      case 'open':
        return skills.open(name);
      case 'review':
        return skills.approve(name);
      default:
        return never(action);
    }
  }

  async #server(name: string, action: ServerAction): Promise<void> {
    const { servers } = await this.#parts.engine();
    switch (action) {
      case 'review':
        return servers.approve(name);
      case 'start':
        return servers.start(name);
      case 'stop':
        return servers.stop(name);
      case 'restart':
        return servers.restart(name);
      case 'log':
        return servers.showLog(name);
      default:
        return never(action);
    }
  }

  /** Skills are known at once; servers are asked and files searched for, which takes a while. */
  async #complete({ request, kind, query }: CompleteRequest): Promise<void> {
    const { host, engine } = this.#parts;
    const tell = (items: readonly Completion[]): unknown =>
      host().tell({ type: 'completions', request, items });
    const { skills, completions } = await engine();
    if (kind === 'slash') {
      const own = await skills.completions(query);
      if (own.length > 0) tell(own);
      tell([...own, ...(await completions.prompts(query))]);
      return;
    }
    const mentions = await skills.mentions(query);
    if (mentions.length > 0) tell(mentions);
    const found = await Promise.all([completions.resources(query), this.#files.of(query)]);
    tell([...mentions, ...found.flat()]);
  }

  async #notice(code: string, action: NoticeAction | 'dismiss'): Promise<void> {
    const { run } = this.#parts;
    const host = this.#parts.host();
    switch (action) {
      case 'dismiss':
        return host.add({ type: 'noticeGone', code });
      case 'retry':
        return (await this.#parts.engine()).retry();
      case 'chooseServer':
        return run('gbsAgent.chooseModel');
      case 'openSettings':
        return run('gbsAgent.openSettings');
      case 'reload':
        return run('gbsAgent.reload');
      case 'showLog':
        return run('gbsAgent.showLog');
      case 'review':
        return run('gbsAgent.showCard');
      default:
        return never(action);
    }
  }

  async #way(way: Way): Promise<void> {
    const engine = await this.#parts.engine();
    switch (way) {
      case 'lookAgain':
        return engine.models.look();
      case 'startOllama':
        return startOllama();
      case 'getOllama':
        return openLink('https://ollama.com/download');
      case 'lmStudio':
        return openLink('https://lmstudio.ai/docs/developer/core/server');
      case 'address':
        return engine.models.enterAddress();
      case 'demo':
        return engine.demo();
      case 'remote':
        return (await howToReach()) === 'address' ? engine.models.enterAddress() : undefined;
      default:
        return never(way);
    }
  }
}

const shownBy = {
  skills: 'gbsAgent.skills.focus',
  servers: 'gbsAgent.servers.focus',
  model: 'gbsAgent.chooseModel',
  log: 'gbsAgent.showLog',
  trust: 'workbench.trust.manage',
} as const;

/** Puts code at the cursor of the editor the user last used. */
async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void vscode.window.showInformationMessage(vscode.l10n.t('No editor is open to insert into.'));
    return;
  }
  await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

/** In a terminal of the editor, where the user sees what it says and can end it. */
function startOllama(): void {
  const terminal = vscode.window.createTerminal({ name: 'Ollama' });
  terminal.show(true);
  terminal.sendText('ollama serve');
}

async function howToReach(): Promise<'address' | 'nothing'> {
  const address = vscode.l10n.t('Enter an Address…');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      "The agent runs where this window's files are, and localhost is that machine. To reach a model server on your own computer: forward its port to the remote, or enter an address of your computer, such as http://host.docker.internal:11434/v1 from a container.",
    ),
    { modal: true },
    address,
  );
  return chosen === address ? 'address' : 'nothing';
}
