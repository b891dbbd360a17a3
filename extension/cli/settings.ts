/**
 * Settings on the command line: flags before environment before `~/.gbs/settings.json` before the
 * defaults. A repository is never asked: nothing here reads a file of the workspace.
 *
 * In: what was typed, the environment, the text of the user's file. Out: settings, and a sentence for
 * every value that could not be used. A value that cannot be read never widens anything: where a
 * setting guards something, its strictest value stands in.
 */
import { getNodeValue, parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';
import {
  defaultSettings,
  modes,
  providers,
  ranges,
  toolLoadings,
  type Settings,
} from '../agent/settings.ts';
import { never } from '../never.ts';

type Kind =
  | { readonly kind: 'text' }
  | { readonly kind: 'flag' }
  | {
      readonly kind: 'number';
      readonly range: readonly [least: number, most: number];
      readonly whole: boolean;
    }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'json' };

interface Setting {
  /** As in VS Code, without `gbsAgent.`. */
  readonly name: string;
  readonly kind: Kind;
  /** Stands in for a value that cannot be read. */
  readonly strict?: Settings[keyof Settings];
  /** A second environment variable, easier to remember. */
  readonly variable?: string;
}

const text: Kind = { kind: 'text' };
const flag: Kind = { kind: 'flag' };
const whole = (range: readonly [number, number]): Kind => ({ kind: 'number', range, whole: true });

const table: { readonly [Key in keyof Settings]: Setting } = {
  provider: {
    name: 'provider',
    kind: { kind: 'choice', choices: providers },
  },
  model: { name: 'model', kind: text },
  subagentModel: { name: 'subagentModel', kind: text },
  openaiBaseUrl: { name: 'openai.baseUrl', kind: text, variable: 'GBS_BASE_URL' },
  ollamaBaseUrl: { name: 'ollama.baseUrl', kind: text },
  contextWindow: { name: 'contextWindow', kind: whole(ranges.contextWindow) },
  maxOutputTokens: { name: 'maxOutputTokens', kind: whole(ranges.maxOutputTokens) },
  temperature: {
    name: 'temperature',
    kind: { kind: 'number', range: ranges.temperature, whole: false },
  },
  maxSteps: { name: 'maxSteps', kind: whole(ranges.maxSteps) },
  permissionMode: {
    name: 'permissionMode',
    kind: { kind: 'choice', choices: modes },
    strict: 'ask',
    variable: 'GBS_MODE',
  },
  commandTimeoutSeconds: {
    name: 'commandTimeoutSeconds',
    kind: whole(ranges.commandTimeoutSeconds),
  },
  maxToolOutputChars: { name: 'maxToolOutputChars', kind: whole(ranges.maxToolOutputChars) },
  shell: { name: 'shell', kind: text },
  skillsEnabled: { name: 'skills.enabled', kind: flag, strict: false },
  skillsPath: { name: 'skillsPath', kind: text },
  skillsReadSharedFolders: { name: 'skills.readSharedFolders', kind: flag, strict: false },
  mcpServers: { name: 'mcpServers', kind: { kind: 'json' } },
  mcpEnabled: { name: 'mcp.enabled', kind: flag, strict: false },
  mcpToolLoading: {
    name: 'mcp.toolLoading',
    kind: { kind: 'choice', choices: toolLoadings },
  },
  mcpClientDocument: { name: 'mcp.clientDocument', kind: text },
  mcpStartTimeoutSeconds: {
    name: 'mcp.startTimeoutSeconds',
    kind: whole(ranges.mcpStartTimeoutSeconds),
  },
  mcpCallTimeoutSeconds: {
    name: 'mcp.callTimeoutSeconds',
    kind: whole(ranges.mcpCallTimeoutSeconds),
  },
  selfConfiguration: { name: 'selfConfiguration', kind: flag, strict: false },
};

const entries = Object.entries(table) as [keyof Settings, Setting][];

/** What is said of settings by their names in VS Code, as they are typed here. */
export function asTyped(words: string): string {
  return words
    .replaceAll(/\bset (?=gbsAgent\.)/g, 'give ')
    .replaceAll(/\braise (?=gbsAgent\.)/g, 'give a higher ')
    .replaceAll(/\bgbsAgent\.([A-Za-z.]*[A-Za-z])/g, '--set $1=…');
}

/** The environment variable of a setting: `mcp.toolLoading` is `GBS_MCP_TOOL_LOADING`. */
export function variableOf(name: string): string {
  return `GBS_${name
    .replace(/[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll('.', '_')
    .toUpperCase()}`;
}

export interface SettingSources {
  /** `name=value` as typed, later ones win. */
  readonly flags: readonly { readonly name: string; readonly value: string }[];
  readonly environment: Readonly<Record<string, string>>;
  /** The user's own file, or null where there is none. */
  readonly file: { readonly path: string; readonly text: string } | null;
}

export interface ReadSettings {
  readonly settings: Settings;
  /** What somebody set; everything else has its default. */
  readonly named: ReadonlySet<keyof Settings>;
  /** About flags: the command ends with them. */
  readonly refused: readonly string[];
  /** About the environment and the file: told, and the rest is used. */
  readonly problems: readonly string[];
}

