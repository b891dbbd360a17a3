/**
 * The focus, where the editor asks for it.
 *
 * In: what moves it within the page. Deliberately not here: giving the page the focus, which is the
 * editor's. An element that is focused in a page without it takes it from whatever the user went on to,
 * such as the file they type in while the page was still being loaded.
 */

export class FocusOnce {
  #later: (() => void) | null = null;

  constructor() {
    window.addEventListener('focus', () => {
      const act = this.#later;
      this.#later = null;
      act?.();
    });
    // A pointer says itself where the focus goes.
    window.addEventListener('pointerdown', () => (this.#later = null), { capture: true });
  }

  /** Does `act` as soon as the page has the focus; the newest one holds. */
  do(act: () => void): void {
    if (document.hasFocus()) act();
    else this.#later = act;
  }
}
