/** What the parts of the page have in common: they draw into the page itself, so that one sheet holds. */
import { LitElement, html, type TemplateResult } from 'lit';
import { property } from 'lit/decorators.js';
import type { View } from './view.ts';

export abstract class Part extends LitElement {
  @property({ attribute: false }) view!: View;

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** What to draw; a failure of it is drawn as the data it could not draw. */
  protected abstract draw(): unknown;
  /** The data, for that case. */
  protected abstract raw(): unknown;

  protected override render(): unknown {
    return guarded(
      this.view,
      () => this.draw(),
      () => this.raw(),
    );
  }
}

/** Draws, or shows the data as raw text: the page is never grey. */
export function guarded(view: View, draw: () => unknown, raw: () => unknown): unknown {
  try {
    return draw();
  } catch (error) {
    view.post({ type: 'problem', message: error instanceof Error ? error.message : String(error) });
    return rawText(view, raw());
  }
}

function rawText(view: View, data: unknown): TemplateResult {
  return html`<section class="notice warn" role="note">
    ${icon('warning', 'c-warn')}
    <div>
      <h2>${view.words.say('brokenMessage')}</h2>
      <pre class="out">${JSON.stringify(data, null, 2)}</pre>
    </div>
  </section>`;
}

/** A codicon; it says nothing by itself. */
export function icon(name: string, more = ''): TemplateResult {
  return html`<i class="codicon codicon-${name} ${more}" aria-hidden="true"></i>`;
}

/** A small button that is only an icon. */
export function iconButton(
  name: string,
  label: string,
  click: (event: MouseEvent) => void,
  more = '',
): TemplateResult {
  return html`<button
    type="button"
    class="ib ${more}"
    aria-label=${label}
    title=${label}
    @click=${click}
  >
    ${icon(name)}
  </button>`;
}
