/**
 * Finds characters that change how text is read without being seen, so that they can be drawn as
 * marks. The same set as `is_hidden` of the core's `text.rs`.
 */
import type { Word } from './words.ts';

/** A run of hidden characters of one sort. */
export interface Mark {
  readonly sort: Word;
  readonly count: number;
  /** Such as `U+200B U+200D`. */
  readonly codes: string;
}

const hiddenRun =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]+/gu;

export function hasHidden(text: string): boolean {
  return text.search(hiddenRun) >= 0;
}

/**
 * `text` in order, with marks in place of hidden characters. `emoji` leaves alone the joiners and
 * selectors that pictographs are made of: right for prose, wrong for what is to be approved.
 */
export function pieces(text: string, emoji = false): (string | Mark)[] {
  const list: (string | Mark)[] = [];
  let from = 0;
  for (const run of text.matchAll(hiddenRun)) {
    const before = text.slice(Math.max(0, run.index - 2), run.index);
    if (emoji && /^[\u200d\ufe0e\ufe0f]+$/u.test(run[0]) && /\p{Emoji}$/u.test(before)) continue;
    if (run.index > from) list.push(text.slice(from, run.index));
    list.push(...marks(run[0]));
    from = run.index + run[0].length;
  }
  if (from < text.length) list.push(text.slice(from));
  return list;
}

function marks(run: string): Mark[] {
  const list: { sort: Word; count: number; codes: string[] }[] = [];
  for (const character of run) {
    const code = character.codePointAt(0) ?? 0;
    const sort = sortOf(code);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const last = list.at(-1);
    if (last?.sort === sort) {
      last.count += 1;
      // Enough to recognise what it is; the number says how many.
      if (last.codes.length < 8) last.codes.push(name);
    } else list.push({ sort, count: 1, codes: [name] });
  }
  return list.map(({ sort, count, codes }) => ({ sort, count, codes: codes.join(' ') }));
}

function sortOf(code: number): Word {
  if (code === 0x0d) return 'hiddenReturn';
  if (code < 0xa0) return 'hiddenControl';
  if (code === 0xad) return 'hiddenSoftHyphen';
  if ([0x61c, 0x200e, 0x200f].includes(code)) return 'hiddenDirection';
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
    return 'hiddenDirection';
  if ((code >= 0x200b && code <= 0x200d) || [0x2060, 0x180e, 0xfeff].includes(code))
    return 'hiddenZeroWidth';
  if (code === 0x2028 || code === 0x2029) return 'hiddenSeparator';
  if ([0x115f, 0x1160, 0x3164, 0xffa0].includes(code)) return 'hiddenFiller';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef))
    return 'hiddenVariation';
  if (code >= 0xe0000 && code <= 0xe007f) return 'hiddenTag';
  return 'hiddenOther';
}
