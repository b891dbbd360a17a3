/** Going back to before a message: what it does to files and chat is shown before it is done. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ToPage, UndoneFile } from '../protocol.ts';
import { ARMING_MS } from '../../limits.ts';
import { icon } from './element.ts';
import { drawUndone } from './summary.ts';
import type { View } from './view.ts';

export type RewindPlan = Extract<ToPage, { readonly type: 'rewindPlan' }>;

/** `edit`: another text is sent in its place; `again`: the same; `back`: it stands in the box. */
export type RewindKind = 'edit' | 'again' | 'back';

export class Rewind {
  readonly #view: View;
  readonly #turn: string;
  readonly #changed: () => void;
  kind: RewindKind | null = null;
  plan: RewindPlan | null = null;
  #text = '';
  #since = 0;

  constructor(view: View, turn: string, changed: () => void) {
    this.#view = view;
    this.#turn = turn;
    this.#changed = changed;
  }

  /** Nothing is changed by it: the host is asked what would happen. */
  ask(kind: RewindKind, text: string): void {
    this.kind = kind;
    this.plan = null;
    this.#text = text;
    this.#view.post({ type: 'rewindPlan', turn: this.#turn });
    this.#changed();
  }

  show(plan: RewindPlan): void {
    if (this.kind === null) return;
    this.plan = plan;
    this.#since = performance.now();
    // Where nothing but the answer itself would go, there is nothing to look at before.
    if (this.kind === 'again' && plan.files.length === 0 && plan.later === 0) this.#carryOut(false);
    else this.#changed();
  }

  cancel(): void {
    this.kind = null;
    this.plan = null;
    this.#changed();
  }

  #act(putFilesBack: boolean): void {
    const ready = this.plan !== null && performance.now() - this.#since >= ARMING_MS;
    if (ready && (this.kind !== 'edit' || this.#text.trim() !== '')) this.#carryOut(putFilesBack);
  }

  #carryOut(putFilesBack: boolean): void {
    const again = this.kind === 'back' ? null : this.#text.trim();
    this.#view.post({ type: 'rewind', turn: this.#turn, putFilesBack, again });
    this.cancel();
  }

  draw(): unknown {
    const { kind, plan } = this;
    if (kind === null || (plan === null && kind !== 'edit')) return nothing;
    const { words } = this.#view;
    const files = plan?.files ?? [];
    const back = files.filter(({ what }) => what !== 'keep').length;
    const question = words.say(kind === 'back' ? 'goBackThis' : 'sendAgainThis');
    return html`<section
      class="card active rewind"
      role="group"
      aria-label=${question}
      tabindex="-1"
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing) return;
        const confirms = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat;
        if (event.key !== 'Escape' && !confirms) return;
        event.preventDefault();
        event.stopPropagation();
        if (confirms) this.#act(back > 0);
        else this.cancel();
      }}
    >
      <header>
        ${icon(kind === 'back' ? 'discard' : 'refresh')}
        <div>
          <h2>${question}</h2>
          ${plan === null ? nothing : html`<div class="sub">${this.#sentences(plan)}</div>`}
        </div>
        <span class="of"></span>
      </header>
      ${kind === 'edit' ? this.#field() : nothing}
      ${
        files.length === 0
          ? nothing
          : html`<div class="files">${files.map((file) => drawUndone(this.#view, file))}</div>`
      }
      <footer>${this.#buttons(kind, back)}</footer>
    </section>`;
  }

  #sentences({ files, later }: RewindPlan): string {
    const { words } = this.#view;
    const number = (what: UndoneFile['what']): number =>
      files.filter((file) => file.what === what).length;
    const [back, removed, kept] = [number('putBack'), number('remove'), number('keep')];
    return [
      files.length === 0 ? words.say('noFilesChanged') : '',
      back > 0 ? words.count(back, 'putBackOne', 'putBackMany') : '',
      removed > 0 ? words.count(removed, 'removeOne', 'removeMany') : '',
      kept > 0 ? words.count(kept, 'keepOne', 'keepMany') : '',
      later > 0 ? words.count(later, 'laterOne', 'laterMany') : '',
      later > 0 ? words.say('staysInChats') : '',
    ]
      .filter((text) => text !== '')
      .join(' ');
  }

  #field(): TemplateResult {
    return html`<textarea
      class="pane edit-message"
      rows="2"
      aria-label=${this.#view.words.say('yourMessage')}
      .value=${this.#text}
      @input=${(event: InputEvent) => {
        if (event.target instanceof HTMLTextAreaElement) this.#text = event.target.value;
      }}
    ></textarea>`;
  }

  #buttons(kind: RewindKind, back: number): unknown {
    const { words } = this.#view;
    const send = kind !== 'back';
    const one = send ? 'sendOne' : 'goBackOne';
    const many = send ? 'sendMany' : 'goBackMany';
    const plain = words.say(send ? 'sendNow' : 'goBackNow');
    return html`<vscode-button class="btn primary" @click=${() => this.#act(back > 0)}
        >${back > 0 ? words.count(back, one, many) : plain}<span class="key"
          >${this.#view.key('allow')}</span
        ></vscode-button
      >
      ${
        back === 0
          ? nothing
          : html`<vscode-button class="btn" secondary @click=${() => this.#act(false)}
              >${words.say(send ? 'sendKeep' : 'goBackKeep')}</vscode-button
            >`
      }
      <vscode-button class="btn" secondary @click=${() => this.cancel()}
        >${words.say('cancel')}<span class="key">Esc</span></vscode-button
      >`;
  }
}
