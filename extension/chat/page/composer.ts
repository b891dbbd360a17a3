/** The box to write in. It sends by Enter unless an input method is composing, and never loses text. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { Mode } from '../../agent/events.ts';
import type { Completion, Status } from '../protocol.ts';
import { Part, icon, iconButton } from './element.ts';
import { drawImages, withFiles } from './images.ts';
import { drawHint, drawOptions, step } from './menu.ts';

/** Which menu is open above the composer. */
export type Menu = 'mode' | 'model' | 'skills' | 'servers' | 'context' | null;

export const modeLook: Readonly<
  Record<
    Mode,
    {
      icon: string;
      name: 'modeAsk' | 'modeAcceptEdits' | 'modeAuto';
      means: 'modeAskMeans' | 'modeAcceptEditsMeans' | 'modeAutoMeans';
    }
  >
> = {
  ask: { icon: 'shield', name: 'modeAsk', means: 'modeAskMeans' },
  acceptEdits: { icon: 'edit', name: 'modeAcceptEdits', means: 'modeAcceptEditsMeans' },
  auto: { icon: 'zap', name: 'modeAuto', means: 'modeAutoMeans' },
};

const completionIcon = {
  file: 'file-code',
  folder: 'folder',
  skill: 'book',
  command: 'comment',
  resource: 'references',
  prompt: 'comment-discussion',
} as const;

@customElement('gbs-composer')
export class ComposerPart extends Part {
  @property({ attribute: false }) status!: Status;
  @property({ type: Boolean }) running = false;
  @property({ attribute: false }) menu: Menu = null;
  @state() private empty = true;
  @state() private found: readonly Completion[] = [];
  @state() private at = 0;
  /** Why an image was left out. */
  @state() private problems: readonly string[] = [];
  /** Files are held over the page. */
  @state() private dropping = false;
  @query('textarea') private box!: HTMLTextAreaElement | null;
  /** The word that is being completed, where it starts, and the request that asked for it. */
  #word: { readonly from: number; readonly to: number } | null = null;
  #request = 0;
  /** The request that was answered last. */
  #answered = 0;
  #dismissed = '';

