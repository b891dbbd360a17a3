/**
 * Adds a server to the text of an MCP configuration file; comments, order and looks stay. Pure.
 */
import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  type Edit,
  type Node,
  type ParseError,
} from 'jsonc-parser';

/** The text with the server in it, or why there is none. */
export type WithServer =
  | { readonly kind: 'text'; readonly text: string }
  /** An entry of this name is there. */
  | { readonly kind: 'taken' }
  /** It is no list of servers, or no JSON: `line`, from 1, is where that shows. */
  | { readonly kind: 'broken'; readonly line: number };

/** A command line as typed → its words; quotes keep blanks together, `\` keeps the next quote. */
export function words(line: string): readonly string[] {
  const found = line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+/g);
  return [...found].map(([word]) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  );
}

export function withServer(before: string, name: string, server: object): WithServer {
  const mark = before.startsWith('\uFEFF') ? '\uFEFF' : '';
  const bare = before.slice(mark.length);
  const text = bare.trim() === '' ? '{\n  "mcpServers": {}\n}\n' : bare;
  const tree = treeOf(text);
  if ('line' in tree) return { kind: 'broken', line: tree.line };
  const path = [...rootOf(tree), name];
  if (findNodeAtLocation(tree, path) !== undefined) return { kind: 'taken' };
  const map = path.length === 1 ? tree : findNodeAtLocation(tree, path.slice(0, -1));
  if (map !== undefined && map.type !== 'object') {
    return { kind: 'broken', line: lineAt(text, map.offset) };
  }
  const member =
    map === undefined ? inRoot(tree, name, server) : { object: map, name, value: server };
  const after = applyEdits(text, [...withMember(text, member)]);
  // What was written is read again: a file that this would break stays as it is.
  const read = treeOf(after);
  const written = 'line' in read ? undefined : findNodeAtLocation(read, path);
  const whole = written && JSON.stringify(getNodeValue(written)) === JSON.stringify(server);
  return whole === true ? { kind: 'text', text: mark + after } : { kind: 'broken', line: 1 };
}

/** Line of the server's name in `text`, from 1. */
export function lineOf(text: string, name: string): number {
  const tree = parseTree(text);
  const found =
    tree &&
    [['mcpServers', name], ['servers', name], [name]]
      .map((path) => findNodeAtLocation(tree, path))
      .find((node) => node !== undefined);
  return found ? lineAt(text, found.offset) : 1;
}

function treeOf(text: string): Node | { readonly line: number } {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) return { line: lineAt(text, error.offset) };
  return tree?.type === 'object' ? tree : { line: 1 };
}

/** A bare map of servers has no root of its own; every other file gets one. */
function rootOf(tree: Node): readonly string[] {
  const has = (key: string): boolean => findNodeAtLocation(tree, [key]) !== undefined;
  if (has('mcpServers')) return ['mcpServers'];
  if (has('servers')) return ['servers'];
  const members = (tree.children ?? []).map((member) => member.children?.[1]);
  const isServer = (node: Node | undefined): boolean =>
    node?.type === 'object' &&
    ['command', 'url'].some((key) => findNodeAtLocation(node, [key]) !== undefined);
  return members.some(isServer) ? [] : ['mcpServers'];
}

interface Member {
  readonly object: Node;
  readonly name: string;
  readonly value: object;
}

/** A file that has no map of servers yet. `[name]` is an own property, whatever it is called. */
function inRoot(object: Node, name: string, server: object): Member {
  return { object, name: 'mcpServers', value: { [name]: server } };
}

/** What adds a member after the last one. Nothing that is there is changed but for a comma. */
function withMember(text: string, { object, name, value }: Member): readonly Edit[] {
  const { eol, unit } = looksOf(text);
  const body = (indent: string): string =>
    `${JSON.stringify(name)}: ${JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)}`;
  const last = object.children?.at(-1);
  if (last === undefined) {
    const outer = indentAt(text, object.offset);
    const { comment, close } = triviaIn(text, object.offset + 1);
    const content = `${eol}${outer}${unit}${body(outer + unit)}`;
    return comment === null
      ? [edit(object.offset + 1, close, `${content}${eol}${outer}`)]
      : [edit(comment, comment, content)];
  }
  const end = last.offset + last.length;
  const { comma, line } = triviaIn(text, end);
  const commas = comma === null ? [edit(end, end, ',')] : [];
  // Of members that all stand on one line, the new one does too.
  const before = text.slice(text.lastIndexOf('\n', last.offset) + 1, last.offset);
  if (line === null || before.trim() !== '') {
    const one = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const at = comma === null ? end : comma + 1;
    return [...commas, edit(at, at, ` ${one}${comma === null ? '' : ','}`)];
  }
  const content = `${eol}${before}${body(before)}${comma === null ? '' : ','}`;
  return [...commas, edit(line, line, content)];
}

function edit(start: number, end: number, content: string): Edit {
  return { offset: start, length: end - start, content };
}

/**
 * What stands between `from` and the brace that closes the object: the comma, where the first line
 * ends, where the last comment ends, the brace.
 */
function triviaIn(
  text: string,
  from: number,
): {
  readonly comma: number | null;
  readonly line: number | null;
  readonly comment: number | null;
  readonly close: number;
} {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let comma: number | null = null;
  let line: number | null = null;
  let comment: number | null = null;
  for (;;) {
    const kind: number = scanner.scan();
    const at = scanner.getTokenOffset();
    switch (kind) {
      case COMMA:
        comma = at;
        break;
      case LINE_BREAK:
        line ??= at;
        break;
      case LINE_COMMENT:
      case BLOCK_COMMENT:
        comment = at + scanner.getTokenLength();
        break;
      case BLANKS:
        break;
      default:
        return { comma, line, comment, close: at };
    }
  }
}

// `SyntaxKind` is a const enum, which a build of single files cannot read.
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANKS = 15;

/** The blanks that begin the line of `offset`. */
function indentAt(text: string, offset: number): string {
  return /^[ \t]*/u.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
}

/** Its line ends and one level of its indentation. */
function looksOf(text: string): { readonly eol: string; readonly unit: string } {
  return {
    eol: /\r?\n/u.exec(text)?.[0] ?? '\n',
    unit: /\n([ \t]+)["}/]/u.exec(text)?.[1] ?? '  ',
  };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
