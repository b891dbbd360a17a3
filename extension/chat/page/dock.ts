/** What stays in sight: lasting warnings, plan, queue, phase, composer, foot. */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { Status } from '../protocol.ts';
import { running, waitingCards, type Transcript } from '../transcript.ts';
import './composer.ts';
import type { ComposerPart, Menu } from './composer.ts';
import { Part, guarded, icon, iconButton } from './element.ts';
import './foot.ts';
import { drawLasting } from './notice.ts';
import './phase.ts';
import { marked } from './spans.ts';

@customElement('gbs-dock')
export class DockPart extends Part {
  @property({ attribute: false }) transcript!: Transcript;
  @property({ attribute: false }) status!: Status;
  @property({ type: Boolean }) following = true;
  @state() private menu: Menu = null;
  /** The queued message being changed. */
  @state() private changing: string | null = null;
  @query('gbs-composer') composer!: ComposerPart | null;

  protected raw(): unknown {
    return this.transcript;
  }

  protected draw(): TemplateResult {
    const { transcript, view, status } = this;
    const busy = running(transcript);
    const waiting = waitingCards(transcript).map(({ card }) => card.kind);
    return html`<div class="dock">
      <div class="in">
        ${transcript.lasting.map((notice) =>
          guarded(
            view,
            () => drawLasting(view, notice),
            () => notice,
          ),
        )}
        ${this.#plan(busy)} ${this.#queue()}
        ${
          busy || waiting.length > 0
            ? html`<gbs-phase
                .view=${view}
                .phase=${transcript.phase}
                .rate=${transcript.tokensPerSecond}
                .waiting=${waiting}
                ?busy=${busy}
                .following=${this.following}
              ></gbs-phase>`
            : nothing
        }
        <div
          class="base"
          @gbs-menu=${(event: CustomEvent<{ menu: Menu; back: boolean }>) => {
            this.menu = event.detail.menu;
            if (event.detail.back) this.composer?.focusBox();
          }}
        >
          <gbs-composer
            .view=${view}
            .status=${status}
            .menu=${this.menu}
            ?running=${busy}
          ></gbs-composer>
          <gbs-foot
            .view=${view}
            .status=${status}
            .context=${transcript.context}
            .menu=${this.menu}
          ></gbs-foot>
        </div>
      </div>
    </div>`;
  }

  #plan(busy: boolean): unknown {
    const { plan } = this.transcript;
    const { words } = this.view;
    const done = plan.filter((step) => step.state === 'done').length;
    if (plan.length === 0 || (!busy && done === plan.length)) return nothing;
    const open = this.view.kept.planOpen;
    const now =
      plan.find((step) => step.state === 'doing') ?? plan.find((step) => step.state === 'open');
    return html`<div class="strip todo">
      <button
        type="button"
        class="head"
        aria-expanded=${open ? 'true' : 'false'}
        @click=${() => {
          this.view.keep({ planOpen: !open });
          this.requestUpdate();
        }}
      >
        ${icon(open ? 'chevron-down' : 'chevron-right')}<span
          >${open || now === undefined ? words.say('plan') : marked(this.view, now.text)}</span
        ><span class="num muted">${words.say('progressOf', done, plan.length)}</span>
      </button>
      ${
        open
          ? html`<ol aria-label=${words.say('plan')}>
              ${plan.map(
                (step) =>
                  html`<li class=${{ open: 'next', doing: 'now', done: 'done' }[step.state]}>
                    ${icon({ open: 'circle-outline', doing: 'circle-filled', done: 'check' }[step.state])}<span
                      >${marked(this.view, step.text)}<span class="sr"
                        >,
                        ${words.say(({ open: 'planOpen', doing: 'planDoing', done: 'planDone' } as const)[step.state])}</span
                      ></span
                    >
                  </li>`,
              )}
            </ol>`
          : nothing
      }
    </div>`;
  }

  #queue(): unknown {
    const { queue } = this.transcript;
    const { words } = this.view;
    if (queue.length === 0) return nothing;
    return html`<div class="strip queue" role="list" aria-label=${words.say('queue')}>
      ${queue.map(
        (message, index) =>
          html`<div class="q" role="listitem">
            ${icon(index === 0 ? 'list-flat' : 'blank')}${
              message.id === this.changing
                ? this.#queuedField(message.id, message.text)
                : html`<span class="text">${marked(this.view, message.text, true)}</span>
                    <span class="acts"
                      >${iconButton('edit', words.say('editQueued'), () => {
                        this.changing = message.id;
                        void this.updateComplete.then(() => {
                          this.querySelector<HTMLElement>('.queue .field')?.focus();
                        });
                      })}${iconButton('close', words.say('removeQueued'), () => {
                        this.view.post({ type: 'editQueued', id: message.id, text: null });
                        this.composer?.focusBox();
                      })}</span
                    >`
            }
          </div>`,
      )}
    </div>`;
  }

  #queuedField(id: string, text: string): TemplateResult {
    const leave = (save: string | null): void => {
      if (save !== null && save.trim() !== '' && save !== text)
        this.view.post({ type: 'editQueued', id, text: save.trim() });
      this.changing = null;
      this.composer?.focusBox();
    };
    return html`<input
      class="field"
      aria-label=${this.view.words.say('editQueued')}
      .value=${text}
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing || !(event.target instanceof HTMLInputElement)) return;
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        leave(event.key === 'Enter' ? event.target.value : null);
      }}
    />`;
  }
}
