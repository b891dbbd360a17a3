/**
 * The text of another program's file → its servers as entries of ours, each with what is lost on the
 * way. Nothing is expanded and nothing is started.
 */
import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { parse as parseToml, TomlError } from 'smol-toml';
import type { Program } from './places.ts';

/** A server as it can be written into one of our files. */
export interface ImportedEntry {
  readonly name: string;
  /** Our fields alone. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** What its program does with it and we do not, in sentences. */
  readonly lost: readonly string[];
}

export interface ImportedFile {
  readonly entries: readonly ImportedEntry[];
  /** Why the file, or one of its servers, cannot be read; in sentences. */
  readonly problems: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const unreadable = (what: string): ImportedFile => ({ entries: [], problems: [what] });

export function importedEntries(program: Program, text: string): ImportedFile {
  const root = program === 'Codex' ? tomlOf(text) : jsonOf(text);
  if (typeof root === 'string') return unreadable(root);
  const entries: ImportedEntry[] = [];
  const problems: string[] = [];
  for (const servers of serversIn(program, root)) {
    for (const [name, value] of Object.entries(servers)) {
      const fields = fieldsOf(value);
      const made = fields === null ? 'it is not an object' : entryOf(program, fields);
      if (typeof made === 'string') problems.push(`The server ${name} is left out: ${made}.`);
      else entries.push({ name, ...made });
    }
  }
  return { entries, problems };
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}

function jsonOf(text: string): Fields | string {
  const errors: ParseError[] = [];
  const tree = parseTree(text.replace(/^\uFEFF/, ''), errors, { allowTrailingComma: true });
  if (tree === undefined || errors.length > 0) return 'It is not JSON.';
  return fieldsOf(valueOf(tree)) ?? 'It holds no object.';
}

/** As `JSON.parse` has it: the library's own values take a key `__proto__` for the prototype. */
function valueOf({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(valueOf);
  if (type !== 'object') return value as unknown;
  return Object.fromEntries(
    children.map(({ children: [key, of] = [] }): [string, unknown] => [
      String(key?.value),
      of === undefined ? undefined : valueOf(of),
    ]),
  );
}

function tomlOf(text: string): Fields | string {
  try {
    // As JSON has it: dates are texts, and tables have the usual prototype.
    const value: unknown = JSON.parse(JSON.stringify(parseToml(text.replace(/^\uFEFF/, ''))));
    return fieldsOf(value) ?? 'It holds no table.';
  } catch (error) {
    if (error instanceof TomlError) return `It is not TOML: see line ${String(error.line)}.`;
    throw error;
  }
}

/** The maps of servers in a file, the more general one first. */
function serversIn(program: Program, root: Fields): readonly Fields[] {
  const map = (value: unknown): readonly Fields[] => {
    const fields = fieldsOf(value);
    return fields === null ? [] : [fields];
  };
  switch (program) {
    case 'Claude Desktop':
    case 'Cursor':
      return map(root.mcpServers);
    case 'Claude Code': {
      const projects = Object.values(fieldsOf(root.projects) ?? {});
      return [root, ...projects].flatMap((one) => map(fieldsOf(one)?.mcpServers));
    }
    case 'VS Code':
      return map(root.servers);
    case 'Codex':
      return map(root.mcp_servers);
  }
}

/** Fields that mean the same with us, whoever wrote them. */
const SAME = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'type'] as const;
/** Fields of other programs that say nothing about how a server runs. */
const SILENT = new Set([
  'description',
  'name',
  'icon',
  'gallery',
  'version',
  'enabled',
  'disabled',
]);

/** Fields of Codex that are taken along under other names. */
const CODEX = ['http_headers', 'env_http_headers', 'bearer_token_env_var', 'tool_timeout_sec'];

function entryOf(
  program: Program,
  fields: Fields,
): { readonly entry: Fields; readonly lost: readonly string[] } | string {
  const entry: Record<string, unknown> = {};
  const lost: string[] = [];
  for (const name of SAME) if (fields[name] !== undefined) entry[name] = fields[name];
  if (fields.disabled === true || fields.enabled === false) entry.disabled = true;
  const known = new Set<string>([...SAME, ...SILENT, ...(program === 'Codex' ? CODEX : [])]);
  if (fields.serverUrl !== undefined && entry.url === undefined) {
    entry.url = fields.serverUrl;
    known.add('serverUrl');
  }
  if (entry.command === undefined && entry.url === undefined) {
    return 'it has neither a command nor a url';
  }
  const others = Object.keys(fields).filter((name) => !known.has(name));
  if (others.length > 0) lost.push(`Not taken along: ${others.join(', ')}.`);
  const text = JSON.stringify(entry);
  // There is no way to write one that is not filled in.
  const filled = program === 'Claude Desktop' || program === 'Codex' ? variablesIn(text) : [];
  if (filled.length > 0) {
    lost.push(`Filled in by us and not by ${program}: ${filled.join(', ')}.`);
  }
  const asks = variablesIn(text).filter((variable) => variable.startsWith('${input:'));
  if (asks.length > 0) lost.push(`Asked for by ${program} and not by us: ${asks.join(', ')}.`);
  if (program === 'Codex') codexFields(fields, entry);
  return { entry, lost };
}

/** Each once. */
function variablesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\$(?:\{[^}]*\}|<[^>]*>)/g) ?? [])];
}

/** What Codex calls otherwise. */
function codexFields(fields: Fields, entry: Record<string, unknown>): void {
  const { bearer_token_env_var: token, tool_timeout_sec: seconds } = fields;
  const headers: readonly [string, unknown][] = [
    ...Object.entries(fieldsOf(entry.headers) ?? {}),
    ...Object.entries(fieldsOf(fields.http_headers) ?? {}),
    ...Object.entries(fieldsOf(fields.env_http_headers) ?? {}).map(
      ([header, variable]): [string, unknown] => [header, `\${${String(variable)}}`],
    ),
    ...(typeof token === 'string'
      ? [['Authorization', `Bearer \${${token}}`] satisfies [string, unknown]]
      : []),
  ];
  if (headers.length > 0) entry.headers = Object.fromEntries(headers);
  if (typeof seconds === 'number' && seconds > 0) entry.timeout = Math.round(seconds * 1000);
}
