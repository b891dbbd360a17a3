/**
 * Keeps the end of the transcript in view while it grows, until the user scrolls up; and stops by
 * itself where the first line of a long answer would leave the view.
 */
import { FOLLOW_MARGIN_PX } from '../../limits.ts';

export class Follow {
  #following = true;
  #last = 0;
  readonly #scroller: HTMLElement;
  readonly #growing: () => HTMLElement | null;
  readonly #changed: (following: boolean) => void;
  readonly #sizes: ResizeObserver;

  /** `growing` gives the answer that is being written, if any. */
  constructor(
    scroller: HTMLElement,
    column: HTMLElement,
    growing: () => HTMLElement | null,
    changed: (following: boolean) => void,
  ) {
    this.#scroller = scroller;
    this.#growing = growing;
    this.#changed = changed;
    this.#sizes = new ResizeObserver(() => this.stick());
    this.#sizes.observe(column);
    this.#sizes.observe(scroller);
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    scroller.addEventListener(
      'wheel',
      (event) => {
        if (event.deltaY < 0 && scroller.scrollTop > 0) this.#set(false);
      },
      { passive: true },
    );
  }

  get following(): boolean {
    return this.#following;
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.#set(true);
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#last = this.#scroller.scrollTop;
  }

  /** Stays where the view is. */
  stay(): void {
    this.#set(false);
  }

  /** After anything was drawn. */
  stick(): void {
    if (!this.#following) return;
    const scroller = this.#scroller;
    const end = scroller.scrollHeight - scroller.clientHeight;
    const answer = this.#growing();
    const top =
      answer === null
        ? end
        : answer.getBoundingClientRect().top -
          scroller.getBoundingClientRect().top +
          scroller.scrollTop -
          FOLLOW_MARGIN_PX;
    // A place behind the end is where the answer does not fill the view yet.
    if (top < end - 1 && top >= this.#last - 1) {
      scroller.scrollTop = top;
      this.#last = scroller.scrollTop;
      this.#set(false);
      return;
    }
    scroller.scrollTop = end;
    this.#last = scroller.scrollTop;
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const atEnd = scrollHeight - clientHeight - scrollTop <= 2;
    if (atEnd) this.#set(true);
    else if (scrollTop < this.#last - 1) this.#set(false);
    this.#last = scrollTop;
  }

  #set(following: boolean): void {
    if (following === this.#following) return;
    this.#following = following;
    this.#changed(following);
  }

  dispose(): void {
    this.#sizes.disconnect();
  }
}
