/**
 * How many tokens a text costs: characters / 3.5, corrected by what the model server reports. No
 * tokenizer is bundled, since none would be that of the model at hand.
 */
import {
  CALIBRATION_BOUNDS,
  CALIBRATION_LEAST_TOKENS,
  OUTPUT_RESERVE_SHARE,
  PROMPT_CUT_SHARE,
  CHARACTERS_PER_TOKEN,
} from '../limits.ts';

/** Unicode scalar values of a text. */
export function characters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) pairs++;
  }
  return text.length - pairs;
}

/** What the server's count says about a prompt. */
export type Verdict = 'counted' | 'cut' | 'unclear';

export class TokenEstimate {
  #factor: number | null = null;

  /** Tokens of `text` as far as is known. */
  of(text: string): number {
    return this.ofCharacters(characters(text));
  }

  ofCharacters(count: number): number {
    return Math.ceil((count / CHARACTERS_PER_TOKEN) * (this.#factor ?? 1));
  }

  /** `estimated` as the last request was estimated by `of`, `reported` by the server. */
  learn(estimated: number, reported: number): Verdict {
    if (reported <= 0 || estimated < CALIBRATION_LEAST_TOKENS) return 'unclear';
    const ratio = reported / estimated;
    if (ratio < PROMPT_CUT_SHARE) return 'cut';
    const factor = (this.#factor ?? 1) * ratio;
    if (factor < CALIBRATION_BOUNDS.least || factor > CALIBRATION_BOUNDS.most) return 'unclear';
    this.#factor = factor;
    return 'counted';
  }

  /** Another model counts in its own way. */
  reset(): void {
    this.#factor = null;
  }
}

/** Tokens that a request may take, and those kept for the answer. */
export function budgetOf(
  window: number,
  maxOutputTokens: number,
): { readonly reserve: number; readonly budget: number } {
  const reserve = Math.min(maxOutputTokens, Math.floor(window * OUTPUT_RESERVE_SHARE));
  return { reserve, budget: window - reserve };
}
