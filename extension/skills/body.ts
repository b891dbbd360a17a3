/** The body of a SKILL.md as prose: a sentence that describes it, and a place to cut it. */
import { SKILL_SENTENCE_CHARS } from '../limits.ts';

/** The first sentence of the text, else its title; null where there is neither. */
export function sentenceOf(body: string): string | null {
  let title: string | null = null;
  let fence = false;
  for (const paragraph of body.split(/(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r|\n)/)) {
    const isFence = (paragraph.match(/^[ \t]*(?:```|~~~)/gm)?.length ?? 0) % 2 === 1;
    const wasFence = fence;
    if (isFence) fence = !fence;
    if (wasFence || /^[ \t]*(?:```|~~~)/m.test(paragraph)) continue;
    const heading = /^#{1,6}[ \t]+(.+)$/m.exec(paragraph)?.[1];
    title ??= heading === undefined ? null : plain(heading);
    const words = plain(paragraph.replaceAll(/^#{1,6}[ \t].*$/gm, ''));
    if (words === '' || /^(?:[-*+|>]|\d+[.)])[ \t]/.test(words)) continue;
    // A dot within a sentence, as in e.g., is followed by no capital.
    const end = /[.!?](?=\s+\p{Lu}|$)/u.exec(words);
    return cut(end === null ? words : words.slice(0, end.index + 1));
  }
  return title === null ? null : cut(title);
}

/** On one line, without the marks of Markdown. */
function plain(text: string): string {
  return (
    text
      // Up to the next bracket at most: a text of brackets alone would else take the square of its length.
      .replaceAll(/!?\[([^\][]*)\]\([^)[]*\)/g, '$1')
      .replaceAll(/[*_`]{1,3}/g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}

function cut(words: string): string {
  const characters = Array.from(words);
  if (characters.length <= SKILL_SENTENCE_CHARS) return words;
  const most = characters.slice(0, SKILL_SENTENCE_CHARS).join('');
  return most.slice(0, Math.max(most.lastIndexOf(' '), 1)).trimEnd();
}

export interface BodySplit {
  /** The line of the file from which on the text goes; from 1. */
  readonly line: number;
  /** What stands there instead. */
  readonly pointer: string;
  /** Where it goes: a path that is not taken, relative to the skill's folder. */
  readonly file: string;
  readonly text: string;
}

/**
 * Where a text that is too long is cut: at the last section that begins within its first `most` lines;
 * else between two paragraphs; never inside a block of code. Null where there is no such place.
 */
export function bodySplit(
  text: string,
  bodyLine: number,
  most: number,
  exists: (path: string) => boolean,
): BodySplit | null {
  const lines = text.split(/\r\n|\r|\n/);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  let section: number | null = null;
  let subsection: number | null = null;
  let blank: number | null = null;
  let fence: string | null = null;
  for (let at = bodyLine; at < Math.min(bodyLine + most, lines.length); at += 1) {
    const line = lines[at - 1] ?? '';
    const mark = /^[ \t]{0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : fence === mark ? null : fence;
    // A text that is only a title would be left.
    if (fence !== null || at < bodyLine + 3) continue;
    if (/^##?[ \t]/.test(line)) section = at;
    else if (/^#{3,6}[ \t]/.test(line)) subsection = at;
    else if (line.trim() === '') blank = at + 1;
  }
  const line = section ?? subsection ?? blank;
  if (line === null) return null;
  const moved = lines.slice(line - 1);
  const heading = /^#{1,6}[ \t]+(.+?)[ \t#]*$/.exec(moved[0] ?? '')?.[1];
  const file = freePath(heading ?? 'more', exists);
  const from = heading === undefined ? 'For the rest' : `For the rest, from “${heading}” on`;
  return {
    line,
    pointer: `${from}, read ${file}.${lineEnd}`,
    file,
    text: `${moved.join(lineEnd).trimEnd()}${lineEnd}`,
  };
}

function freePath(heading: string, exists: (path: string) => boolean): string {
  const words = heading.toLowerCase().match(/[a-z0-9]+/g) ?? ['more'];
  const stem = words.slice(0, 6).join('-');
  for (let n = 1; ; n += 1) {
    const path = `references/${n === 1 ? stem : `${stem}-${String(n)}`}.md`;
    if (!exists(path)) return path;
  }
}
