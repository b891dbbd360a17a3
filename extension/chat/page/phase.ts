/** What the agent is busy with, for how long, how fast; and what waits for the user. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Phase } from '../../agent/events.ts';
import type { CardKind } from '../../core.ts';
import { never } from '../../never.ts';
import type { Transcript } from '../transcript.ts';
import { Part, icon, iconButton } from './element.ts';
import { marked } from './spans.ts';
import type { View } from './view.ts';
import type { Word } from './words.ts';

const kindWord: Readonly<Record<CardKind, Word>> = {
  call: 'aCall',
  edit: 'anEdit',
  command: 'aCommand',
  read: 'aRead',
  server: 'aServer',
  skill: 'aSkill',
  drift: 'aDrift',
  host: 'aHost',
  repeat: 'aRepeat',
  form: 'aForm',
  address: 'anAddress',
};

@customElement('gbs-phase')
export class PhasePart extends Part {
  @property({ attribute: false }) phase: Transcript['phase'] = null;
  @property({ attribute: false }) rate: number | null = null;
  @property({ attribute: false }) waiting: readonly CardKind[] = [];
  @property({ type: Boolean }) following = true;
  /** False where a card waits outside of a turn: then there is nothing to stop. */
  @property({ type: Boolean }) busy = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#timer = setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  protected raw(): unknown {
    return this.phase;
  }

  protected draw(): TemplateResult {
    const { words } = this.view;
    const toEnd = this.following
      ? nothing
      : iconButton('arrow-down', words.say('toEnd'), () => this.#tell('gbs-end'));
    const stop = (small: boolean): TemplateResult =>
      small
        ? iconButton('debug-stop', `${words.say('stop')} (${this.view.key('stop')})`, () =>
            this.view.post({ type: 'stop' }),
          )
        : html`<vscode-button
            class="btn small"
            secondary
            @click=${() => this.view.post({ type: 'stop' })}
            >${words.say('stop')}<span class="key">${this.view.key('stop')}</span></vscode-button
          >`;
    const [first] = this.waiting;
    if (first !== undefined) {
      const what =
        this.waiting.length === 1
          ? words.say(kindWord[first])
          : words.say('questions', this.waiting.length);
      return html`<div class="phase wait">
        ${icon('bell-dot')}<span class="busy"
          ><b>${words.say('waitsForYou')}</b> <span>${what}</span></span
        >
        <span class="acts"
          >${this.busy ? stop(true) : nothing}<vscode-button
            class="btn small"
            secondary
            @click=${() => this.#tell('gbs-card')}
            >${words.say('show')}<span class="key">${this.view.key('show')}</span></vscode-button
          ></span
        >
      </div>`;
    }
    const { phase } = this;
    const seconds = phase === null ? 0 : (this.view.now() - phase.since) / 1000;
    const kind = phase?.phase ?? ({ kind: 'preparing' } as const);
    const rate = this.rate !== null && (kind.kind === 'writing' || kind.kind === 'thinking');
    const numbers = [
      words.duration(seconds),
      rate ? words.say('rate', Math.round(this.rate ?? 0)) : '',
    ].filter((text) => text !== '');
    return html`<div class="phase">
      ${icon('loading', 'spin')}<span class="busy"
        ><b>${phaseWords(this.view, kind)}</b> <span class="num">${numbers.join(', ')}</span></span
      >
      <span class="acts">${toEnd}${stop(false)}</span>
    </div>`;
  }

  #tell(event: string): void {
    this.dispatchEvent(new CustomEvent(event, { bubbles: true }));
  }
}

function phaseWords(view: View, phase: Phase): unknown {
  const { words } = view;
  switch (phase.kind) {
    case 'preparing':
      return words.say('preparing');
    case 'startingServers':
      return html`${words.say('startingServers')}
        <code><bdi>${marked(view, phase.names.join(', '))}</bdi></code>`;
    case 'waitingForModel':
      return words.say('waitingForModel');
    case 'thinking':
      return words.say('thinking');
    case 'writing':
      return words.say('writing');
    case 'runningTools':
      return words.count(phase.count, 'runningToolOne', 'runningToolMany');
    case 'waitingForYou':
      return words.say('waitsForYou');
    case 'retrying':
      return html`${words.say('retrying', Math.ceil(phase.seconds))}<span class="muted"
          >: ${marked(view, phase.reason)}</span
        >`;
    default:
      return never(phase);
  }
}
