/** The whole view: takes what the host says, keeps the place, answers keys. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { never } from '../../never.ts';
import type { Status, ToPage } from '../protocol.ts';
import {
  after,
  emptyTranscript,
  running,
  waitingCards,
  type ChatEvent,
  type Transcript,
  type Turn,
} from '../transcript.ts';
import type { CardPart } from './card.ts';
import './dock.ts';
import type { DockPart } from './dock.ts';
import { Part, guarded } from './element.ts';
import { chunks } from './chunks.ts';
import { drawFirstRun } from './first-run.ts';
import { Follow } from './follow.ts';
import { Keys } from './keys.ts';
import { followLink } from './links.ts';
import './over.ts';
import type { OverPart, Under } from './over.ts';
import { speak, speakMode } from './spoken.ts';
import { TurnPart } from './turn.ts';
import { Words } from './words.ts';
import { TURNS_AT_FIRST, TURNS_MORE } from '../../limits.ts';

/** One and the same, so that turns are not drawn anew for it. */
const none: readonly string[] = [];

@customElement('gbs-chat')
export class ChatPart extends Part {
  @property({ attribute: false }) status: Status | null = null;
  @state() private transcript: Transcript = emptyTranscript;
  @state() private following = true;
  /** How many of the oldest turns are not drawn yet. */
  @state() private skipped = 0;
  @state() private moved = 0;
  @state() private writing = false;
  /** The waiting card that holds the focus, or empty. */
  @state() private focused = '';
  @query('.scroll') private scroller!: HTMLElement | null;
  @query('gbs-over') private over!: OverPart | null;
  @query('gbs-dock') private dock!: DockPart | null;
  #follow: Follow | null = null;
  #pending: { readonly at: number; readonly event: ChatEvent }[] = [];
  #frame: number | null = null;
  readonly #keys = new Keys(this);

  override connectedCallback(): void {
    super.connectedCallback();
    window.addEventListener('message', this.#message);
    document.addEventListener('keydown', this.#keys.handle);
    document.addEventListener('visibilitychange', this.#leave);
    window.addEventListener('pagehide', this.#leave);
    this.addEventListener('click', this.#link);
  }

  protected raw(): unknown {
    return this.status;
  }

  readonly #message = (event: MessageEvent<ToPage>): void => {
    try {
      this.#take(event.data);
    } catch (error) {
      this.transcript = this.#broken(this.transcript, error, event.data);
    }
  };

  #take(message: ToPage): void {
    switch (message.type) {
      case 'init':
        this.#start(message);
        return;
      case 'events':
        this.#pending.push(...message.events);
        this.#frame ??= requestAnimationFrame(() => this.#apply());
        return;
      case 'status': {
        const before = this.status?.mode;
        this.status = message.status;
        if (before !== undefined && before !== message.status.mode)
          speakMode(this.view, message.status.mode);
        return;
      }
      case 'output':
        this.view.outputs.set(message.id, message.output);
        for (const turn of this.#turns()) turn.requestUpdate();
        return;
      case 'outputsFound':
        for (const { id, output } of message.outputs) this.view.outputs.set(id, output);
        this.over?.outputsFound(message);
        return;
      case 'completions':
        this.dock?.composer?.completions(message.request, message.items);
        return;
      case 'formProblems':
        [...this.querySelectorAll<CardPart>('gbs-card')]
          .find(({ item }) => item.id === message.card)
          ?.showProblems(message.problems);
        return;
      case 'undoPlan':
        this.#turns()
          .find(({ turn }) => turn.id === message.turn)
          ?.showPlan(message.files);
        return;
      case 'rewindPlan':
        this.#turns()
          .find(({ turn }) => turn.id === message.turn)
          ?.showRewind(message);
        return;
      case 'chats':
        this.over?.listed(message);
        return;
      case 'command':
        this.#keys.command(message.command);
        return;
      default:
        never(message);
    }
  }

  #lastTurn(): TurnPart | null {
    const last = this.scroller?.firstElementChild?.lastElementChild;
    return last instanceof TurnPart ? last : null;
  }

  #turns(): TurnPart[] {
    return [...this.querySelectorAll<TurnPart>('gbs-turn')];
  }

  #start(message: Extract<ToPage, { type: 'init' }>): void {
    const first = this.status === null;
    const { view } = this;
    view.words = new Words(message.words);
    view.clock = message.now - Date.now();
    this.#pending = [];
    view.outputs.clear();
    this.transcript = message.transcript;
    this.status = message.status;
    if (message.transcript.turns.length === 0) view.closeAll();
    const anchor = first ? view.kept.anchor : null;
    const turns = message.transcript.turns;
    const from = anchor === null ? turns.length : turns.findIndex(({ id }) => id === anchor.turn);
    this.skipped = Math.max(0, (from < 0 ? turns.length : from) - TURNS_AT_FIRST);
    const { text, images } = message.draft;
    if (first && view.kept.draft === '' && text !== '') {
      view.keep({ draft: text, caret: [text.length, text.length] });
    }
    view.images = images;
    if (!first) this.over?.leave();
    if (message.other) this.dock?.composer?.setDraft(text);
    void this.updateComplete.then(() => this.#restore(anchor));
  }

  /** Back to where the user was; then the older turns, a few at a time. */
  async #restore(anchor: { readonly turn: string; readonly offset: number } | null): Promise<void> {
    const { scroller } = this;
    const column = scroller?.querySelector<HTMLElement>('.column');
    if (scroller === null || column == null) return;
    this.#follow?.dispose();
    this.#follow = new Follow(
      scroller,
      column,
      () => this.#growing(),
      (following) => {
        this.following = following;
        this.#keepPlace();
      },
    );
    const turn =
      anchor === null ? undefined : this.#turns().find((one) => one.turn.id === anchor.turn);
    // An empty chat begins with what was found, not with the end of the suggestions.
    if (this.transcript.turns.length === 0) this.#follow.stay();
    else if (anchor === null || turn === undefined) this.#follow.toEnd();
    else {
      this.#follow.stay();
      for (let pass = 0; pass < 3; pass += 1) {
        scroller.scrollTop +=
          turn.getBoundingClientRect().top - scroller.getBoundingClientRect().top + anchor.offset;
        await new Promise(requestAnimationFrame);
      }
    }
    this.#more();
  }

