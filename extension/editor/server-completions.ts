/** What `@` and `/` offer of running servers: their resources, their prompts. */
import * as vscode from 'vscode';
import type { Completion } from '../chat/protocol.ts';
import type { Core } from '../core.ts';
import { COMPLETION_MS, COMPLETIONS } from '../limits.ts';
import { mentionName } from '../mcp/mentions.ts';
import type { ServerOffers } from '../mcp/offers.ts';

export class ServerCompletions {
  readonly #core: Core;
  readonly #offers: ServerOffers;

  constructor(core: Core, offers: ServerOffers) {
    this.#core = core;
    this.#offers = offers;
  }

  /** Resources of the servers whose name is being typed, or of the one before the colon. */
  async resources(query: string): Promise<readonly Completion[]> {
    const [name = '', rest] = splitOnce(query, ':');
    const servers = this.#offers
      .with('resources')
      .filter((server) =>
        rest === null
          ? query !== '' && mentionName(server).toLowerCase().startsWith(name.toLowerCase())
          : mentionName(server) === name,
      );
    const wanted = (rest ?? '').toLowerCase();
    const lists = await Promise.all(
      servers.map((server) => this.#offers.resources(server, AbortSignal.timeout(COMPLETION_MS))),
    );
    return (
      lists
        .flatMap(({ items }) => items)
        .filter(({ uri, name: title }) => `${uri} ${title}`.toLowerCase().includes(wanted))
        // A blank would end the address.
        .filter(({ uri }) => !/\s/.test(uri))
        .slice(0, COMPLETIONS)
        .map(({ server, uri, template, name: title, description }) => {
          const gap = template ? uri.indexOf('{') : -1;
          return {
            insert: `@${mentionName(server)}:${gap < 0 ? uri : uri.slice(0, gap)}`,
            label: this.#core.visibleText(uri),
            detail: this.#core.visibleText(title === '' ? description : title),
            icon: 'resource',
            group: vscode.l10n.t('Resources of {0}', server),
            // What stands in braces is still to be filled in.
            open: gap >= 0,
          };
        })
    );
  }

  /** Prompts whose written name holds what is typed. */
  async prompts(query: string): Promise<readonly Completion[]> {
    const lists = await Promise.all(
      this.#offers
        .with('prompts')
        .map((server) => this.#offers.prompts(server, AbortSignal.timeout(COMPLETION_MS))),
    );
    return lists
      .flatMap(({ items }) => items)
      .map((prompt) => ({
        prompt,
        written: `${mentionName(prompt.server)}.${mentionName(prompt.name)}`,
      }))
      .filter(({ written }) => written.toLowerCase().includes(query.toLowerCase()))
      .slice(0, COMPLETIONS)
      .map(({ prompt, written }) => ({
        insert: `/${written}`,
        label: `/${written}`,
        detail: this.#core.visibleText(prompt.description),
        icon: 'prompt',
        group: vscode.l10n.t('Prompts'),
      }));
  }
}

function splitOnce(text: string, at: string): readonly [string, string | null] {
  const index = text.indexOf(at);
  return index < 0 ? [text, null] : [text.slice(0, index), text.slice(index + at.length)];
}
