/** One skill as the server knows it: what its header says, and whether it may be published. */
import type { Core, ParsedSkill } from '../core.ts';

/** What the lists give of a skill. */
export interface SkillSummary {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly tags: readonly string[];
  readonly author: string | null;
  readonly license: string | null;
}

export interface Skill extends SkillSummary {
  /** The whole header as JSON text. */
  readonly frontMatter: string;
  /** Why it is left out of `skills/list`; null for nothing. */
  readonly withheld: string | null;
}

export type SkillReading =
  | { readonly kind: 'usable'; readonly skill: Skill; readonly body: string }
  | { readonly kind: 'unusable'; readonly why: string };

/** Here the name is a title: only that there is one, and a description, is asked. */
export function readSkill(core: Core, id: string, bytes: Uint8Array): SkillReading {
  const parsed = core.parseSkill(bytes, id);
  const name = parsed.name?.trim() ?? '';
  const description = parsed.description?.trim() ?? '';
  if (name === '' || description === '') {
    const missing = name === '' ? 'name' : 'description';
    const why = parsed.problems.find(({ code }) => said.has(code))?.message;
    return { kind: 'unusable', why: why ?? `Its header has no ${missing}. Add one.` };
  }
  const { tags, author, license } = parsed.fields;
  const skill: Skill = {
    id,
    name,
    description,
    version: parsed.version,
    tags,
    author,
    license,
    frontMatter: parsed.frontMatter,
    withheld: withheldFor(parsed),
  };
  return { kind: 'usable', skill, body: parsed.body };
}

/** Problems that explain why there is no name or description. */
const said: ReadonlySet<string> = new Set([
  'no-front-matter',
  'unclosed-front-matter',
  'front-matter-not-first',
  'missing-name',
  'missing-description',
]);

/** Problems after which the header still means what any reader of YAML takes it for. */
const harmless: ReadonlySet<string> = new Set([
  'long-body',
  'misspelled-field',
  'too-many-globs',
  'unknown-glob',
  'wrong-type',
]);

/** SEP-2640 wants a valid name that is the folder's, and a header that nobody had to repair. */
function withheldFor({ usable, problems }: ParsedSkill): string | null {
  const problem = problems.find(({ code }) => !harmless.has(code));
  if (problem !== undefined) return problem.message;
  return usable ? null : 'Its header is not valid.';
}

export function summaryOf(skill: Skill): SkillSummary {
  const { id, name, description, version, tags, author, license } = skill;
  return { id, name, description, version, tags, author, license };
}