  #more(): void {
    if (this.skipped === 0) return;
    requestIdleCallback(() => {
      this.skipped = Math.max(0, this.skipped - TURNS_MORE);
      void this.updateComplete.then(() => {
        this.#follow?.stick();
        this.#more();
      });
    });
  }

  #growing(): HTMLElement | null {
    const item = this.transcript.turns.at(-1)?.items.at(-1);
    if (item?.kind !== 'text' || !item.streaming) return null;
    return [...(this.#lastTurn()?.querySelectorAll<HTMLElement>('.prose') ?? [])].at(-1) ?? null;
  }

  #apply(): void {
    this.#frame = null;
    const events = this.#pending;
    this.#pending = [];
    let next = this.transcript;
    const spoken: ChatEvent[] = [];
    for (const { at, event } of events) {
      try {
        const waitingBefore = waitingCards(next).length;
        next = after(next, event, at);
        if (waitingCards(next).length !== waitingBefore) this.moved += 1;
        spoken.push(event);
      } catch (error) {
        next = this.#broken(next, error, event);
      }
    }
    this.#draw(next);
    for (const event of spoken)
      guarded(
        this.view,
        () => speak(this.view, event),
        () => event,
      );
  }

  #draw(next: Transcript): void {
    const inCard = document.activeElement?.closest('gbs-card') ?? null;
    const grew = next.turns.length > this.transcript.turns.length;
    this.transcript = next;
    this.view.onlyCards(new Set(waitingCards(next).map(({ id }) => id)));
    void this.updateComplete.then(async () => {
      if (grew) this.#follow?.toEnd();
      await this.#lastTurn()?.updateComplete;
      this.#follow?.stick();
      // The focus of an answered card goes on to the next one, or back to the box.
      if (inCard !== null && !inCard.isConnected && document.activeElement === document.body) {
        const card = this.activeCard();
        if (card === null) this.dock?.composer?.focusBox();
        else card.focusCard();
      }
    });
  }

  /** A message that nobody understands is shown as it came. */
  #broken(before: Transcript, error: unknown, data: unknown): Transcript {
    const why = error instanceof Error ? error.message : String(error);
    this.view.post({ type: 'problem', message: why });
    const notice = {
      code: 'broken-message',
      severity: 'warning',
      fact: this.view.words.say('brokenMessage'),
      cause: this.view.words.say('brokenMessageWhy'),
      remedy: JSON.stringify(data) ?? String(data),
      lasting: false,
      actions: [],
    } as const;
    return after(before, { type: 'notice', notice }, this.view.now());
  }

  protected draw(): TemplateResult {
    const { status, view, transcript } = this;
    if (status === null) return html`<main class="gbs"></main>`;
    const waiting = waitingCards(transcript);
    const first = waiting.find(({ id }) => id === this.focused) ?? waiting[0];
    const active = this.writing || first === undefined ? '' : first.id;
    const empty = transcript.turns.length === 0;
    return html`<main
      class="gbs ${this.running ? 'busy' : ''}"
      @gbs-sent=${() => this.#follow?.toEnd()}
      @gbs-end=${() => this.#follow?.toEnd()}
      @gbs-stay=${() => this.#follow?.stay()}
      @gbs-card=${() => this.showCard()}
      @gbs-draft=${(event: CustomEvent<string>) => this.#setDraft(event.detail)}
      @gbs-writing=${this.#noteWriting}
      @focusin=${this.#noteWriting}
      @focusout=${this.#noteWriting}
    >
      <h1 class="sr">GBS Agent</h1>
      <gbs-over .view=${view} .turns=${transcript.turns} .under=${this.#under}></gbs-over>
      <div
        class="scroll"
        role="region"
        tabindex="0"
        aria-label=${view.words.say('conversation')}
        @scroll=${() => this.#keepPlace()}
      >
        <div class="column ${empty ? 'end' : ''}">
          ${empty ? drawFirstRun(view, status, (text) => this.#setDraft(text)) : nothing}
          ${repeat(
            chunks(transcript.turns, this.skipped),
            (chunk) => chunk.number,
            // A token changes one chunk; the others are not even compared turn by turn.
            ({ turns }) =>
              guard([...turns, active, this.moved, status.folders, view.words], () =>
                this.#drawTurns(turns, status, active),
              ),
          )}
        </div>
      </div>
      <gbs-dock
        .view=${view}
        .status=${status}
        .transcript=${transcript}
        ?following=${this.following}
      ></gbs-dock>
    </main>`;
  }

  #drawTurns(turns: readonly Turn[], status: Status, active: string): unknown {
    return repeat(
      turns,
      (turn) => turn.id,
      (turn) => {
        const open = turn.end === null;
        return html`<gbs-turn
          .view=${this.view}
          .turn=${turn}
          .activeCard=${open ? active : ''}
          .moved=${open ? this.moved : 0}
          .folders=${status.folders ?? none}
        ></gbs-turn>`;
      },
    );
  }

  /** While something is being written, keys belong to it and no card is theirs. */
  readonly #noteWriting = (): void => {
    queueMicrotask(() => {
      this.writing = this.dock?.composer?.writing ?? false;
      this.focused = document.activeElement?.closest<CardPart>('gbs-card')?.item.id ?? '';
    });
  };

  #setDraft(text: string): void {
    this.dock?.composer?.setDraft(text);
    this.focusInput();
  }

  #keepPlace(): void {
    if (this.following || this.scroller === null) {
      if (this.view.kept.anchor !== null) this.view.keep({ anchor: null });
      return;
    }
    const top = this.scroller.getBoundingClientRect().top;
    const turn = this.#turns().find((one) => one.getBoundingClientRect().bottom > top);
    if (turn !== undefined)
      this.view.keep({
        anchor: { turn: turn.turn.id, offset: top - turn.getBoundingClientRect().top },
      });
  }

  readonly #leave = (): void => this.view.flush();

  readonly #link = (event: MouseEvent): void => followLink(event, this.view);

  readonly #under: Under = {
    turns: () => this.#turns(),
    drawAll: async () => {
      this.skipped = 0;
      await this.updateComplete;
      await Promise.all(this.#turns().map((turn) => turn.updateComplete));
    },
    stay: () => this.#follow?.stay(),
    focusInput: () => this.focusInput(),
  };

  // What keys and commands do.

  showChats(): void {
    this.over?.showChats();
  }

  find(): void {
    this.over?.find();
  }

  get running(): boolean {
    return running(this.transcript);
  }

  /** The card that keys answer; none while something is being written. */
  activeCard(): CardPart | null {
    const [first] = waitingCards(this.transcript);
    return (
      [...this.querySelectorAll<CardPart>('gbs-card')].find((card) => card.item.id === first?.id) ??
      null
    );
  }

  showCard(): void {
    const card = this.activeCard();
    card?.scrollIntoView({ block: 'nearest' });
    card?.focusCard();
  }

  focusInput(): void {
    this.dock?.composer?.focusBox();
  }

  get writingNow(): boolean {
    return this.dock?.composer?.writing ?? false;
  }

  stop(): void {
    this.view.post({ type: 'stop' });
  }

  /** To the user's message before or after the one at the top of the view. */
  goToOwn(direction: -1 | 1): void {
    const own = [...this.querySelectorAll<HTMLElement>('.ask')];
    const at = own.findIndex((message) => message === document.activeElement);
    const start = at >= 0 ? at + direction : direction === -1 ? own.length - 1 : own.length;
    const message = own[start];
    if (message === undefined) {
      if (direction === 1) {
        this.#follow?.toEnd();
        this.focusInput();
      }
      return;
    }
    this.#follow?.stay();
    message.focus({ preventScroll: true });
    message.scrollIntoView({ block: 'start' });
  }
}
