/** Adds a server to the text of an MCP configuration file; comments and order stay. Pure. */
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';

export interface NewServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** A command line as typed → its words; quotes keep blanks together, `\` keeps the next quote. */
export function words(line: string): readonly string[] {
  const found = line.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+/g);
  return [...found].map(([word]) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double?: string, single?: string) =>
      double === undefined ? (single ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  );
}

/** The text with the server in it, or null when the name is taken or the text cannot be read. */
export function withServer(before: string, name: string, server: NewServer): string | null {
  const text = before.trim() === '' ? '{\n  "mcpServers": {}\n}\n' : before;
  const tree = parseTree(text, [], { allowTrailingComma: true });
  if (tree?.type !== 'object') return null;
  const has = (key: string): boolean => findNodeAtLocation(tree, [key]) !== undefined;
  // A bare map of servers has no root of its own; every other file gets one.
  const root = has('servers') && !has('mcpServers') ? ['servers'] : ['mcpServers'];
  const bare = !has('mcpServers') && !has('servers') && (tree.children?.length ?? 0) > 0;
  const path = bare ? [name] : [...root, name];
  if (findNodeAtLocation(tree, path) !== undefined) return null;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const edits = modify(text, path, server, {
    formattingOptions: { insertSpaces: true, tabSize: 2, eol },
  });
  return applyEdits(text, edits);
}

/** Line of the server's name in `text`, from 1. */
export function lineOf(text: string, name: string): number {
  const tree = parseTree(text);
  const found =
    tree &&
    [['mcpServers', name], ['servers', name], [name]]
      .map((path) => findNodeAtLocation(tree, path))
      .find((node) => node !== undefined);
  return found ? text.slice(0, found.offset).split('\n').length : 1;
}
