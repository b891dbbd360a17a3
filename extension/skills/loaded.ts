/**
 * Which texts of skills stand in which conversation, so that the same text is not sent twice. A
 * conversation is the session's own or a subagent's; what compaction takes out is forgotten.
 */
export interface LoadedText {
  readonly history: string;
  readonly name: string;
  /** Empty for the body. */
  readonly resource: string;
  readonly part: number;
  readonly parts: number;
  /** SHA-256 of the file it was taken from. */
  readonly digest: string;
}

export class LoadedTexts {
  readonly #byCall = new Map<string, LoadedText>();

  remember(callId: string, text: LoadedText): void {
    this.#byCall.set(callId, text);
  }

  forget(callIds: readonly string[]): void {
    for (const id of callIds) this.#byCall.delete(id);
  }

  /** The same text, unchanged, where it still stands in that conversation. */
  find(wanted: Omit<LoadedText, 'parts'>): LoadedText | null {
    for (const text of this.#byCall.values()) {
      const same =
        text.history === wanted.history &&
        text.name === wanted.name &&
        text.resource === wanted.resource &&
        text.part === wanted.part &&
        text.digest === wanted.digest;
      if (same) return text;
    }
    return null;
  }
}
