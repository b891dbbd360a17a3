/**
 * The setting `gbsAgent.mcpServers` where it stands in a file of settings → the same text as a
 * configuration file, in which everything stands at the same line and column. Pure.
 */
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';
import { SETTING } from './config-files.ts';

/** Null where the setting is not there. */
export function settingInPlace(text: string): string | null {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const property = tree?.children?.findLast((member) => member.children?.[0]?.value === SETTING);
  const [key, value] = property?.children ?? [];
  if (key === undefined || value === undefined) return null;
  const inner = text.slice(value.offset, value.offset + value.length);
  // A whole file that was pasted into the setting means the same as its servers.
  if (['mcpServers', 'servers'].some((root) => holdsMap(findNodeAtLocation(value, [root])))) {
    return blank(text.slice(0, value.offset)) + inner;
  }
  const lead = '{"mcpServers":';
  const between = blank(text.slice(key.offset + lead.length, value.offset));
  return `${blank(text.slice(0, key.offset))}${lead}${between}${inner}}`;
}

/** It is no server that is called so. */
function holdsMap(node: Node | undefined): boolean {
  return (
    node?.type === 'object' &&
    ['command', 'url'].every((field) => findNodeAtLocation(node, [field]) === undefined)
  );
}

/** Blanks of the same length, lines kept. */
function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
