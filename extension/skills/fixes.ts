/**
 * What can be done about each finding in a SKILL.md: the core's own fix, and those that need more than
 * one place of the file, such as its body or its folder. A fix is only offered when it was tried: with
 * it the finding is gone, no other has come, and what the file says otherwise is the same.
 */
import { posix } from 'node:path';
import type { Core, ParsedSkill, Problem, TextEdit } from '../core.ts';
import { SKILL_SPLIT_LEAVES_LINES } from '../limits.ts';
import { bodySplit, sentenceOf } from './body.ts';
import { applied, fieldEnd, headerLines, lineOfField, place } from './edits.ts';

export type SkillFix =
  | { readonly kind: 'edit'; readonly title: string; readonly edits: readonly TextEdit[] }
  /** The end of the body goes to a new file beside it. */
  | {
      readonly kind: 'splitBody';
      readonly title: string;
      readonly edits: readonly TextEdit[];
      /** Relative to the skill's folder, and what stands in it. */
      readonly file: string;
      readonly text: string;
    }
  | { readonly kind: 'renameFolder'; readonly title: string; readonly to: string }
  | { readonly kind: 'renameFile'; readonly title: string; readonly to: string }
  | { readonly kind: 'saveAsUtf8'; readonly title: string };

export interface FixParts {
  readonly core: Pick<Core, 'parseSkill'>;
  /** As it stands in the editor, without a byte order mark. */
  readonly text: string;
  /** Of the folder that holds the file. */
  readonly folderName: string;
  /** What stands at this path in the skill's folder; links are not followed. */
  readonly at: (path: string) => 'nothing' | 'folder' | 'other';
}

/** Where no description stands and no text of the body can be one. */
const descriptionToFillIn = 'Says what this skill does and when to use it.';

export function skillFixes(parts: FixParts, problem: Problem): readonly SkillFix[] {
  // It only counts others.
  if (problem.code === 'more-problems') return [];
  const before = parse(parts, parts.text);
  const core = problem.fix === null ? [] : [problem.fix];
  const own = others(parts, problem, before);
  // The text's own words are a better description than one to fill in; else the plain fix is first.
  const isOwnBetter = problem.code === 'missing-description';
  const candidates = isOwnBetter ? [...own, ...core] : [...core, ...own];
  const offered = new Map<string, SkillFix>();
  for (const fix of [...candidates, ...covering(problem, before)]) {
    const result = resultOf(parts, fix);
    if (!offered.has(result) && helps(parts, problem, before, fix)) offered.set(result, fix);
  }
  return [...offered.values()];
}

/** Two fixes that come to the same are one. */
function resultOf({ text }: FixParts, fix: SkillFix): string {
  switch (fix.kind) {
    case 'renameFolder':
    case 'renameFile':
    case 'saveAsUtf8':
      return `${fix.kind} ${fix.title}`;
    case 'edit':
    case 'splitBody':
      return `edit ${applied(text, fix.edits)}`;
  }
}

function parse({ core, folderName }: FixParts, text: string): ParsedSkill {
  return core.parseSkill(new TextEncoder().encode(text), folderName);
}

/** True when the finding goes by it and no other comes. */
function helps(parts: FixParts, problem: Problem, before: ParsedSkill, fix: SkillFix): boolean {
  switch (fix.kind) {
    case 'renameFolder':
    case 'renameFile':
    case 'saveAsUtf8':
      return true;
    case 'edit':
    case 'splitBody': {
      const after = parse(parts, applied(parts.text, fix.edits));
      return isGone(problem, before, after) && nothingWorse(problem, before, after);
    }
  }
}

/** The merge's findings are in no file: whether they go, only the merge can say. */
function isGone({ code, start }: Problem, before: ParsedSkill, after: ParsedSkill): boolean {
  const count = ({ problems }: ParsedSkill) => problems.filter((each) => each.code === code).length;
  if (count(before) === 0 || count(after) < count(before)) return true;
  // Where not all are listed, the next one takes the place of the one that went.
  const isListedInPart = before.problems.some((each) => each.code === 'more-problems');
  return (
    isListedInPart &&
    !after.problems.some(
      (each) =>
        each.code === code && each.start.line === start.line && each.start.column === start.column,
    )
  );
}

