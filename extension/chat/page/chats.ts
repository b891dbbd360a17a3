/**
 * The list of chats, over the transcript: search, open, rename, delete. What stands in it comes from
 * the host, after every change; the list itself keeps nothing.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { ChatEntry, ToPage } from '../protocol.ts';
import { Part, icon, iconButton } from './element.ts';
import { step } from './menu.ts';
import { marked } from './spans.ts';
import { ago } from './words.ts';

export type ChatList = Extract<ToPage, { readonly type: 'chats' }>;

@customElement('gbs-chats')
export class ChatsPart extends Part {
  /** Null until the host answered. */
  @property({ attribute: false }) list: ChatList | null = null;
  @property({ attribute: false }) close: () => void = () => undefined;
  /** The chat being renamed, and the one that would be deleted. */
  @state() private renaming = '';
  @state() private deleting = '';
  #query = '';

  protected raw(): unknown {
    return this.list;
  }

  override firstUpdated(): void {
    this.#ask('');
    this.#field()?.focus();
  }

  #field(): HTMLElement | null {
    return this.querySelector<HTMLElement>('.search input');
  }

  #ask(query: string): void {
    this.#query = query;
    this.view.post({ type: 'listChats', query });
  }

  protected draw(): TemplateResult {
    const { words } = this.view;
    const { list } = this;
    return html`<section
      class="chats"
      aria-label=${words.say('chats')}
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
    >
      <div class="top">
        <h2>${words.say('chats')}</h2>
        <vscode-button
          class="btn small"
          secondary
          @click=${() => {
            this.view.post({ type: 'newChat' });
            this.close();
          }}
          >${icon('add')} ${words.say('newChat')}</vscode-button
        >
        ${iconButton('close', words.say('closeChats'), () => this.close())}
      </div>
      <label class="search"
        >${icon('search')}<input
          type="text"
          aria-label=${words.say('searchChats')}
          placeholder=${words.say('searchChats')}
          @input=${(event: InputEvent) => {
            if (event.target instanceof HTMLInputElement) this.#ask(event.target.value);
          }}
      /></label>
      <div class="rows">${list === null ? nothing : this.#rows(list)}</div>
    </section>`;
  }

  #rows(list: ChatList): unknown {
    const { words } = this.view;
    const empty = list.chats.length === 0 && list.broken.length === 0;
    if (empty) {
      return html`<p class="none">
        ${this.#query.trim() === '' ? words.say('noChats') : words.say('noChatHas', this.#query.trim())}
      </p>`;
    }
    return html`<ul>
        ${list.chats.map((chat) => html`<li>${this.#row(chat)}</li>`)}
      </ul>
      ${
        list.broken.length === 0
          ? nothing
          : html`<section class="notice warn" role="note">
              ${icon('warning', 'c-warn')}
              <div>
                <h2>${words.count(list.broken.length, 'brokenChatOne', 'brokenChatMany')}</h2>
                <p>${words.say('brokenChatWhy')}</p>
                ${list.broken.map(
                  ({ path, why }) =>
                    html`<p>
                      <button
                        type="button"
                        class="link"
                        @click=${() => this.view.post({ type: 'open', path, line: null })}
                      >
                        <bdi>${marked(this.view, path.split(/[\\/]/).at(-1) ?? path)}</bdi></button
                      >: ${marked(this.view, why)}
                    </p>`,
                )}
              </div>
              <span></span>
            </section>`
      }`;
  }

  #row(chat: ChatEntry): TemplateResult {
    const { words } = this.view;
    if (chat.id === this.renaming) return this.#rename(chat);
    if (chat.id === this.deleting) return this.#confirm(chat);
    return html`<button
        type="button"
        class="row"
        data-chat=${chat.id}
        aria-current=${chat.open ? 'true' : 'false'}
        @click=${() => this.#open(chat)}
      >
        ${icon(chat.open ? 'comment-discussion' : 'comment')}<span class="title"
          ><bdi
            >${marked(this.view, chat.title === '' ? words.say('untitled') : chat.title)}</bdi
          ></span
        ><span class="sub num"
          >${chat.open ? html`${words.say('openNow')}, ` : nothing}${
            chat.turns === 0
              ? words.say('onlyDraft')
              : words.count(chat.turns, 'messageOne', 'messageMany')
          },
          ${ago(chat.updated, this.view.now(), {
            say: (word) => words.say(word),
            language: document.documentElement.lang,
          })}</span
        >
      </button>
      <span class="tools"
        >${iconButton('edit', words.say('actionFor', words.say('renameChat'), chat.title), () =>
          this.#turnTo('renaming', chat),
        )}${iconButton('trash', words.say('actionFor', words.say('deleteChat'), chat.title), () =>
          this.#turnTo('deleting', chat),
        )}</span
      >`;
  }

  #open(chat: ChatEntry): void {
    if (!chat.open) this.view.post({ type: 'openChat', id: chat.id });
    this.close();
  }

  #rename(chat: ChatEntry): TemplateResult {
    const { words } = this.view;
    return html`<input
      class="field"
      aria-label=${words.say('renameChat')}
      .value=${chat.title}
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing || !(event.target instanceof HTMLInputElement)) return;
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        const title = event.target.value.trim();
        if (event.key === 'Enter' && title !== '') {
          this.view.post({ type: 'renameChat', id: chat.id, title });
        }
        this.#back(chat);
      }}
    />`;
  }

  #confirm(chat: ChatEntry): TemplateResult {
    const { words } = this.view;
    return html`<div class="sure" role="group" aria-label=${words.say('deleteThis')}>
      <p>
        <b>${words.say('deleteThis')}</b> <bdi>${marked(this.view, chat.title)}</bdi>
        <span class="muted">${words.say('deleteThisWhy')}</span>
      </p>
      <div class="acts">
        <vscode-button
          class="btn small"
          secondary
          @click=${() => {
            this.deleting = '';
            this.view.post({ type: 'deleteChat', id: chat.id });
            this.#field()?.focus();
          }}
          >${words.say('deleteChat')}</vscode-button
        >
        <vscode-button class="btn small keep" secondary @click=${() => this.#back(chat)}
          >${words.say('keepChat')}<span class="key">Esc</span></vscode-button
        >
      </div>
    </div>`;
  }

  #turnTo(what: 'renaming' | 'deleting', chat: ChatEntry): void {
    this.renaming = what === 'renaming' ? chat.id : '';
    this.deleting = what === 'deleting' ? chat.id : '';
    void this.updateComplete.then(() => {
      const field = this.querySelector<HTMLInputElement>('.rows .field');
      field?.select();
      (field ?? this.querySelector<HTMLElement>('.sure .keep'))?.focus();
    });
  }

  #back(chat: ChatEntry): void {
    this.renaming = '';
    this.deleting = '';
    void this.updateComplete.then(() => {
      this.#rowsNow()
        .find((row) => row.dataset['chat'] === chat.id)
        ?.focus();
    });
  }

  #rowsNow(): readonly HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.row')];
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const rows = this.#rowsNow();
    const at = rows.findIndex((row) => row === document.activeElement);
    const chat = this.list?.chats.find(({ id }) => id === rows[at]?.dataset['chat']);
    const vertical = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const to =
      vertical && at < 0
        ? event.key === 'ArrowDown'
          ? 0
          : null
        : step(event.key, at, rows.length);
    if (event.key === 'Escape') {
      const sure = this.list?.chats.find(({ id }) => id === this.deleting);
      if (sure === undefined) this.close();
      else this.#back(sure);
    } else if (event.key === 'F2' && chat !== undefined) this.#turnTo('renaming', chat);
    else if (event.key === 'Delete' && chat !== undefined) this.#turnTo('deleting', chat);
    else if (to !== null && (vertical || at >= 0)) {
      if (event.key === 'ArrowUp' && at === 0) this.#field()?.focus();
      else rows[to]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
