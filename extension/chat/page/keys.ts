/** The keys of the view, and the editor's commands that do the same. */
import { never } from '../../never.ts';
import type { PageCommand } from '../protocol.ts';
import type { AnswerKey, CardPart } from './card.ts';
import { FocusOnce } from './focus.ts';

/** What the keys need of the view. */
export interface Keyed {
  readonly running: boolean;
  readonly writingNow: boolean;
  activeCard(): CardPart | null;
  showCard(): void;
  focusInput(): void;
  stop(): void;
  goToOwn(direction: -1 | 1): void;
  showChats(): void;
  find(): void;
}

export class Keys {
  readonly #view: Keyed;
  readonly #focus = new FocusOnce();

  constructor(view: Keyed) {
    this.#view = view;
  }

  readonly handle = (event: KeyboardEvent): void => {
    if (event.isComposing || event.defaultPrevented) return;
    if (this.#take(event)) event.preventDefault();
  };

  #take(event: KeyboardEvent): boolean {
    const control = event.ctrlKey || event.metaKey;
    const view = this.#view;
    if (event.altKey && !control && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      view.goToOwn(event.key === 'ArrowUp' ? -1 : 1);
      return true;
    }
    if (control && !event.altKey && !event.shiftKey && event.code === 'KeyF') {
      view.find();
      return true;
    }
    // By the key's place: with Option held, macOS types another letter.
    if (event.altKey && !control && event.code === 'KeyJ' && view.activeCard() !== null) {
      view.showCard();
      return true;
    }
    if (event.key === 'Escape' && view.running) {
      view.stop();
      return true;
    }
    // A held key answers nothing, and while something is written these keys are for the text.
    const kind = control ? keyOf(event) : null;
    if (kind === null || view.writingNow || view.activeCard() === null) return false;
    if ((kind === 'deny' || kind === 'dismiss') && inText(event.target)) return false;
    if (!event.repeat) this.#answer(kind, event.target);
    return true;
  }

  /** The card that holds the focus, else the oldest; one whose buttons are out of view is shown first. */
  #answer(kind: AnswerKey, from: EventTarget | null): void {
    const own = from instanceof Element ? from.closest<CardPart>('gbs-card') : null;
    const card = own ?? this.#view.activeCard();
    if (card === null) return;
    if (kind !== 'deny' && kind !== 'dismiss' && !card.inView()) {
      card.scrollIntoView({ block: 'end' });
      card.focusCard();
    } else card.answerByKey(kind);
  }

  command(command: PageCommand): void {
    switch (command) {
      case 'chats':
        this.#focus.do(() => this.#view.showChats());
        return;
      case 'find':
        this.#focus.do(() => this.#view.find());
        return;
      case 'focusInput':
        this.#focus.do(() => this.#view.focusInput());
        return;
      case 'focusCard':
        this.#focus.do(() => this.#view.showCard());
        return;
      case 'focusLastMessage':
        this.#focus.do(() => this.#view.goToOwn(-1));
        return;
      case 'allow':
      case 'deny':
        this.#answer(command, null);
        return;
      default:
        never(command);
    }
  }
}

function keyOf(event: KeyboardEvent): AnswerKey | null {
  if (event.altKey) return event.key === 'Enter' && !event.shiftKey ? 'keepInProject' : null;
  if (event.key === 'Enter') return event.shiftKey ? 'allowSession' : 'allow';
  if (event.key !== 'Backspace') return null;
  return event.shiftKey ? 'dismiss' : 'deny';
}

/** True in a field that has text: there the key deletes a word. */
function inText(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement) &&
    target.value !== ''
  );
}
