/** An empty chat: what was found, what waits, what to start with; or how to get a model server. */
import { html, nothing, type TemplateResult } from 'lit';
import { never } from '../../never.ts';
import type { ServerState, Status, Way } from '../protocol.ts';
import { icon } from './element.ts';
import { marked } from './spans.ts';
import type { View } from './view.ts';
import { shortTokens, type Word } from './words.ts';

export function drawFirstRun(
  view: View,
  status: Status,
  draft: (text: string) => void,
): TemplateResult {
  const { server } = status;
  switch (server.kind) {
    case 'looking':
      return html`<div class="ready">
        <h2>${view.words.say('looking')}</h2>
        <p>${view.words.say((status.remote ?? null) === null ? 'lookingWhere' : 'lookingThere')}</p>
      </div>`;
    case 'found':
      return drawReady(view, status, server, draft);
    case 'none':
      return drawNone(view, status, server);
    default:
      return never(server);
  }
}

function check(
  sign: TemplateResult,
  fact: unknown,
  more: unknown,
  action: { readonly label: string; readonly about: string; readonly click: () => void } | null,
): TemplateResult {
  return html`<li>
    ${sign}<span>${fact}<small>${more}</small></span
    >${
      action === null
        ? html`<span></span>`
        : html`<button
            type="button"
            class="link"
            aria-label="${action.label}, ${action.about}"
            @click=${action.click}
          >
            ${action.label}
          </button>`
    }
  </li>`;
}

function drawReady(
  view: View,
  status: Status,
  server: Extract<ServerState, { kind: 'found' }>,
  draft: (text: string) => void,
): TemplateResult {
  const { words } = view;
  const host = server.name === '' ? server.host : words.say('serverAt', server.name, server.host);
  const window =
    server.contextWindow === null
      ? ''
      : `, ${words.say('window', shortTokens(server.contextWindow))}`;
  const model = status.model === '' ? words.say('noModelYet') : status.model;
  return html`<div class="ready">
    <h2>${words.say('ready')}</h2>
    <p>
      ${
        server.loopback
          ? words.say((status.remote ?? null) === null ? 'readyLocal' : 'readyThere')
          : words.say(server.ofEditor === true ? 'readyEditor' : 'readyRemote', server.host)
      }
    </p>
    <ul class="checks">
      ${check(
        icon(status.model === '' ? 'circle-outline' : 'pass', status.model === '' ? '' : 'c-ok'),
        html`<bdi>${marked(view, model)}</bdi>`,
        html`${host}${window}`,
        {
          label: words.say('change'),
          about: words.say('model'),
          click: () => view.post({ type: 'show', view: 'model' }),
        },
      )}
      ${drawTrust(view, status)} ${drawSkills(view, status)} ${drawServers(view, status)}
    </ul>
    ${status.folder ? drawTries(view, status, draft) : nothing}
  </div>`;
}

function drawTrust(view: View, status: Status): unknown {
  const { words } = view;
  return status.trusted
    ? nothing
    : check(icon('shield', 'c-warn'), words.say('notTrusted'), words.say('notTrustedWhy'), {
        label: words.say('manageTrust'),
        about: words.say('notTrusted'),
        click: () => view.post({ type: 'show', view: 'trust' }),
      });
}

function drawSkills(view: View, status: Status): unknown {
  const { words } = view;
  const usable = status.skills.filter(({ state }) => state === 'usable');
  const from = (origin: 'project' | 'user' | 'package' | 'server'): number =>
    usable.filter((skill) => skill.origin === origin).length;
  const waits = status.skills.filter(({ state }) => state === 'waits').length;
  const show = (): void => view.post({ type: 'show', view: 'skills' });
  const packages = from('package');
  const servers = from('server');
  return html`${
    usable.length === 0
      ? nothing
      : check(
          icon('pass', 'c-ok'),
          words.count(usable.length, 'skillOne', 'skillMany'),
          servers > 0
            ? words.say('skillsFromServers', from('project'), from('user'), packages, servers)
            : packages === 0
              ? words.say('skillsFrom', from('project'), from('user'))
              : words.say('skillsFromPackages', from('project'), from('user'), packages),
          { label: words.say('show'), about: words.say('skills'), click: show },
        )
  }${
    waits === 0
      ? nothing
      : check(
          icon('lock', 'c-warn'),
          words.count(waits, 'skillWaitsOne', 'skillWaitsMany'),
          words.say('reviewWhy'),
          { label: words.say('review'), about: words.say('skills'), click: show },
        )
  }`;
}

