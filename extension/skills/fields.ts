/** The fields of a SKILL.md's header, for people who write one. What reads them is the core. */

export interface SkillField {
  readonly name: string;
  /** What it is for, in a sentence or two of Markdown. */
  readonly about: string;
  /** What stands after the colon in a snippet of VS Code. */
  readonly snippet: string;
  readonly required: boolean;
}

export const skillFields: readonly SkillField[] = [
  {
    name: 'name',
    about:
      'How the skill is called: 1 to 64 lower-case letters, digits and single hyphens, the same as its folder. `/name` loads it in the chat.',
    snippet: '${1:my-skill}',
    required: true,
  },
  {
    name: 'description',
    about:
      'What the skill does and when to use it. The model sees this line alone and decides by it; the first 240 characters stand in its prompt.',
    snippet: '${1:What it does. Use it when …}',
    required: true,
  },
  {
    name: 'autoAttach',
    about:
      'Globs relative to the workspace folder. While a file that matches is open, the skill comes first in the list and the message gets a hint. Also written `paths` or `globs`.',
    snippet: '["${1:src/**/*.ts}"]',
    required: false,
  },
  {
    name: 'argument-hint',
    about: 'What to type after `/name`, such as `[version]`. Shown where `/name` is completed.',
    snippet: '"${1:[version]}"',
    required: false,
  },
  {
    name: 'disable-model-invocation',
    about: '`true`: the model never sees it; only the user’s `/name` loads it.',
    snippet: '${1|true,false|}',
    required: false,
  },
  {
    name: 'user-invocable',
    about: '`false`: `/name` does not offer it; only the model loads it.',
    snippet: '${1|false,true|}',
    required: false,
  },
  {
    name: 'allowed-tools',
    about: 'Tools that the skill expects. It is shown, and never grants anything here.',
    snippet: '${1:read_file grep}',
    required: false,
  },
  {
    name: 'tags',
    about: 'Words to find it by.',
    snippet: '[${1:word}]',
    required: false,
  },
  {
    name: 'version',
    about: 'Its version, kept as the text that stands here.',
    snippet: '${1:1.0.0}',
    required: false,
  },
  { name: 'author', about: 'Who wrote it.', snippet: '${1:name}', required: false },
  { name: 'license', about: 'Its licence, such as `MIT`.', snippet: '${1:MIT}', required: false },
  {
    name: 'compatibility',
    about: 'What it needs: programs, systems, other agents it was written for.',
    snippet: '${1:Needs git}',
    required: false,
  },
  {
    name: 'metadata',
    about: 'A map of anything else; kept and passed on, not used.',
    snippet: '\n  ${1:key}: ${2:value}',
    required: false,
  },
];

/** Where a place in a text of SKILL.md lies, as far as completion and hover ask. */
export type HeaderPlace =
  | { readonly kind: 'outside' }
  /** On a line of the header that begins a field, or will: `key` is what stands there so far. */
  | { readonly kind: 'key'; readonly key: string; readonly present: ReadonlySet<string> }
  | { readonly kind: 'value'; readonly key: string };

/** `line` and `character` count from 0. Only fields at the left edge count: others belong to a map. */
export function headerPlace(text: string, line: number, character: number): HeaderPlace {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (!/^---\s*$/.test(lines[0] ?? '') || line === 0) return { kind: 'outside' };
  const close = lines.findIndex((each, k) => k > 0 && /^---\s*$/.test(each));
  const end = close < 0 ? lines.length : close;
  if (line >= end) return { kind: 'outside' };
  const fieldOf = (each: string): string | null => /^([A-Za-z][\w-]*)\s*:/.exec(each)?.[1] ?? null;
  const here = lines[line] ?? '';
  const key = fieldOf(here);
  if (key !== null) {
    return character <= key.length
      ? { kind: 'key', key, present: others(lines, end, line, fieldOf) }
      : { kind: 'value', key };
  }
  if (/^[A-Za-z][\w-]*$|^$/.test(here)) {
    return { kind: 'key', key: here, present: others(lines, end, line, fieldOf) };
  }
  for (let k = line - 1; k > 0; k -= 1) {
    const above = fieldOf(lines[k] ?? '');
    if (above !== null) return { kind: 'value', key: above };
  }
  return { kind: 'outside' };
}

function others(
  lines: readonly string[],
  end: number,
  line: number,
  fieldOf: (line: string) => string | null,
): ReadonlySet<string> {
  return new Set(
    lines.slice(1, end).flatMap((each, k) => (k + 1 === line ? [] : (fieldOf(each) ?? []))),
  );
}