/** No finding has come that is as bad as the one that went. */
function nothingWorse(problem: Problem, before: ParsedSkill, after: ParsedSkill): boolean {
  const known = new Set(before.problems.map(({ code }) => code));
  return after.problems.every(
    ({ code, severity }) =>
      known.has(code) || (problem.severity === 'error' && severity !== 'error'),
  );
}

/** One fix mends all that is wrong with a value, and is only said at the first of its findings. */
function covering({ start }: Problem, { problems }: ParsedSkill): SkillFix[] {
  return problems.flatMap(({ fix }) => {
    if (fix?.kind !== 'edit') return [];
    const covers = fix.edits.some(
      (edit) => !isBefore(start, edit.start) && isBefore(start, edit.end),
    );
    return covers ? [fix] : [];
  });
}

type Place = Problem['start'];

function isBefore(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.column < other.column);
}

function edit(
  title: string,
  start: Place,
  end: Place,
  text: string,
): Extract<SkillFix, { kind: 'edit' }> {
  return { kind: 'edit', title, edits: [{ start, end, text }] };
}

/** Fixes that the core does not know, by code. Those that have none are in docs/skill-findings.md. */
function others(parts: FixParts, problem: Problem, before: ParsedSkill): readonly SkillFix[] {
  const { text, folderName } = parts;
  const { start, end } = problem;
  switch (problem.code) {
    case 'missing-description':
      return describe(parts, before);
    case 'no-front-matter':
      return addHeader(parts, before);
    case 'invalid-name':
    case 'name-differs-from-folder':
      return [edit("Use the folder's name", start, end, folderName)];
    case 'duplicate-name': {
      const line = lineOfField(text, 'name');
      if (line === null || before.name === folderName) return [];
      const value = edit(
        "Use the folder's name",
        place(line, 1),
        place(line + 1, 1),
        `name: ${folderName}\n`,
      );
      return [value];
    }
    case 'long-description':
      return shorten(parts, problem, before);
    case 'unknown-glob':
      return withoutBadGlobs(parts, problem, before);
    case 'wrong-type':
      return rightType(parts, problem, before);
    case 'stray-line':
      return [
        {
          kind: 'edit',
          title: 'Make it a comment',
          edits: lines(start, end).map((line) => ({
            start: place(line, 1),
            end: place(line, 1),
            text: '# ',
          })),
        },
        edit('Remove it', place(start.line, 1), place(end.line + 1, 1), ''),
      ];
    case 'control-character':
      return [{ kind: 'edit', title: 'Remove it', edits: nulsOf(text) }];
    case 'bad-anchor':
      return [
        ...meaningTheSame(parts, before, edit('Remove the anchor', start, end, '')),
        ...asRead(parts, problem, before),
      ];
    case 'duplicate-key':
    case 'collection-key':
    case 'unknown-alias':
    case 'broken-brackets':
    case 'text-after-value':
    case 'uneven-indentation':
      return problem.fix === null ? asRead(parts, problem, before) : [];
    case 'long-body':
      return split(parts, problem, before);
    case 'invalid-encoding':
      return [{ kind: 'saveAsUtf8', title: 'Read it as Windows-1252 and save as UTF-8' }];
    case 'skill-file-name':
      return [{ kind: 'renameFile', title: 'Rename the file to SKILL.md', to: 'SKILL.md' }];
    default:
      return [];
  }
}

/** A description of the body's own words, in the place of none. */
function describe(parts: FixParts, before: ParsedSkill): readonly SkillFix[] {
  const words = sentenceOf(before.body);
  if (words === null) return [];
  const value = JSON.stringify(words);
  const title = "Describe it by the text's first sentence";
  const line = lineOfField(parts.text, 'description');
  if (line === null) return [edit(title, place(2, 1), place(2, 1), `description: ${value}\n`)];
  const last = fieldEnd(parts.text, line);
  return [edit(title, place(line, 1), place(last + 1, 1), `description: ${value}\n`)];
}