/** Everything that was set, by precedence. */
export function readSettings(sources: SettingSources): ReadSettings {
  const problems: string[] = [];
  const refused: string[] = [];
  const named = new Set<keyof Settings>();
  const settings: Record<string, unknown> = { ...defaultSettings };
  const take = (key: keyof Settings, raw: unknown, where: string, told: string[]): void => {
    const { kind, strict } = table[key];
    const value = valueOf(kind, raw);
    if (value !== null) {
      named.add(key);
      settings[key] = value;
      return;
    }
    const isUsed = strict !== undefined && told !== refused;
    told.push(
      `${where}: ${JSON.stringify(raw)} is not ${wanted(kind)}` +
        (isUsed ? `; ${JSON.stringify(strict)} is used.` : '.'),
    );
    if (strict !== undefined) settings[key] = strict;
  };

  if (sources.file) {
    const { path } = sources.file;
    const read = objectOf(sources.file.text);
    if (typeof read === 'string') {
      problems.push(
        `${path}: ${read}. Correct the file; until then its settings are not used, and where one guards something the strictest value is.`,
      );
      for (const [key, { strict }] of entries) if (strict !== undefined) settings[key] = strict;
    } else {
      for (const [name, raw] of read) {
        const key = keyOf(name.replace(/^gbsAgent\./, ''));
        if (key === null) problems.push(`${path}: there is no setting ${JSON.stringify(name)}.`);
        else take(key, raw, `${path}, ${name}`, problems);
      }
    }
  }
  for (const [key, { name, variable }] of entries) {
    for (const each of [variableOf(name), variable]) {
      const raw = each === undefined ? undefined : sources.environment[each];
      if (each !== undefined && raw !== undefined && raw !== '') {
        take(key, raw, `environment variable ${each}`, problems);
      }
    }
  }
  for (const { name, value } of sources.flags) {
    const key = keyOf(name.replace(/^gbsAgent\./, ''));
    if (key === null) {
      const all = entries.map(([, setting]) => setting.name).join(', ');
      refused.push(`there is no setting ${JSON.stringify(name)}. There are: ${all}.`);
    } else take(key, value, name, refused);
  }
  // Every value came through `valueOf` by the kind that stands in the table beside its key.
  return { settings: settings as unknown as Settings, named, refused, problems };
}

function keyOf(name: string): keyof Settings | null {
  return entries.find(([, setting]) => setting.name === name)?.[0] ?? null;
}

function wanted(kind: Kind): string {
  switch (kind.kind) {
    case 'text':
      return 'text';
    case 'flag':
      return 'true or false';
    case 'number':
      return `a ${kind.whole ? 'whole ' : ''}number from ${kind.range.join(' to ')}`;
    case 'choice':
      return `one of ${kind.choices.join(', ')}`;
    case 'json':
      return 'a JSON object';
    default:
      return never(kind);
  }
}

/** The value in the setting's own type, or null. Text from a flag or a variable is read by its kind. */
function valueOf(kind: Kind, raw: unknown): string | number | boolean | null {
  switch (kind.kind) {
    case 'text':
      return typeof raw === 'string' ? raw : null;
    case 'flag':
      if (typeof raw === 'boolean') return raw;
      return raw === 'true' ? true : raw === 'false' ? false : null;
    case 'number': {
      const value = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
      const [least, most] = kind.range;
      if (typeof value !== 'number' || !(value >= least && value <= most)) return null;
      return kind.whole && !Number.isSafeInteger(value) ? null : value;
    }
    case 'choice':
      return typeof raw === 'string' && kind.choices.includes(raw) ? raw : null;
    case 'json':
      return typeof raw === 'string' && typeof objectOf(raw) !== 'string' ? raw : null;
    default:
      return never(kind);
  }
}

/** What is wrong with a text, by the names that its reader has for it. */
const mistakes: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not JSON; put text into double quotes',
  InvalidNumberFormat: 'this is not a number that JSON knows',
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'the file goes on after its end; keep one { … } in it',
  InvalidCommentToken: 'a comment that JSON does not know begins here',
  UnexpectedEndOfComment: 'this comment is never closed',
  UnexpectedEndOfString: 'this text is never closed; add a double quote at its end',
  UnexpectedEndOfNumber: 'this number ends too early',
  InvalidUnicode: 'four hexadecimal digits must follow \\u',
  InvalidEscapeCharacter: 'this is not an escape that JSON knows; write \\\\ for a backslash',
  InvalidCharacter: 'a character stands here that must be written as an escape, such as \\n',
};

/**
 * The entries of a JSON object with comments, or what is wrong with the text and where. An object
 * among the values is given as the text that stood there, so that no key of it is lost.
 */
function objectOf(source: string): readonly (readonly [string, unknown])[] | string {
  const json = source.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const root = parseTree(json, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    const before = json.slice(0, error.offset).split(/\r\n|\r|\n/);
    return `line ${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}: ${mistakes[printParseErrorCode(error.error)] ?? 'this is not JSON'}`;
  }
  if (root === undefined) return [];
  if (root.type !== 'object') return 'it does not hold a JSON object';
  return (root.children ?? []).flatMap(({ children: [key, value] = [] }) => {
    if (key === undefined || value === undefined) return [];
    const text = json.slice(value.offset, value.offset + value.length);
    return [[String(key.value), value.type === 'object' ? text : getNodeValue(value)] as const];
  });
}
