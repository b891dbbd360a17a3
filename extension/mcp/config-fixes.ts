/**
 * Changes that would remove a finding in a configuration file, where the core names none. Pure.
 *
 * In: the finding's code, the file's text, and the offsets of what the finding is about. Out: titles
 * with the text that would stand there instead.
 */
import { unsetIn, type Surroundings } from './config-hints.ts';

export interface Replacement {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export type ConfigFix = { readonly edits: readonly Replacement[] } & (
  | { readonly kind: 'addDefault'; readonly name: string }
  | { readonly kind: 'write'; readonly text: string }
  | { readonly kind: 'wrapInServers' }
);

export function configFixes(
  code: string,
  text: string,
  [from, to]: readonly [number, number],
  around: Surroundings,
): readonly ConfigFix[] {
  const there = text.slice(from, to);
  const write = (instead: string): ConfigFix => ({
    kind: 'write',
    text: instead,
    edits: [{ from, to, text: instead }],
  });
  switch (code) {
    case 'unset-variable':
      return unsetIn(there, around).map(({ name, to: end }) => ({
        kind: 'addDefault',
        name,
        edits: [{ from: from + end - 1, to: from + end - 1, text: ':-' }],
      }));
    case 'tilde': {
      const at = there.indexOf('~');
      return at < 0
        ? []
        : [
            {
              kind: 'write',
              text: '${userHome}',
              edits: [{ from: from + at, to: from + at + 1, text: '${userHome}' }],
            },
          ];
    }
    case 'not-text':
      return [write(JSON.stringify(there))];
    case 'unknown-type':
      return ['"stdio"', '"http"'].map(write);
    case 'wrong-type':
      return rightType(fieldBefore(text, from), there).map(write);
    case 'bare-map':
      return [
        {
          kind: 'wrapInServers',
          edits: [
            { from, to: from, text: '{ "mcpServers": ' },
            { from: to, to, text: ' }' },
          ],
        },
      ];
    default:
      return [];
  }
}

/** The field whose value begins at `offset`. */
function fieldBefore(text: string, offset: number): string {
  return /"(\w+)"\s*:\s*$/u.exec(text.slice(0, offset))?.[1] ?? '';
}

/** What is meant by a value of the wrong type, where that can be said. */
function rightType(field: string, there: string): readonly string[] {
  switch (field) {
    case 'args':
      return there.startsWith('"') ? [`[${there}]`] : [];
    case 'disabled':
    case 'enabled':
    case 'roots':
      return /^"(?:true|false)"$/u.test(there) ? [there.slice(1, -1)] : ['true', 'false'];
    case 'timeout':
      return /^"\d+"$/u.test(there) ? [there.slice(1, -1)] : [];
    case 'cwd':
    case 'url':
    case 'type':
    case 'command':
    case 'description':
      return /^(?:-?[\d.]+|true|false)$/u.test(there) ? [JSON.stringify(there)] : [];
    default:
      return [];
  }
}