/** A header where there is none; where dashes stand that are no fence, they become one. */
function addHeader(parts: FixParts, before: ParsedSkill): readonly SkillFix[] {
  const { core, text, folderName } = parts;
  const first = /^[ \t]*[-–—]{2,}[ \t]*(?=\r?\n|$)/.exec(text)?.[0];
  if (first !== undefined) {
    const fence = edit(
      'Write --- on the first line',
      place(1, 1),
      place(1, first.length + 1),
      '---',
    );
    const rest = applied(text, fence.edits);
    if (parse(parts, rest).problems.every(({ code }) => code !== 'no-front-matter')) return [fence];
  }
  const named = core.parseSkill(new TextEncoder().encode('---\ndescription: x\n---\n'), folderName)
    .problems[0]?.fix;
  const name =
    named?.kind === 'edit' ? (named.edits[0]?.text ?? 'name: my-skill\n') : 'name: my-skill\n';
  const words = sentenceOf(before.body) ?? descriptionToFillIn;
  const header = `---\n${name}description: ${JSON.stringify(words)}\n---\n\n`;
  return [edit('Add a header', place(1, 1), place(1, 1), header)];
}

/** The beginning of a description that fits; the rest of its words begin the body. */
function shorten(
  { text }: FixParts,
  problem: Problem,
  { description, bodyLine }: ParsedSkill,
): readonly SkillFix[] {
  if (description === null) return [];
  const words = description.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(words);
  const most = characters.slice(0, longestDescription).join('');
  if (most === words) {
    return [edit('Write it on one line', problem.start, problem.end, JSON.stringify(words))];
  }
  const sentence = Math.max(most.lastIndexOf('. '), most.lastIndexOf('! '), most.lastIndexOf('? '));
  const cut = sentence > most.length / 2 ? sentence + 1 : Math.max(most.lastIndexOf(' '), 1);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  return [
    {
      kind: 'edit',
      title: 'Move what is too long into the text below',
      edits: [
        {
          start: problem.start,
          end: problem.end,
          text: JSON.stringify(words.slice(0, cut).trim()) + endOfBlock(text, problem, lineEnd),
        },
        {
          start: place(bodyLine, 1),
          end: place(bodyLine, 1),
          text: `${lineEnd}${words.slice(cut).trim()}${lineEnd}`,
        },
      ],
    },
  ];
}

/** As the Agent Skills format has it; the core finds what is longer. */
const longestDescription = 1_024;

/** A block scalar's place goes on to the next line, which must not follow its new value. */
function endOfBlock(text: string, { end }: Problem, lineEnd: string): string {
  const line = text.split(/\r\n|\r|\n/)[end.line - 1] ?? '';
  return end.column === 1 && line !== '' ? lineEnd : '';
}

function withoutBadGlobs(
  { core }: FixParts,
  { start, end }: Problem,
  { fields, problems }: ParsedSkill,
): readonly SkillFix[] {
  // Those that nobody looked at would be lost.
  if (problems.some(({ code }) => code === 'too-many-globs')) return [];
  const good = fields.autoAttach.filter((glob) => {
    const header = `---\nname: a\ndescription: b\nglobs: [${JSON.stringify(glob)}]\n---\n`;
    return core.parseSkill(new TextEncoder().encode(header), 'a').problems.length === 0;
  });
  return [edit('Remove the globs that are not understood', start, end, list(good))];
}

