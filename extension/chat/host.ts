/**
 * The host of the chat view. It owns the page's life: a page may be killed whenever it is hidden, and
 * everything that lasts (transcript, draft, waiting cards) stays here and is given again when a page
 * says `ready`. What the page asks for beside that goes to `receive`.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { RunEvent } from '../agent/events.ts';
import type { CardAnswer } from '../agent/tool.ts';
import type { Card, FieldProblem } from '../core.ts';
import { ARMING_MS, FOUND_OUTPUTS, FRAME_MS } from '../limits.ts';
import { never } from '../never.ts';
import { Attention } from './attention.ts';
import type { ShownChat } from './chats.ts';
import { Conversation } from './conversation.ts';
import { pageHtml } from './html.ts';
import type { FromPage, PageCommand, Status, ToPage } from './protocol.ts';
import { waitingCards, type ChatEvent, type Draft, type Transcript } from './transcript.ts';
import { WaitingCards } from './waiting.ts';

/** What the page says that the host does not settle by itself. */
export type Request = Exclude<
  FromPage,
  {
    readonly type:
      'ready' | 'draft' | 'draftImages' | 'output' | 'findOutputs' | 'answer' | 'problem';
  }
>;

export interface HostParts {
  readonly extensionUri: vscode.Uri;
  readonly attention: ConstructorParameters<typeof Attention>[0];
  status(): Status;
  /** Translated words by their key; empty in English. */
  words(): Readonly<Record<string, string>>;
  receive(request: Request): void;
  /** Settles once the chat of the last run stands here, or there is none. */
  takenUp(): Promise<void>;
  /** The view can be seen for the first time, or again. */
  shown(): void;
  /** The transcript or the waiting cards changed. */
  changed(): void;
  problem(message: string): void;
  /** What is wrong with what was filled in. */
  check(card: Card, valuesJson: string): Promise<readonly FieldProblem[]>;
}

export const chatView = 'gbsAgent.chat';

