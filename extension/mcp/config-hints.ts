/**
 * What an author of a configuration file may want to know where the caret stands: the variables that
 * can be written there, and what one that stands there means. Pure.
 *
 * A value of the environment is never shown: only whether there is one.
 */
import { getLocation } from 'jsonc-parser';

/** What variables are filled in from. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** As on Windows, where names in upper and lower case are the same. */
  readonly ignoresCase: boolean;
}

/** A variable that can be written at the caret; `from` and `to` are offsets of what it replaces. */
export interface Offer {
  /** As it will stand there, such as `${HOME}`. */
  readonly form: string;
  readonly about: VariableAbout;
  readonly from: number;
  readonly to: number;
}

/** How a variable stands. */
export type VariableAbout =
  /** A folder of ours. */
  | 'workspaceFolder'
  | 'userHome'
  | 'set'
  /** It is not set, and the form has no default. */
  | 'unset'
  /** It is not set, so the form's default is used. */
  | 'default';

export interface Explained {
  readonly name: string;
  readonly about: VariableAbout;
  readonly from: number;
  readonly to: number;
}

/**
 * A default may hold variables, one level. Nothing else that begins one is passed over: a text of forms
 * without ends would else take the square of its length.
 */
const FORM =
  /\$(?:\{(?<env1>env:)?(?<braced>[A-Za-z_]\w*(?:\(x86\))?)(?<default1>:-[^}$]*(?:\$(?:(?![{<])|[{<][^{}<>$]*[}>])[^}$]*)*)?\}|<(?<env2>env:)?(?<angled>[A-Za-z_]\w*(?:\(x86\))?)(?<default2>:-[^>$]*(?:\$(?:(?![{<])|[{<][^{}<>$]*[}>])[^>$]*)*)?>)/gu;

/** One that another program fills in by itself: the core gives it no value. */
const FOREIGN = 'CLAUDE_PLUGIN_ROOT';

/** Variables that can be written at `offset`; none where nothing is filled in. */
export function variablesAt(text: string, offset: number, around: Surroundings): readonly Offer[] {
  const value = valueAt(text, offset);
  if (value === null) return [];
  const before = text.slice(value.from, offset);
  const begun = /\$(?:(?<open>[{<])\w*)?$/u.exec(before);
  if (begun === null) return [];
  const open = begun.groups?.['open'] ?? '{';
  const close = open === '{' ? '}' : '>';
  const from = value.from + begun.index;
  const rest = /^\w*/u.exec(text.slice(offset, value.to))?.[0] ?? '';
  const end = offset + rest.length;
  const to = text.startsWith(close, end) ? end + 1 : end;
  const offer = (name: string, about: VariableAbout): Offer => ({
    form: `$${open}${name}${close}`,
    about,
    from,
    to,
  });
  // What is being typed is no name that is used already.
  const forms = [...text.matchAll(FORM)].filter(({ index }) => index !== from);
  const own = new Set(['workspaceFolder', 'userHome']);
  const names = Object.keys(around.environment).filter(
    (name) => /^[A-Za-z_]\w*$/u.test(name) && !isEditors(name),
  );
  const written = new Set(forms.map((form) => formOf(form).name));
  const others = [...written].filter(
    (name) =>
      !own.has(name) &&
      aboutOf({ name, ofEnvironment: true, hasDefault: false }, around) === 'unset',
  );
  return [
    offer('workspaceFolder', 'workspaceFolder'),
    offer('userHome', 'userHome'),
    ...others.sort().map((name) => offer(name, 'unset')),
    ...names.sort().map((name) => offer(name, 'set')),
  ];
}

/** The variable that stands at `offset`, or null. */
export function variableAt(text: string, offset: number, around: Surroundings): Explained | null {
  const value = valueAt(text, offset);
  if (value === null) return null;
  for (const match of text.slice(value.from, value.to).matchAll(FORM)) {
    const from = value.from + match.index;
    const to = from + match[0].length;
    if (offset < from || offset >= to) continue;
    const form = formOf(match);
    const about = aboutOf(form, around);
    return about === null ? null : { name: form.name, about, from, to };
  }
  return null;
}

/** The names of variables in `text` that are neither set nor have a default, each with its place. */
export function unsetIn(
  text: string,
  around: Surroundings,
): readonly { readonly name: string; readonly from: number; readonly to: number }[] {
  return [...text.matchAll(FORM)].flatMap((match) => {
    const form = formOf(match);
    return aboutOf(form, around) === 'unset'
      ? [{ name: form.name, from: match.index, to: match.index + match[0].length }]
      : [];
  });
}

interface Form {
  readonly name: string;
  /** `${env:NAME}`, which is never a folder of ours. */
  readonly ofEnvironment: boolean;
  readonly hasDefault: boolean;
}

function formOf({ groups }: RegExpMatchArray): Form {
  return {
    name: groups?.['braced'] ?? groups?.['angled'] ?? '',
    ofEnvironment: (groups?.['env1'] ?? groups?.['env2']) !== undefined,
    hasDefault: (groups?.['default1'] ?? groups?.['default2']) !== undefined,
  };
}

/** How the variable stands; null for one that is left to another program. */
function aboutOf(
  { name, ofEnvironment, hasDefault }: Form,
  around: Surroundings,
): VariableAbout | null {
  if (!ofEnvironment) {
    if (name === 'workspaceFolder' || name === 'userHome') return name;
    if (name === FOREIGN) return hasDefault ? 'default' : null;
  }
  const same = (other: string): boolean =>
    around.ignoresCase ? other.toUpperCase() === name.toUpperCase() : other === name;
  if (Object.keys(around.environment).some(same)) return 'set';
  return hasDefault ? 'default' : 'unset';
}

/** Set by the editor for its own processes; no server gets them. */
function isEditors(name: string): boolean {
  return /^(?:VSCODE_|ELECTRON_RUN_AS_NODE$)/iu.test(name);
}

/** The text between the quotes at `offset`, where it is a value in which variables are filled in. */
function valueAt(
  text: string,
  offset: number,
): { readonly from: number; readonly to: number } | null {
  const { path, previousNode, isAtPropertyKey } = getLocation(text, offset);
  if (isAtPropertyKey || previousNode?.type !== 'string') return null;
  const { offset: start, length } = previousNode;
  const closed = length > 1 && text[start + length - 1] === '"';
  const to = start + length - (closed ? 1 : 0);
  if (offset <= start || offset > to || !fillsIn(path)) return null;
  return { from: start + 1, to };
}

/** Where variables are filled in: `servers`, name, field, and what stands in the field. */
function fillsIn(path: readonly (string | number)[]): boolean {
  const [first] = path;
  const inServer = path.slice(first === 'mcpServers' || first === 'servers' ? 2 : 1);
  const [field, item, ...more] = inServer;
  if (more.length > 0) return false;
  switch (field) {
    case 'cwd':
    case 'url':
      return item === undefined;
    case 'command':
      return item === undefined || typeof item === 'number';
    case 'args':
      return typeof item === 'number';
    case 'env':
    case 'headers':
      return typeof item === 'string';
    case undefined:
    default:
      return false;
  }
}
