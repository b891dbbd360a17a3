/** Our words outside the page that more than one place says. */
import { l10n } from 'vscode';
import type { Mode } from '../agent/events.ts';
import type { CardKind } from '../core.ts';
import { never } from '../never.ts';
import { titleParts } from './fix-titles.ts';

/** One of our sentences in the user's language, for rooms that do not know the editor. */
export function say(text: string, ...values: (string | number)[]): string {
  return l10n.t(text, ...values);
}

/** The title of a quick fix in the user's language. */
export function fixTitle(title: string): string {
  const [text, ...names] = titleParts(title);
  return l10n.t(text, ...names);
}

/** What a waiting card asks, without a word of anybody else. */
export function cardWords(kind: CardKind): string {
  switch (kind) {
    case 'call':
      return l10n.t('GBS Agent asks before it calls a tool of an MCP server.');
    case 'edit':
      return l10n.t('GBS Agent asks before it changes a file.');
    case 'command':
      return l10n.t('GBS Agent asks before it runs a command.');
    case 'read':
      return l10n.t('GBS Agent asks before it reads a guarded file.');
    case 'server':
      return l10n.t('GBS Agent asks before it starts an MCP server.');
    case 'skill':
      return l10n.t("GBS Agent asks before it uses this project's skills.");
    case 'drift':
      return l10n.t('A tool of an MCP server changed. GBS Agent asks before it is used.');
    case 'host':
      return l10n.t('GBS Agent asks before it sends anything to this model server.');
    case 'repeat':
      return l10n.t('GBS Agent repeats itself and asks whether to go on.');
    case 'form':
      return l10n.t('An MCP server asks you something.');
    case 'address':
      return l10n.t('An MCP server asks you to open an address.');
    default:
      return never(kind);
  }
}

export function waitingWords(count: number): string {
  return count === 1
    ? l10n.t('GBS Agent: 1 card waits')
    : l10n.t('GBS Agent: {0} cards wait', count);
}

export function modeWords(mode: Mode): { readonly label: string; readonly means: string } {
  switch (mode) {
    case 'ask':
      return {
        label: l10n.t('Ask first'),
        means: l10n.t('Asks before every edit, command and call.'),
      };
    case 'acceptEdits':
      return {
        label: l10n.t('Auto-edit'),
        means: l10n.t('Edits files. Asks before commands and MCP calls.'),
      };
    case 'auto':
      return {
        label: l10n.t('Full auto'),
        means: l10n.t('Asks only for protected files, new servers and changed tools.'),
      };
    default:
      return never(mode);
  }
}