export class ChatHost implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #parts: HostParts;
  readonly #conversation: Conversation;
  readonly #cards: WaitingCards;
  readonly #attention: Attention;
  #view: vscode.WebviewView | null = null;
  /** True between a page's `ready` and its end. */
  #ready = false;
  /** Where a page that is not there yet puts the focus once it is. */
  #later: ToPage | null = null;
  #status = '';

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#cards = new WaitingCards(Date.now, () => this.#changed());
    this.#attention = new Attention(parts.attention);
    this.#conversation = new Conversation({
      now: Date.now,
      post: (message) => this.#post(message),
      soon: (send) => setTimeout(send, FRAME_MS),
      changed: () => this.#changed(),
    });
  }

  get transcript(): Transcript {
    return this.#conversation.transcript;
  }

  get visible(): boolean {
    return this.#view?.visible === true;
  }

  /** The view, for what only a view can show, such as its badge. */
  get view(): vscode.WebviewView | null {
    return this.#view;
  }

  /** The oldest waiting card that can be answered by now, if the user can see it. */
  get answerable(): Card | null {
    const first = this.#cards.list[0];
    return this.visible && first !== undefined && Date.now() - first.since >= ARMING_MS
      ? first.card
      : null;
  }

  get waiting(): number {
    return this.#cards.list.length;
  }

  readonly emit = (event: RunEvent): void => {
    this.#conversation.emit(event);
    if (event.type === 'turnEnded') this.#denyForgotten();
  };

  add(event: ChatEvent): void {
    this.#conversation.add(event);
  }

  /** Shows nothing by itself: the event `card` with this id did. */
  readonly ask = (card: Card, signal: AbortSignal, id: string): Promise<CardAnswer> =>
    this.#cards.wait(id, card, signal);

  card(id: string): Card | null {
    return this.#cards.list.find((waiting) => waiting.id === id)?.card ?? null;
  }

  /** The chat as it can be kept. */
  get chat(): ShownChat {
    return this.#conversation.chat;
  }

  /** Another chat: the page is drawn anew; with `keepBox` the box stays as it is. */
  load(chat: ShownChat, keepBox: boolean): void {
    this.#conversation.load(chat);
    this.#denyForgotten();
    if (this.#ready) this.#init(!keepBox);
  }

  /** The status may have changed; the page is told when it did. */
  refresh(): void {
    if (!this.#ready) return;
    const status = this.#parts.status();
    const text = JSON.stringify(status);
    if (text === this.#status) return;
    this.#status = text;
    this.#post({ type: 'status', status });
  }

  tell(message: ToPage): void {
    if (this.#ready) this.#post(message);
    // Who asked for anything else is gone, and a card is answered only by who sees it.
    else if (message.type === 'command' && isFocus(message.command)) this.#later = message;
  }

  /** Shows the view and gives it the focus, then does `command` in the page. */
  async command(command: PageCommand): Promise<void> {
    await vscode.commands.executeCommand(`${chatView}.focus`);
    this.tell({ type: 'command', command });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const { webview } = view;
    const dist = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist], enableCommandUris: false };
    webview.onDidReceiveMessage((message: FromPage) => this.#receive(message));
    view.onDidChangeVisibility(() => {
      // A hidden page is killed; what it is told from now on would be lost.
      if (view.visible) this.#parts.shown();
      else this.#closed();
      this.#changed();
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = null;
      this.#closed();
      this.#changed();
    });
    webview.html = pageHtml({
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'page.js')).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, 'page.css')).toString(),
      source: webview.cspSource,
      nonce: randomBytes(24).toString('base64url'),
      language: vscode.env.language,
    });
    this.#parts.shown();
    this.#changed();
  }

  dispose(): void {
    this.#attention.dispose();
  }

  #receive(message: FromPage): void {
    switch (message.type) {
      case 'ready':
        return this.#start();
      case 'draft':
        return this.#draft({ text: message.text });
      case 'draftImages':
        return this.#draft({ images: message.images });
      case 'output':
        return this.#post({
          type: 'output',
          id: message.id,
          output: this.#conversation.output(message.id),
        });
      case 'findOutputs':
        return this.#post({
          type: 'outputsFound',
          query: message.query,
          ...this.#conversation.outputsWith(message.query, FOUND_OUTPUTS),
        });
      case 'answer':
        return this.#answered(message.card, message.answer);
      case 'problem':
        return this.#parts.problem(message.message);
      case 'send':
        this.#draft({ text: '', images: [] });
        return this.#parts.receive(message);
      case 'stop':
      case 'newChat':
      case 'setMode':
      case 'setModel':
      case 'editQueued':
      case 'open':
      case 'openDiff':
      case 'openLink':
      case 'undo':
      case 'undoNow':
      case 'notice':
      case 'copy':
      case 'insert':
      case 'complete':
      case 'way':
      case 'show':
      case 'skill':
      case 'server':
      case 'listChats':
      case 'openChat':
      case 'renameChat':
      case 'deleteChat':
      case 'rewindPlan':
      case 'rewind':
        return this.#parts.receive(message);
      default:
        return never(message);
    }
  }

  /** What a form holds is looked at before it counts as an answer. */
  #answered(id: string, answer: CardAnswer): void {
    const card = this.card(id);
    if (card === null || card.form.length === 0 || answer.answer !== 'allow') {
      this.#cards.answer(id, answer);
      return;
    }
    this.#parts.check(card, answer.values ?? '{}').then(
      (problems) => {
        if (problems.length > 0) this.#post({ type: 'formProblems', card: id, problems });
        else this.#cards.answer(id, answer);
      },
      (error: unknown) => this.#parts.problem(String(error)),
    );
  }

  #draft(change: Partial<Draft>): void {
    this.#conversation.draft = { ...this.#conversation.draft, ...change };
    this.#parts.changed();
  }

  /** A page is there; it is drawn once there is something to draw, unless it is gone by then. */
  #start(): void {
    const view = this.#view;
    void this.#parts.takenUp().then(() => {
      if (this.#view === view && this.visible) this.#init(false);
    });
  }

  #init(other: boolean): void {
    this.#ready = true;
    const status = this.#parts.status();
    this.#status = JSON.stringify(status);
    this.#post({
      type: 'init',
      transcript: this.#conversation.open(),
      status,
      draft: this.#conversation.draft,
      other,
      words: this.#parts.words(),
      now: Date.now(),
    });
    if (this.#later !== null) this.#post(this.#later);
    this.#later = null;
  }

  #closed(): void {
    this.#ready = false;
    this.#conversation.close();
  }

  #post(message: ToPage): void {
    void this.#view?.webview.postMessage(message);
  }

  /** A card that no longer stands in the transcript can not be answered any more. */
  #denyForgotten(): void {
    const shown = new Set(waitingCards(this.transcript).map((item) => item.id));
    for (const { id } of this.#cards.list) if (!shown.has(id)) this.#cards.deny(id);
  }

  #changed(): void {
    this.#attention.update(this.#cards.list, this.visible);
    this.#parts.changed();
  }
}

function isFocus(command: PageCommand): boolean {
  switch (command) {
    case 'chats':
    case 'find':
    case 'focusInput':
    case 'focusCard':
    case 'focusLastMessage':
      return true;
    case 'allow':
    case 'deny':
      return false;
    default:
      return never(command);
  }
}
