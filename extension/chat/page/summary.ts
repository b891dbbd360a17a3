/** The end of a turn: what stopped it, which files changed, and how to put them back. */
import { html, nothing, type TemplateResult } from 'lit';
import type { TurnSummary } from '../../agent/events.ts';
import { pathBelow } from '../../agent/folder-names.ts';
import { never } from '../../never.ts';
import type { UndoneFile } from '../protocol.ts';
import type { Turn } from '../transcript.ts';
import { icon, iconButton } from './element.ts';
import { drawNotice } from './notice.ts';
import { marked } from './spans.ts';
import type { View } from './view.ts';

export function drawEnd(view: View, turn: Turn, undo: Undo): TemplateResult {
  if (turn.end === null) return html``;
  const { summary } = turn.end;
  return html`${drawWhy(view, turn)}${
    summary.changes.length === 0 ? nothing : drawChanges(view, turn, summary, undo)
  }${drawAfter(view, turn, summary, undo)}${
    undo.plan === null ? nothing : drawPlan(view, undo.plan, undo)
  }`;
}

/** The undoing of a turn: nothing is changed before it was shown. */
export interface Undo {
  /** Absolute paths of the open folders. */
  readonly folders: readonly string[];
  readonly plan: readonly UndoneFile[] | null;
  ask(): void;
  carryOut(): void;
  keep(): void;
  /** Answers the message again; null where there is none. */
  readonly again: (() => void) | null;
}

function drawWhy(view: View, turn: Turn): unknown {
  const { words } = view;
  const end = turn.end?.end;
  switch (end?.kind) {
    case undefined:
    case 'answered':
      return nothing;
    case 'stopped':
      return html`<div class="lines">
        <div class="line">
          ${icon('debug-stop', 'kind')}<span class="what">${words.say('stoppedByYou')}</span
          ><span class="meta"></span>
        </div>
      </div>`;
    case 'stepLimit':
      return html`<section class="notice warn" role="note">
        ${icon('warning', 'c-warn')}
        <div>
          <h2>${words.say('stepLimit', end.steps)}</h2>
          <p>${words.say('stepLimitWhy')}</p>
          <div class="acts">
            <vscode-button
              class="btn primary"
              @click=${() => view.post({ type: 'send', text: words.say('goOnText') })}
              >${words.say('goOn')}</vscode-button
            >
          </div>
        </div>
        <span></span>
      </section>`;
    case 'failed': {
      const { notice } = end;
      const told = turn.items.some(
        (item) => item.kind === 'notice' && item.notice.code === notice.code,
      );
      return told ? nothing : drawNotice(view, notice);
    }
    default:
      return never(end);
  }
}

function drawChanges(view: View, turn: Turn, summary: TurnSummary, undo: Undo): TemplateResult {
  const { words } = view;
  const { changes } = summary;
  const added = changes.reduce((sum, change) => sum + change.added, 0);
  const removed = changes.reduce((sum, change) => sum + change.removed, 0);
  return html`<section class="summary" aria-label=${words.say('changesOfTurn')}>
    <div class="top">
      <b>${words.count(changes.length, 'changesOne', 'changesMany')}</b>${numbers(added, removed)}
    </div>
    <div class="files">
      ${changes.map((change) => {
        const [folder, name] = split(pathBelow(change.path, undo.folders));
        // What a program changed on the way says so; what an edit changed says where it is.
        const more = change.by === '' ? folder : words.say('changedBy', change.by);
        return html`<button
          type="button"
          class="file"
          title=${change.path}
          @click=${() => view.post({ type: 'open', path: change.path, line: null })}
        >
          ${icon(change.by === '' ? 'file-code' : 'terminal')}<span class="name"
            ><bdi>${marked(view, name)}</bdi><span><bdi>${marked(view, more)}</bdi></span></span
          >${numbers(change.added, change.removed)}
        </button>`;
      })}
    </div>
    ${
      turn.undone === null
        ? html`<div class="acts">
            <vscode-button class="btn small" secondary @click=${() => undo.ask()}
              >${icon('discard')} ${words.say('undoTurn')}</vscode-button
            >
          </div>`
        : html`<p class="muted">${turn.undone}</p>`
    }
  </section>`;
}

