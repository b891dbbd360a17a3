/** What can lie over the transcript, one at a time: the list of chats, or the bar that finds. */
import { html, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Turn } from '../transcript.ts';
import './chats.ts';
import type { ChatList } from './chats.ts';
import { Part } from './element.ts';
import './find.ts';
import type { Findable, FindPart, OutputsFound } from './find.ts';
import type { TurnPart } from './turn.ts';

/** What it needs of the view. */
export interface Under {
  turns(): readonly TurnPart[];
  /** Draws what is not drawn yet. */
  drawAll(): Promise<unknown>;
  stay(): void;
  focusInput(): void;
}

@customElement('gbs-over')
export class OverPart extends Part {
  @property({ attribute: false }) turns: readonly Turn[] = [];
  @property({ attribute: false }) under!: Under;
  @state() private listing = false;
  @state() private list: ChatList | null = null;
  @state() private finding = false;
  /** What finding unfolded. */
  #unfolded: readonly string[] = [];

  protected raw(): unknown {
    return this.list;
  }

  protected draw(): unknown {
    if (this.listing)
      return html`<gbs-chats
        .view=${this.view}
        .list=${this.list}
        .close=${() => this.#close()}
      ></gbs-chats>`;
    if (!this.finding) return nothing;
    return html`<gbs-find
      .view=${this.view}
      .turns=${this.turns}
      .chat=${this.#findable}
      .close=${() => this.#close()}
    ></gbs-find>`;
  }

  showChats(): void {
    this.leave();
    this.list = null;
    this.listing = true;
  }

  /** An answer of the host, which may be late. */
  listed(list: ChatList): void {
    if (this.listing) this.list = list;
  }

  /** An answer of the host about what is not in the page. */
  outputsFound(found: OutputsFound): void {
    this.querySelector<FindPart>('gbs-find')?.outputsFound(found);
  }

  /** Every turn is drawn for it: what is not there cannot be found. */
  find(): void {
    if (this.turns.length === 0) return;
    this.listing = false;
    this.finding = true;
    void this.under.drawAll();
    void this.updateComplete.then(() => this.querySelector<FindPart>('gbs-find')?.focusField());
  }

  /** Another chat is shown. */
  leave(): void {
    this.listing = false;
    this.finding = false;
    for (const id of this.#unfolded) this.view.open.delete(id);
    if (this.#unfolded.length > 0) void this.#anew();
    this.#unfolded = [];
  }

  #close(): void {
    this.leave();
    this.under.focusInput();
  }

  readonly #findable: Findable = {
    turns: () => this.under.turns(),
    unfold: async (ids) => {
      await this.under.drawAll();
      const fresh = ids.filter((id) => !this.view.open.has(id));
      for (const id of fresh) this.view.open.add(id);
      this.#unfolded = [...this.#unfolded, ...fresh];
      if (fresh.length > 0) await this.#anew();
    },
    stay: () => this.under.stay(),
  };

  async #anew(): Promise<void> {
    const turns = this.under.turns();
    for (const turn of turns) turn.requestUpdate();
    await Promise.all(turns.map((turn) => turn.updateComplete));
  }
}
