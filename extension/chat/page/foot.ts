/** The line under the composer, skills, servers, context, and the menus that open above it. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ContextUse, Mode } from '../../agent/events.ts';
import type { ServerEntry, SkillEntry, Status } from '../protocol.ts';
import { modeLook, type Menu } from './composer.ts';
import { Part, icon } from './element.ts';
import './menu.ts';
import type { Option } from './menu.ts';
import { marked } from './spans.ts';
import { shortTokens, type Word } from './words.ts';

@customElement('gbs-foot')
export class FootPart extends Part {
  @property({ attribute: false }) status!: Status;
  @property({ attribute: false }) context: ContextUse | null = null;
  @property({ attribute: false }) menu: Menu = null;

  protected raw(): unknown {
    return [this.status, this.context];
  }

  protected draw(): TemplateResult {
    const { words } = this.view;
    const { skills, servers } = this.status;
    const usable = skills.filter(({ state }) => state === 'usable').length;
    const skillsWait = skills.filter(({ state }) => state === 'waits').length;
    const serversWait = servers.filter(({ state }) => state === 'waits').length;
    const on = servers.filter(({ state }) => state !== 'off' && state !== 'waits').length;
    const failed = servers.filter(({ state }) => state === 'failed').length;
    const there =
      failed === 0
        ? words.count(on, 'serverOne', 'serverMany')
        : words.say('serversSome', on - failed, on);
    return html`<div class="foot">
        ${this.#chip('skills', 'book', skillsWait, words.count(usable, 'skillOne', 'skillMany'))}
        ${this.#chip('servers', 'server', serversWait, there)} ${this.#meter()}
      </div>
      ${this.#menu()}`;
  }

  /** What waits for the user comes before what is there. */
  #chip(menu: 'skills' | 'servers', name: string, waits: number, text: string): TemplateResult {
    const { words } = this.view;
    const kind = words.say(menu);
    const shown = waits > 0 ? words.count(waits, 'waitsOne', 'waitsMany') : text;
    return this.#button(
      menu,
      html`${icon(name)}<span>${shown}</span>`,
      waits > 0 ? 'warned' : '',
      waits > 0 ? words.say('actionFor', kind, shown) : text,
    );
  }

  #button(menu: Menu, content: unknown, more: string, label: string): TemplateResult {
    const open = this.menu === menu;
    return html`<button
      type="button"
      class="pick ${more} ${open ? 'is-open' : ''}"
      aria-haspopup="dialog"
      aria-expanded=${open ? 'true' : 'false'}
      aria-label=${label}
      @mousedown=${(event: MouseEvent) => {
        if (open) event.preventDefault();
      }}
      @click=${() => this.#set(open ? null : menu)}
    >
      ${content}
    </button>`;
  }

  /** `back` gives the focus back to the box. */
  #set(menu: Menu, back = false): void {
    this.dispatchEvent(new CustomEvent('gbs-menu', { bubbles: true, detail: { menu, back } }));
  }

  #used(): number {
    const use = this.context;
    if (use === null) return 0;
    return use.reported ?? use.system + use.skills + use.tools + use.history + use.message;
  }

  #meter(): TemplateResult {
    const { words } = this.view;
    const server = this.status.server;
    const window =
      this.context?.window ?? (server.kind === 'found' ? (server.contextWindow ?? 0) : 0);
    const used = this.#used();
    const text =
      window === 0
        ? words.say('noWindow')
        : words.say('ofWindow', shortTokens(used), shortTokens(window));
    return this.#button(
      'context',
      html`${bar('meter', window === 0 ? 0 : used / window)}${
        // Where the window is not known yet the bar alone says so, and leaves room for what waits.
        window === 0 ? nothing : html`<span class="num">${text}</span>`
      }`,
      'push',
      `${words.say('context')} ${text}`,
    );
  }

  #menu(): unknown {
    switch (this.menu) {
      case null:
        return nothing;
      case 'mode':
        return this.#modes();
      case 'model':
        return this.#models();
      case 'skills':
        return this.#dialog('skills', this.#skillList(), 'showSkills');
      case 'servers':
        return this.#dialog('servers', this.#serverList(), 'showServers');
      case 'context':
        return this.#costs();
    }
  }

  #modes(): TemplateResult {
    const { words } = this.view;
    const modes: readonly Mode[] = ['ask', 'acceptEdits', 'auto'];
    const options = modes.map((mode): Option => {
      const look = modeLook[mode];
      return {
        id: mode,
        icon: look.icon,
        label: words.say(look.name),
        detail: words.say(look.means),
        group: '',
        current: mode === this.status.mode,
        more: mode === 'auto' ? 'auto' : '',
      };
    });
    return html`<gbs-menu
      two
      .view=${this.view}
      .label=${words.say('mode')}
      .options=${options}
      .hint=${[words.say('thisComputerOnly')]}
      .close=${(back: boolean) => this.#set(null, back)}
      .choose=${(id: string) => {
        const mode = modes.find((one) => one === id);
        if (mode !== undefined) this.view.post({ type: 'setMode', mode });
        this.#set(null, true);
      }}
    ></gbs-menu>`;
  }

  #models(): TemplateResult {
    const { words } = this.view;
    const options: readonly Option[] = [
      ...this.status.models.map((model, index) => ({
        id: `model ${String(index)}`,
        icon: model.current ? 'check' : 'blank',
        label: html`<bdi>${marked(this.view, model.id)}</bdi>`,
        detail: html`${model.detail}${
          model.warning === '' ? nothing : html` <span class="warn-text">${model.warning}</span>`
        }`,
        group: model.group,
        current: model.current,
      })),
      {
        id: 'another',
        icon: 'add',
        label: words.say('anotherServer'),
        detail: this.status.models.length === 0 ? words.say('noModels') : '',
        group: '',
        current: false,
      },
    ];
    return html`<gbs-menu
      .view=${this.view}
      .label=${words.say('model')}
      .options=${options}
      .close=${(back: boolean) => this.#set(null, back)}
      .choose=${(id: string) => {
        if (id === 'another') this.view.post({ type: 'show', view: 'model' });
        const chosen = this.status.models[Number(id.slice('model '.length))];
        if (chosen !== undefined) {
          const { id: model, server } = chosen;
          this.view.post({ type: 'setModel', model, server });
        }
        this.#set(null, true);
      }}
    ></gbs-menu>`;
  }

  #dialog(view: 'skills' | 'servers', list: readonly unknown[], show: Word): TemplateResult {
    const { words } = this.view;
    const none = view === 'skills' ? 'noSkills' : 'noServers';
    return html`<div
      class="pop"
      role="dialog"
      tabindex="-1"
      aria-label=${words.say(view)}
      @keydown=${this.#dialogKey}
      @focusout=${this.#left}
    >
      <div class="entries">
        ${list.length === 0 ? html`<p class="none">${words.say(none)}</p>` : list}
      </div>
      <div class="hint">
        <button
          type="button"
          class="link"
          @click=${() => {
            this.view.post({ type: 'show', view });
            this.#set(null);
          }}
        >
          ${words.say(show)}
        </button>
      </div>
    </div>`;
  }

  readonly #dialogKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.#set(null, true);
  };

  readonly #left = (event: FocusEvent): void => {
    const to = event.relatedTarget;
    if (!(to instanceof Node && this.querySelector('.pop')?.contains(to))) this.#set(null);
  };

  protected override updated(): void {
    const pop = this.querySelector<HTMLElement>('.pop[role=dialog]');
    if (pop !== null && !pop.contains(document.activeElement)) pop.focus();
  }

  #entry(
    look: { readonly icon: string; readonly colour: string },
    name: string,
    state: string,
    actions: readonly { readonly word: Word; readonly click: () => void }[],
  ): TemplateResult {
    const { words } = this.view;
    return html`<div class="entry">
      ${icon(look.icon, look.colour)}
      <span class="name"
        ><bdi>${marked(this.view, name)}</bdi><em>${marked(this.view, state)}</em></span
      >
      <span class="do"
        >${actions.map(
          ({ word, click }) =>
            html`<button
              type="button"
              class="link"
              aria-label=${words.say('actionFor', words.say(word), name)}
              @click=${click}
            >
              ${words.say(word)}
            </button>`,
        )}</span
      >
    </div>`;
  }

  #skillList(): readonly TemplateResult[] {
    const { words } = this.view;
    const act = (skill: SkillEntry, action: 'open' | 'review') => (): void => {
      this.view.post({ type: 'skill', name: skill.name, action });
      this.#set(null);
    };
    return this.status.skills.map((skill) => {
      const look = skillLook[skill.state];
      const waits = skill.state === 'waits';
      return this.#entry(
        look,
        skill.name,
        look.word === null ? skill.detail : joined(words.say(look.word), skill.detail),
        [{ word: waits ? 'review' : 'openSkill', click: act(skill, waits ? 'review' : 'open') }],
      );
    });
  }

  #serverList(): readonly TemplateResult[] {
    const { words } = this.view;
    const act = (server: ServerEntry, action: ServerAction) => (): void => {
      this.view.post({ type: 'server', name: server.name, action });
      this.#set(null);
    };
    return this.status.servers.map((server) => {
      const look = serverLook[server.state];
      const withheld =
        server.withheld === 0 ? '' : words.count(server.withheld, 'withheldOne', 'withheldMany');
      const detail =
        server.detail !== '' || server.state !== 'running'
          ? server.detail
          : words.count(server.tools, 'toolOne', 'toolMany');
      return this.#entry(
        look,
        server.name,
        joined(words.say(look.word), detail, withheld),
        look.actions.map(({ word, action }) => ({ word, click: act(server, action) })),
      );
    });
  }

  #costs(): TemplateResult {
    const { words } = this.view;
    const use = this.context;
    const number = (tokens: number): string => tokens.toLocaleString('en');
    const parts: readonly (readonly [Word, number])[] =
      use === null
        ? []
        : [
            ['costSystem', use.system],
            ['costSkills', use.skills],
            ['costTools', use.tools],
            ['costHistory', use.history],
            ['costMessage', use.message],
          ];
    const most = Math.max(1, ...parts.map(([, tokens]) => tokens));
    const used = this.#used();
    return html`<div
      class="pop"
      role="dialog"
      tabindex="-1"
      aria-label=${words.say('context')}
      @keydown=${this.#dialogKey}
      @focusout=${this.#left}
    >
      <div class="costs">
        <h2>
          ${words.say('context')}<span class="num"
            >${use === null ? words.say('noWindow') : words.say('tokensOf', number(used), number(use.window))}</span
          >
        </h2>
        ${bar('whole', use === null || use.window === 0 ? 0 : used / use.window)}
        <table>
          <tbody>
            ${parts.map(
              ([word, tokens]) =>
                html`<tr>
                  <th scope="row">${words.say(word)}</th>
                  <td>${bar('bar', tokens / most)}</td>
                  <td class="num">${number(tokens)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
        <p>
          ${
            use?.reported == null
              ? words.say('countedByUs')
              : words.say('countedByServer', number(use.reported))
          }
        </p>
      </div>
    </div>`;
  }
}

type ServerAction = 'review' | 'start' | 'stop' | 'restart' | 'log';

const skillLook = {
  usable: { icon: 'book', colour: '', word: null },
  waits: { icon: 'lock', colour: 'c-warn', word: 'skillWaits' },
  hidden: { icon: 'eye-closed', colour: '', word: 'skillHidden' },
  unusable: { icon: 'error', colour: 'c-bad', word: 'skillUnusable' },
} as const;

const logs = { word: 'log', action: 'log' } as const;
const serverLook = {
  stopped: {
    icon: 'server',
    colour: '',
    word: 'serverStopped',
    actions: [{ word: 'start', action: 'start' }],
  },
  starting: { icon: 'server', colour: '', word: 'serverStarting', actions: [logs] },
  running: {
    icon: 'server',
    colour: 'c-ok',
    word: 'serverRunning',
    actions: [
      { word: 'restart', action: 'restart' },
      { word: 'stopServer', action: 'stop' },
    ],
  },
  failed: {
    icon: 'error',
    colour: 'c-bad',
    word: 'serverFailed',
    actions: [logs, { word: 'start', action: 'start' }],
  },
  waits: {
    icon: 'lock',
    colour: 'c-warn',
    word: 'serverWaits',
    actions: [{ word: 'review', action: 'review' }],
  },
  off: { icon: 'circle-slash', colour: '', word: 'serverOff', actions: [] },
} as const;

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

/** A bar by attributes: an inline style would be refused by the page's policy. */
function bar(name: string, share: number): TemplateResult {
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%`;
  return html`<svg class=${name} data-high=${share >= 0.95 ? 'true' : 'false'} aria-hidden="true">
    ${svg`<rect width=${width} height="100%" rx="2"></rect>`}
  </svg>`;
}