/** A value of another type, written as one that can be read. */
function rightType(
  { text }: FixParts,
  { start, end }: Problem,
  { frontMatter }: ParsedSkill,
): readonly SkillFix[] {
  const { key, value } = fieldAt(text, start.line, frontMatter);
  switch (key ?? '') {
    case 'user-invocable':
    case 'user-invokable':
    case 'disable-model-invocation':
      return [edit('Write true', start, end, 'true'), edit('Write false', start, end, 'false')];
    case 'tags':
    case 'allowed-tools':
    case 'autoAttach':
    case 'auto_attach':
    case 'paths':
    case 'globs': {
      if (typeof value !== 'object' || value === null) return [];
      const values = Object.values(value).filter((each) => typeof each !== 'object');
      return [
        edit('Write the keys as a list', start, end, list(Object.keys(value))),
        edit('Write the values as a list', start, end, list(values.map(String))),
      ];
    }
    default: {
      if (typeof value !== 'object' || value === null) return [];
      const words = Array.isArray(value)
        ? value.filter((each) => typeof each !== 'object').map(String)
        : Object.entries(value).map(([name, each]) => `${name}: ${said(each)}`);
      const joined = words.join(Array.isArray(value) ? ' ' : ', ');
      return [edit('Write it as one text', start, end, JSON.stringify(joined))];
    }
  }
}

function said(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The fix, when every field still says what was read of it before. */
function meaningTheSame(
  parts: FixParts,
  before: ParsedSkill,
  fix: Extract<SkillFix, { kind: 'edit' }>,
): readonly SkillFix[] {
  const after = parse(parts, applied(parts.text, fix.edits));
  return after.frontMatter === before.frontMatter ? [fix] : [];
}

/** The whole field as it was read, in one line that everybody reads alike. */
function asRead(parts: FixParts, { start }: Problem, before: ParsedSkill): readonly SkillFix[] {
  const { text } = parts;
  const { key, value, line } = fieldAt(text, start.line, before.frontMatter);
  if (key === null || line === null || value === undefined) return [];
  const last = fieldEnd(text, line);
  const written = `${key}: ${JSON.stringify(value)}\n`;
  const title = 'Write this field as it was read';
  return meaningTheSame(parts, before, edit(title, place(line, 1), place(last + 1, 1), written));
}

function split(
  { text, at }: FixParts,
  { start }: Problem,
  { bodyLine }: ParsedSkill,
): readonly SkillFix[] {
  // The finding stands at the first line that is too many.
  const most = start.line - bodyLine - SKILL_SPLIT_LEAVES_LINES;
  const cut = bodySplit(text, bodyLine, most, (path) => at(path) !== 'nothing');
  // Through a link the new file could come to stand anywhere.
  if (cut === null || at(posix.dirname(cut.file)) === 'other') return [];
  const count = text.split(/\r\n|\r|\n/).length;
  const last = text.split(/\r\n|\r|\n/).at(-1) ?? '';
  return [
    {
      kind: 'splitBody',
      title: `Move the end of the text to ${cut.file}`,
      edits: [{ start: place(cut.line, 1), end: place(count, last.length + 1), text: cut.pointer }],
      file: cut.file,
      text: cut.text,
    },
  ];
}

/** The field of the top map in whose lines `line` stands, and what was read of it. */
function fieldAt(
  text: string,
  line: number,
  frontMatter: string,
): { readonly key: string | null; readonly value: unknown; readonly line: number | null } {
  const read = JSON.parse(frontMatter) as Readonly<Record<string, unknown>>;
  const all = headerLines(text);
  for (let at = line; at > 1; at -= 1) {
    const key = /^["']?([A-Za-z][\w-]*)["']?\s*:/.exec(all[at - 2] ?? '')?.[1];
    if (key !== undefined && Object.hasOwn(read, key)) return { key, value: read[key], line: at };
  }
  return { key: null, value: undefined, line: null };
}

function list(texts: readonly string[]): string {
  return `[${texts.map((each) => JSON.stringify(each)).join(', ')}]`;
}

function lines(start: Place, end: Place): number[] {
  return Array.from({ length: end.line - start.line + 1 }, (_, n) => start.line + n);
}

function nulsOf(text: string): TextEdit[] {
  return headerLines(text).flatMap((line, index) =>
    Array.from(line.matchAll(/\0/g), ({ index: column }) => ({
      start: place(index + 2, column + 1),
      end: place(index + 2, column + 2),
      text: '',
    })),
  );
}
