/**
 * What every part of the page is handed: the way to the host, the words, the keys, and what is kept
 * when the page is hidden or thrown away.
 */
import type { FromPage } from '../protocol.ts';
import type { Output } from '../transcript.ts';
import type { AnswerKey } from './card.ts';
import type { FormValues } from './form.ts';
import { Words } from './words.ts';
import { PAGE_KEEP_MS } from '../../limits.ts';

/** Kept by the editor while the page is gone. Everything in it is only about how the page stands. */
export interface Kept {
  readonly draft: string;
  readonly caret: readonly [number, number];
  /** Ids of what is unfolded. */
  readonly open: readonly string[];
  readonly planOpen: boolean;
  /** The turn at the top of the view and how far it is scrolled out; null while following. */
  readonly anchor: { readonly turn: string; readonly offset: number } | null;
  /** Edited panes of waiting cards: card, then pane. */
  readonly edits: Readonly<Record<string, Readonly<Record<number, string>>>>;
  /** Reasons being written: card, then text. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Forms being filled in: card, then what stands in its fields. */
  readonly forms: Readonly<Record<string, FormValues>>;
}

/** What `acquireVsCodeApi` gives. */
export interface Editor {
  postMessage(message: FromPage): void;
  getState(): unknown;
  setState(state: Kept): void;
}

export class View {
  words = new Words();
  readonly mac: boolean;
  /** Host's clock less the page's, milliseconds. */
  clock = 0;
  readonly outputs = new Map<string, Output | null>();
  /** At the box; `data:` URLs. They are kept by the host, which has room for them. */
  images: readonly string[] = [];
  readonly open: Set<string>;
  readonly edits = new Map<string, Map<number, string>>();
  readonly reasons = new Map<string, string>();
  readonly forms = new Map<string, FormValues>();
  /** Cards whose form only this page knows. */
  readonly #unkept = new Set<string>();
  readonly #editor: Editor;
  readonly #announce: (text: string) => void;
  #kept: Kept;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(editor: Editor, mac: boolean, announce: (text: string) => void) {
    this.#editor = editor;
    this.#announce = announce;
    this.mac = mac;
    this.#kept = readKept(editor.getState());
    this.open = new Set(this.#kept.open);
    for (const [card, panes] of Object.entries(this.#kept.edits)) {
      const own = new Map(Object.entries(panes).map(([pane, text]) => [Number(pane), text]));
      this.edits.set(card, own);
    }
    for (const [card, reason] of Object.entries(this.#kept.reasons)) this.reasons.set(card, reason);
    for (const [card, values] of Object.entries(this.#kept.forms)) this.forms.set(card, values);
  }

  post(message: FromPage): void {
    this.#editor.postMessage(message);
  }

  /** Speaks to those who hear the page. */
  announce(text: string): void {
    this.#announce(text);
  }

  /** Milliseconds of the host's clock. */
  now(): number {
    return Date.now() + this.clock;
  }

  get kept(): Kept {
    return this.#kept;
  }

  keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    this.#timer ??= setTimeout(() => this.flush(), PAGE_KEEP_MS);
  }

  keepOpen(id: string, open: boolean): void {
    if (open) this.open.add(id);
    else this.open.delete(id);
    this.keep({ open: [...this.open] });
  }

  /** Another chat: nothing of the last one is open in it. */
  closeAll(): void {
    this.open.clear();
    this.keep({ open: [], anchor: null });
  }

  keepEdit(card: string, pane: number, text: string | null): void {
    const own = this.edits.get(card) ?? new Map<number, string>();
    if (text === null) own.delete(pane);
    else own.set(pane, text);
    if (own.size === 0) this.edits.delete(card);
    else this.edits.set(card, own);
    const edits = Object.fromEntries(
      [...this.edits].map(([id, panes]) => [id, Object.fromEntries(panes)]),
    );
    this.keep({ edits });
  }

  keepReason(card: string, text: string | null): void {
    if (text === null) this.reasons.delete(card);
    else this.reasons.set(card, text);
    this.keep({ reasons: Object.fromEntries(this.reasons) });
  }

  keepForm(card: string, values: FormValues | null, kept: boolean): void {
    if (values === null) this.forms.delete(card);
    else this.forms.set(card, values);
    if (kept) this.#unkept.delete(card);
    else this.#unkept.add(card);
    const forms = [...this.forms].filter(([id]) => !this.#unkept.has(id));
    this.keep({ forms: Object.fromEntries(forms) });
  }

  /** Forgets what belongs to cards that no longer wait. */
  onlyCards(waiting: ReadonlySet<string>): void {
    for (const card of this.edits.keys()) if (!waiting.has(card)) this.edits.delete(card);
    for (const card of [...this.reasons.keys()])
      if (!waiting.has(card)) this.keepReason(card, null);
    for (const card of [...this.forms.keys()])
      if (!waiting.has(card)) this.keepForm(card, null, true);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#editor.setState(this.#kept);
  }

  /** A key as it is written on a button. */
  key(key: AnswerKey | 'show' | 'stop' | 'enter'): string {
    switch (key) {
      case 'allow':
        return this.mac ? '⌘⏎' : 'Ctrl+⏎';
      case 'allowSession':
        return this.mac ? '⇧⌘⏎' : 'Ctrl+⇧⏎';
      case 'keepInProject':
        return this.mac ? '⌥⌘⏎' : 'Ctrl+Alt+⏎';
      case 'deny':
        return this.mac ? '⌘⌫' : 'Ctrl+⌫';
      case 'dismiss':
        return this.mac ? '⇧⌘⌫' : 'Ctrl+⇧⌫';
      case 'show':
        return this.mac ? '⌥J' : 'Alt+J';
      case 'stop':
        return 'Esc';
      case 'enter':
        return '⏎';
    }
  }
}

/** State of another version of the page, or none, counts as nothing kept. */
function readKept(state: unknown): Kept {
  const nothing: Kept = {
    draft: '',
    caret: [0, 0],
    open: [],
    planOpen: true,
    anchor: null,
    edits: {},
    reasons: {},
    forms: {},
  };
  if (typeof state !== 'object' || state === null) return nothing;
  const own = state as Partial<Record<keyof Kept, unknown>>;
  const { draft, caret, open, planOpen, anchor, edits, reasons, forms } = own;
  return {
    draft: typeof draft === 'string' ? draft : '',
    caret: Array.isArray(caret) ? [Number(caret[0]) || 0, Number(caret[1]) || 0] : [0, 0],
    open: Array.isArray(open) ? open.filter((id) => typeof id === 'string') : [],
    planOpen: planOpen !== false,
    anchor: isAnchor(anchor) ? anchor : null,
    edits: typeof edits === 'object' && edits !== null ? (edits as Kept['edits']) : {},
    reasons: typeof reasons === 'object' && reasons !== null ? (reasons as Kept['reasons']) : {},
    forms: typeof forms === 'object' && forms !== null ? (forms as Kept['forms']) : {},
  };
}

function isAnchor(value: unknown): value is { turn: string; offset: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'turn' in value &&
    typeof value.turn === 'string' &&
    'offset' in value &&
    typeof value.offset === 'number'
  );
}
