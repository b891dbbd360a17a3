/** A notice: a fact, its cause, and what to do. No box, no fill. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Notice } from '../../agent/events.ts';
import { icon, iconButton } from './element.ts';
import { marked } from './spans.ts';
import type { View } from './view.ts';

const look = {
  info: { icon: 'info', colour: '', rule: '' },
  warning: { icon: 'warning', colour: 'c-warn', rule: 'warn' },
  error: { icon: 'error', colour: 'c-bad', rule: 'bad' },
} as const;

export function drawNotice(view: View, notice: Notice): TemplateResult {
  const { icon: name, colour, rule } = look[notice.severity];
  const text = [notice.cause, notice.remedy].filter((part) => part !== '').join(' ');
  return html`<section class="notice ${rule}" role="note">
    ${icon(name, colour)}
    <div>
      <h2>${marked(view, notice.fact)}</h2>
      ${text === '' ? nothing : html`<p>${marked(view, text)}</p>`}
      ${
        notice.actions.length === 0
          ? nothing
          : html`<div class="acts">
              ${notice.actions.map(
                (action, index) =>
                  html`<vscode-button
                    class="btn ${index === 0 ? 'primary' : ''}"
                    ?secondary=${index !== 0}
                    @click=${() => view.post({ type: 'notice', code: notice.code, action: action.id })}
                    >${action.label}</vscode-button
                  >`,
              )}
            </div>`
      }
    </div>
    ${
      notice.severity === 'error' || notice.actions.length > 0
        ? html`<span></span>`
        : iconButton('close', view.words.say('dismiss'), () =>
            view.post({ type: 'notice', code: notice.code, action: 'dismiss' }),
          )
    }
  </section>`;
}

/** The same in the dock, for as long as it holds: it has no ×. */
export function drawLasting(view: View, notice: Notice): TemplateResult {
  const text = [notice.cause, notice.remedy].filter((part) => part !== '').join(' ');
  const { icon: name, colour, rule } = look[notice.severity];
  return html`<div class="lasting ${rule}" role="note">
    ${icon(name, colour)}
    <div>
      <p><b>${marked(view, notice.fact)}</b> ${marked(view, text)}</p>
      ${
        notice.actions.length === 0
          ? nothing
          : html`<div class="acts">
              ${notice.actions.map(
                (action) =>
                  html`<button
                    type="button"
                    class="link"
                    @click=${() => view.post({ type: 'notice', code: notice.code, action: action.id })}
                  >
                    ${action.label}
                  </button>`,
              )}
            </div>`
      }
    </div>
  </div>`;
}
