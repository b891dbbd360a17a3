/**
 * What a message asks of servers by name: `@server:address` brings a resource along, `/server.prompt`
 * at the start uses a prompt. The user named it, so nothing asks but for a prompt's arguments; what
 * comes back is marked as the server's, like the result of a tool.
 */
import type { Ask } from '../agent/tool.ts';
import type { Core } from '../core.ts';
import { MAX_MENTIONS } from '../limits.ts';
import type { Elicit } from './elicitation.ts';
import type { ServerOffers, ServerPrompt } from './offers.ts';
import type { CallEnd } from './servers.ts';
import { endWords } from './server-tool.ts';

export interface MentionParts {
  readonly core: Core;
  readonly offers: ServerOffers;
  /** Characters of the model's window that all of it may take. */
  readonly maxCharacters: number;
  readonly signal: AbortSignal;
  /** Null in the middle of a turn: then a prompt with arguments is not used. */
  readonly ask: Ask | null;
  readonly elicit: (server: string, during: string) => Elicit | null;
}

/** A server's name as it is written behind `@` and `/`: what is no letter, digit, dot or dash is `_`. */
export function mentionName(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_');
}

/** What is added to the message; empty where it names nothing of a server. */
export async function mentioned(message: string, parts: MentionParts): Promise<string> {
  const found = resourcesIn(message, parts.offers.with('resources'));
  const prompt = await promptIn(message, parts);
  const count = found.length + (prompt === null ? 0 : 1);
  if (count === 0) return '';
  const maxCharacters = Math.max(1, Math.floor(parts.maxCharacters / count));
  const texts = await Promise.all(
    found.map(async ({ server, uri }) => {
      const elicit = parts.elicit(server, uri);
      const end = await parts.offers.read(server, uri, { signal: parts.signal, elicit });
      return `The user attached a resource.\n${shown(end, server, uri, maxCharacters, parts)}`;
    }),
  );
  if (prompt !== null) texts.unshift(await used(prompt, maxCharacters, parts));
  return texts.join('\n\n');
}

/** Each once, in the order of the message. */
function resourcesIn(
  message: string,
  servers: readonly string[],
): readonly { readonly server: string; readonly uri: string }[] {
  const found = new Map<string, { server: string; uri: string }>();
  for (const [, name = '', uri = ''] of message.matchAll(/(?:^|\s)@([\w.-]+):(\S+)/g)) {
    const server = servers.find((one) => mentionName(one) === name);
    if (server !== undefined) found.set(`${server} ${uri}`, { server, uri });
  }
  return [...found.values()].slice(0, MAX_MENTIONS);
}

async function promptIn(
  message: string,
  { offers, signal }: MentionParts,
): Promise<ServerPrompt | null> {
  const word = /^\s*\/([\w-][\w.-]*)(?=\s|$)/.exec(message)?.[1] ?? '';
  for (const server of offers.with('prompts')) {
    const start = `${mentionName(server)}.`;
    if (!word.startsWith(start)) continue;
    const { items } = await offers.prompts(server, signal);
    const prompt = items.find(({ name }) => mentionName(name) === word.slice(start.length));
    if (prompt !== undefined) return prompt;
  }
  return null;
}

async function used(
  prompt: ServerPrompt,
  maxCharacters: number,
  parts: MentionParts,
): Promise<string> {
  const { core, offers, ask, signal } = parts;
  const { server, name } = prompt;
  const title = `the prompt ${JSON.stringify(name)} of the server ${JSON.stringify(server)}`;
  const card = core.promptCard(server, prompt.json);
  let content = '{}';
  if (card.form.length > 0) {
    if (ask === null) {
      return `The user wants ${title}. It needs arguments and can be used when a turn begins: tell them so.`;
    }
    for (;;) {
      const { answer, values } = await ask(card, signal);
      if (answer !== 'allow') {
        return `The user began ${title} and put its form away. Do not guess what it asks: say that it was not used.`;
      }
      const reading = core.readForm([...card.form], values ?? '{}');
      content = reading.content;
      if (reading.problems.length === 0) break;
    }
  }
  const args: unknown = JSON.parse(content);
  const elicit = parts.elicit(server, name);
  const end = await offers.prompt(server, name, args, { signal, elicit });
  return `The user chose ${title}; what it says is what they ask for.\n${shown(end, server, name, maxCharacters, parts)}`;
}

/** Marked as the server's; pictures and files cannot come along in a message. */
function shown(
  end: CallEnd,
  server: string,
  tool: string,
  maxCharacters: number,
  { core }: MentionParts,
): string {
  const limits = { server, tool, maxCharacters };
  if (end.kind === 'error') return core.toolError(end.message, end.data ?? '', limits).text;
  return end.kind === 'result' ? core.toolOutput(end.text, limits).text : endWords(end, server);
}