function numbers(added: number, removed: number): TemplateResult {
  return html`<span class="num"
    >${added > 0 || removed === 0 ? html`<span class="add">+${added}</span>` : nothing}
    ${removed > 0 ? html`<span class="del">−${removed}</span>` : nothing}</span
  >`;
}

function drawAfter(view: View, turn: Turn, summary: TurnSummary, { again }: Undo): TemplateResult {
  const { words } = view;
  const answer = turn.items
    .map((item) => (item.kind === 'text' ? item.text : ''))
    .filter((text) => text !== '')
    .join('\n\n');
  return html`<div class="after">
    ${
      answer === ''
        ? nothing
        : iconButton('copy', words.say('copyAnswer'), () => {
            view.post({ type: 'copy', text: answer });
            view.announce(words.say('copied'));
          })
    }${
      again === null ? nothing : iconButton('refresh', words.say('answerAgain'), again, 'rewinds')
    }${
      summary.steps === 0
        ? nothing
        : html`<span class="push num"
            >${words.count(summary.steps, 'stepOne', 'stepMany')},
            ${words.duration(summary.seconds)}</span
          >`
    }
  </div>`;
}

function drawPlan(view: View, plan: readonly UndoneFile[], undo: Undo): TemplateResult {
  const { words } = view;
  const number = (what: UndoneFile['what']): number =>
    plan.filter((file) => file.what === what).length;
  const [back, removed, kept] = [number('putBack'), number('remove'), number('keep')];
  const sentences = [
    back > 0 ? words.count(back, 'putBackOne', 'putBackMany') : '',
    removed > 0 ? words.count(removed, 'removeOne', 'removeMany') : '',
    kept > 0 ? words.count(kept, 'keepOne', 'keepMany') : '',
    plan.length === 0 ? words.say('undoNothing') : '',
  ].filter((text) => text !== '');
  return html`<section
    class="card active undo"
    role="group"
    aria-label=${words.say('undoThis')}
    tabindex="-1"
    @keydown=${(event: KeyboardEvent) => {
      const confirms = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat;
      if (event.key !== 'Escape' && !confirms) return;
      event.preventDefault();
      event.stopPropagation();
      if (confirms) undo.carryOut();
      else undo.keep();
    }}
  >
    <header>
      ${icon('discard')}
      <div>
        <h2>${words.say('undoThis')}</h2>
        <div class="sub">${sentences.join(' ')}</div>
      </div>
      <span class="of"></span>
    </header>
    <div class="files">${plan.map((file) => drawUndone(view, file))}</div>
    <footer>
      ${
        back + removed === 0
          ? nothing
          : html`<vscode-button class="btn primary" @click=${() => undo.carryOut()}
              >${words.count(back + removed, 'undoOne', 'undoMany')}<span class="key"
                >${view.key('allow')}</span
              ></vscode-button
            >`
      }
      <vscode-button class="btn" secondary @click=${() => undo.keep()}
        >${words.say('keepThem')}<span class="key">Esc</span></vscode-button
      >
    </footer>
  </section>`;
}

export function drawUndone(view: View, file: UndoneFile): TemplateResult {
  const { words } = view;
  const [, name] = split(file.path);
  const usual = {
    putBack: words.say('putBack'),
    remove: words.say('removedFile'),
    keep: words.say('keptFile'),
  }[file.what];
  return html`<div class="file" title=${file.path}>
    ${icon({ putBack: 'discard', remove: 'trash', keep: 'circle-slash' }[file.what])}<span
      class="name"
      ><bdi>${marked(view, name)}</bdi><span>${file.note === '' ? usual : file.note}</span></span
    ><span></span>
  </div>`;
}

/** Folder and name of a path of either platform. */
function split(path: string): [string, string] {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return [path.slice(0, Math.max(0, at)), path.slice(at + 1)];
}