  protected raw(): unknown {
    return this.status;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('dragover', (event) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return;
      event.preventDefault();
      this.dropping = true;
    });
    document.addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) this.dropping = false;
    });
    document.addEventListener('drop', (event) => {
      this.dropping = false;
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      void this.addFiles(files);
    });
  }

  override firstUpdated(): void {
    const { draft, caret } = this.view.kept;
    this.setDraft(draft);
    this.box?.setSelectionRange(caret[0], caret[1]);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has('status')) this.empty = (this.box?.value.trim() ?? '') === '';
  }

  get draft(): string {
    return this.box?.value ?? '';
  }

  /** True while keys belong to what is being written. */
  get writing(): boolean {
    return document.activeElement === this.box && !this.empty;
  }

  focusBox(): void {
    this.box?.focus();
  }

  setDraft(text: string): void {
    if (this.box === null) return;
    this.box.value = text;
    this.#changed();
  }

  /** Puts text at the caret, as typing would, so that undo takes it back. */
  #insert(text: string): void {
    this.focusBox();
    if (!document.execCommand('insertText', false, text) && this.box !== null)
      this.setDraft(this.box.value + text);
  }

  /**
   * The answer to a request for completions; a late one does not count. A second answer has more after
   * what the first one had, so who has already gone down the list stays there.
   */
  completions(request: number, items: readonly Completion[]): void {
    if (request !== this.#request || this.#word === null) return;
    this.found = items;
    if (request !== this.#answered) this.at = 0;
    this.#answered = request;
  }

  protected draw(): TemplateResult {
    const { words } = this.view;
    const { status } = this;
    const auto = status.mode === 'auto';
    const look = modeLook[status.mode];
    const sendWord = words.say(this.running ? 'queueThis' : 'send');
    return html`${
        auto
          ? html`<div class="autoline">
              ${icon('warning')}<span>${words.say('autoWarning')}</span>
            </div>`
          : nothing
      }
      ${this.#imageNotes().map(
        (note) => html`<div class="autoline">${icon('warning')}<span>${note}</span></div>`,
      )}
      <div class="composer ${auto ? 'auto' : ''} ${this.dropping ? 'dropping' : ''}">
        ${drawImages(this.view, this.view.images, (index) => {
          this.#setImages(this.view.images.filter((_, n) => n !== index));
          this.focusBox();
        })}
        <textarea
          rows="1"
          aria-label=${words.say('message')}
          aria-autocomplete="list"
          aria-controls=${this.found.length > 0 ? 'completions' : nothing}
          aria-activedescendant=${this.found.length > 0 ? `complete-${this.at}` : nothing}
          placeholder=${this.#placeholder()}
          @input=${() => this.#changed()}
          @paste=${(event: ClipboardEvent) => this.#paste(event)}
          @select=${() => this.#keep()}
          @keydown=${this.#key}
          @keyup=${() => this.#complete()}
          @click=${() => this.#complete()}
          @blur=${() => {
            this.#keep();
            this.#stopCompleting();
          }}
        ></textarea>
        <div class="bar">
          ${this.#pick('mode', look.icon, words.say(look.name), words.say('modeIs', words.say(look.name)), auto ? 'auto' : '')}
          ${this.#pick(
            'model',
            '',
            status.model === '' ? words.say('noModel') : status.model,
            status.model === '' ? words.say('noModel') : words.say('modelIs', status.model),
            'model',
          )}
          <span class="send"
            >${iconButton('attach', words.say('attach'), () =>
              this.querySelector<HTMLInputElement>('.files-in')?.click(),
            )}<input
              class="files-in"
              type="file"
              accept="image/*"
              multiple
              hidden
              tabindex="-1"
              aria-label=${words.say('attach')}
              @change=${(event: Event) => {
                const field = event.target;
                if (!(field instanceof HTMLInputElement)) return;
                void this.addFiles([...(field.files ?? [])]);
                field.value = '';
              }}
            /><button
              type="button"
              class="ib go ${this.#sendable() ? '' : 'off'}"
              aria-label=${sendWord}
              title=${sendWord}
              aria-disabled=${this.#sendable() ? 'false' : 'true'}
              @click=${() => this.#send()}
            >
              ${icon('arrow-up')}
            </button></span
          >
        </div>
      </div>
      ${this.found.length > 0 ? this.#completionList() : nothing}`;
  }

  /** Said before anything is sent. */
  #imageNotes(): readonly string[] {
    return this.#refused()
      ? [this.view.words.say('noImages', this.status.model), ...this.problems]
      : this.problems;
  }

  /** The model is known to take no images. */
  #refused(): boolean {
    return this.view.images.length > 0 && this.status.images === false;
  }

  #setImages(images: readonly string[]): void {
    this.view.images = images;
    this.view.post({ type: 'draftImages', images });
    this.requestUpdate();
  }

  /** Images from the clipboard, a drop or the file dialog. */
  async addFiles(files: readonly File[]): Promise<void> {
    const { images, problems } = await withFiles(this.view, this.view.images, files);
    this.problems = problems;
    if (images.length !== this.view.images.length) this.#setImages(images);
    for (const problem of problems) this.view.announce(problem);
  }

  /** Text is pasted as text, also where a picture of it comes along. */
  #paste(event: ClipboardEvent): void {
    const { clipboardData } = event;
    if (clipboardData === null || clipboardData.getData('text/plain') !== '') return;
    const files = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'));
    if (files.length === 0) return;
    event.preventDefault();
    void this.addFiles(files);
  }

  #placeholder(): string {
    const { words } = this.view;
    if (!this.status.folder) return words.say('noFolderHint');
    if (this.running) return words.say('addHint');
    return words.say(this.status.server.kind === 'found' ? 'askHint' : 'noModelHint');
  }

  #pick(
    menu: 'mode' | 'model',
    sign: string,
    text: string,
    label: string,
    more: string,
  ): TemplateResult {
    const open = this.menu === menu;
    return html`<button
      type="button"
      class="pick ${more} ${open ? 'is-open' : ''}"
      aria-haspopup="listbox"
      aria-expanded=${open ? 'true' : 'false'}
      aria-label=${label}
      @mousedown=${(event: MouseEvent) => {
        // An open menu closes when it loses the focus; the click must not open it again.
        if (open) event.preventDefault();
      }}
      @click=${() => this.#openMenu(open ? null : menu)}
    >
      ${sign === '' ? nothing : icon(sign)}<span>${text}</span>${icon('chevron-down')}
    </button>`;
  }

  #openMenu(menu: Menu): void {
    this.dispatchEvent(
      new CustomEvent('gbs-menu', { bubbles: true, detail: { menu, back: false } }),
    );
  }

  #completionList(): TemplateResult {
    const { words } = this.view;
    const slash = this.draft.charAt(this.#word?.from ?? 0) === '/';
    const options = this.found.map((item, index) => ({
      id: String(index),
      icon: completionIcon[item.icon],
      label: item.label,
      detail: item.detail,
      group: item.group,
      current: false,
    }));
    return html`<div
      class="pop"
      id="completions"
      role="listbox"
      aria-label=${words.say(slash ? 'slashMenu' : 'atMenu')}
    >
      ${drawOptions(options, this.at, 'complete', false, (option) => this.#take(Number(option.id)))}
      ${drawHint([words.say('useKey', '⏎'), words.say('completeKey'), words.say('closeKey')])}
    </div>`;
  }

  #sendable(): boolean {
    // While a server is looked for the message waits in the chat; where none is, it stays in the box.
    return (
      (!this.empty || this.view.images.length > 0) &&
      !this.#refused() &&
      this.status.folder &&
      (this.running || this.status.server.kind !== 'none')
    );
  }

  #changed(): void {
    this.empty = this.draft.trim() === '';
    this.#dismissed = '';
    this.#keep();
    this.#complete();
    this.dispatchEvent(new CustomEvent('gbs-writing', { bubbles: true }));
  }

  #keep(): void {
    const { draft } = this;
    if (this.box === null) return;
    if (draft !== this.view.kept.draft) this.view.post({ type: 'draft', text: draft });
    this.view.keep({ draft, caret: [this.box.selectionStart, this.box.selectionEnd] });
  }

  #send(): void {
    const text = this.draft.trim();
    if (!this.#sendable()) {
      // Perhaps one was started since.
      if (text !== '' && this.status.server.kind === 'none')
        this.view.post({ type: 'way', way: 'lookAgain' });
      return;
    }
    this.setDraft('');
    this.#stopCompleting();
    if (text === '/new') this.view.post({ type: 'newChat' });
    else {
      const { images } = this.view;
      this.view.post({ type: 'send', text, ...(images.length > 0 ? { images } : {}) });
      this.view.images = [];
      this.problems = [];
    }
    this.dispatchEvent(new CustomEvent('gbs-sent', { bubbles: true }));
  }

  readonly #key = (event: KeyboardEvent): void => {
    // 229 is what older input methods send in place of a flag.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.found.length > 0 && this.#completionKey(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key !== 'Enter' || event.shiftKey || event.altKey) return;
    // With nothing written, Ctrl+Enter belongs to the card that waits.
    if (this.empty && (event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) event.stopPropagation();
    if (!event.repeat) this.#send();
  };

  #completionKey(event: KeyboardEvent): boolean {
    const to =
      event.key === 'Home' || event.key === 'End'
        ? null
        : step(event.key, this.at, this.found.length);
    if (to !== null) this.at = to;
    else if (event.key === 'Enter' || event.key === 'Tab') this.#take(this.at);
    else if (event.key === 'Escape') {
      this.#dismissed = this.draft;
      this.#stopCompleting();
    } else return false;
    return true;
  }

  #take(index: number): void {
    const item = this.found[index];
    const word = this.#word;
    if (item === undefined || word === null || this.box === null) return;
    this.#stopCompleting();
    this.box.setSelectionRange(word.from, word.to);
    this.#insert(item.open === true ? item.insert : `${item.insert} `);
  }

  /** Asks for what fits the word at the caret: `/` at the very start, `@` at the start of a word. */
  #complete(): void {
    const { box } = this;
    if (box === null || document.activeElement !== box || this.draft === this.#dismissed) return;
    const to = box.selectionStart;
    const match = /(?:^(\/[\w.-]*)|(?:^|\s)(@[^\s@]*))$/.exec(
      this.draft.slice(Math.max(0, to - 200), to),
    );
    const word = match?.[1] ?? match?.[2];
    if (word === undefined || (word.startsWith('/') && to > word.length)) {
      this.#stopCompleting();
      return;
    }
    const from = to - word.length;
    if (this.#word?.from === from && this.#word.to === to) return;
    this.#word = { from, to };
    this.#request += 1;
    const kind = word.startsWith('/') ? 'slash' : 'file';
    this.view.post({ type: 'complete', request: this.#request, kind, query: word.slice(1) });
  }

  #stopCompleting(): void {
    this.#word = null;
    this.#request += 1;
    if (this.found.length > 0) this.found = [];
  }
}