function drawServers(view: View, status: Status): unknown {
  const { words } = view;
  const waits = status.servers.filter(({ state }) => state === 'waits');
  const failed = status.servers.filter(({ state }) => state === 'failed');
  const others = status.servers.filter(({ state }) => !['waits', 'off', 'failed'].includes(state));
  const names = (list: typeof waits): unknown =>
    html`<code><bdi>${marked(view, list.map(({ name }) => name).join(', '))}</bdi></code>`;
  const show = (): void => view.post({ type: 'show', view: 'servers' });
  const [first] = waits;
  return html`${
    others.length === 0
      ? nothing
      : check(
          icon('pass', 'c-ok'),
          words.count(others.length, 'serverOne', 'serverMany'),
          names(others),
          {
            label: words.say('show'),
            about: words.say('servers'),
            click: show,
          },
        )
  }${
    failed.length === 0
      ? nothing
      : check(
          icon('error', 'c-bad'),
          words.count(failed.length, 'serverFailedOne', 'serverFailedMany'),
          names(failed),
          { label: words.say('show'), about: words.say('servers'), click: show },
        )
  }${
    first === undefined
      ? nothing
      : check(
          icon('lock', 'c-warn'),
          words.count(waits.length, 'serverWaitsOne', 'serverWaitsMany'),
          names(waits),
          {
            label: words.say('review'),
            about: words.say('servers'),
            click: () =>
              waits.length === 1
                ? view.post({ type: 'server', name: first.name, action: 'review' })
                : show(),
          },
        )
  }`;
}

function drawTries(view: View, status: Status, draft: (text: string) => void): TemplateResult {
  const { words } = view;
  const file = status.openFile;
  const tries: readonly (readonly [string, string, string])[] = [
    file === null
      ? ['comment', words.say('tryProject'), words.say('tryProjectWhy')]
      : ['comment', words.say('tryExplain', file), words.say('tryExplainWhy')],
    [
      'beaker',
      words.say('tryTest'),
      words.say(status.mode === 'auto' ? 'tryTestAutoWhy' : 'tryTestWhy'),
    ],
    ['book', words.say('trySkill'), words.say('trySkillWhy')],
  ];
  return html`<p class="startwith">${words.say('startWith')}</p>
    <div class="tries">
      ${tries.map(
        ([sign, text, why]) =>
          html`<button type="button" class="try" @click=${() => draft(text)}>
            ${icon(sign)}<span>${marked(view, text)}<small>${why}</small></span>
          </button>`,
      )}
    </div>`;
}

const wayWords: Readonly<
  Record<Exclude<Way, 'lookAgain' | 'remote' | 'demo'>, readonly [Word, Word, Word]>
> = {
  startOllama: ['wayStartOllama', 'wayStartOllamaWhy', 'start'],
  getOllama: ['wayGetOllama', 'wayGetOllamaWhy', 'wayGetOllamaDo'],
  lmStudio: ['wayLmStudio', 'wayLmStudioWhy', 'wayLmStudioDo'],
  address: ['wayAddress', 'wayAddressWhy', 'wayAddressDo'],
};

const remoteWord = {
  container: 'inContainer',
  wsl: 'inWsl',
  ssh: 'inSsh',
  other: 'inOther',
} as const;

function drawNone(
  view: View,
  status: Status,
  server: Extract<ServerState, { kind: 'none' }>,
): TemplateResult {
  const { words } = view;
  const go = (way: Way) => (): void => view.post({ type: 'way', way });
  return html`<div class="ready">
    <h2>${words.say('noServerFound')}</h2>
    ${server.looked.length === 0 ? nothing : html`<p>${words.say('lookedIn', server.looked.join(', '))}</p>`}
    <ul class="checks">
      ${server.ways.map((way) => {
        if (way === 'lookAgain' || way === 'remote' || way === 'demo') return nothing;
        const [name, why, label] = wayWords[way];
        const more =
          way === 'startOllama'
            ? html`${words.say(why)} <code class="chip">ollama serve</code>.`
            : words.say(why);
        return check(icon('circle-outline', 'c-muted'), words.say(name), more, {
          label: words.say(label),
          about: words.say(name),
          click: go(way),
        });
      })}
      ${drawTrust(view, status)}
    </ul>
    <div class="acts">
      ${
        server.ways.includes('lookAgain')
          ? html`<vscode-button class="btn primary" @click=${go('lookAgain')}
              >${words.say('lookAgain')}</vscode-button
            >`
          : nothing
      }
      ${
        server.ways.includes('demo') && status.folder && status.trusted
          ? html`<vscode-button class="btn" secondary @click=${go('demo')}
              >${words.say('tryDemo')}</vscode-button
            >`
          : nothing
      }
    </div>
    ${
      server.remote === null
        ? nothing
        : html`<p class="aside">
            ${words.say(remoteWord[server.remote])}
            ${
              server.ways.includes('remote')
                ? html`<button type="button" class="link" @click=${go('remote')}>
                    ${words.say('wayRemoteDo')}
                  </button>`
                : nothing
            }
          </p>`
    }
  </div>`;
}
