/** The history of a chat, and how it is sent. */
import { AROUND_CALL_CHARS, AROUND_MESSAGE_CHARS, IMAGE_CHARACTERS } from '../limits.ts';
import type { ChatMessage, ToolCall } from '../models/provider.ts';
import { characters } from './tokens.ts';

export type Entry =
  | {
      readonly kind: 'user';
      readonly text: string;
      readonly images: readonly string[];
      /** The turn that this message began. */
      readonly turn?: string;
    }
  | { readonly kind: 'assistant'; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly name: string;
      readonly text: string;
      /** A loaded skill: compaction leaves it as long as there is room. */
      readonly skill: boolean;
      /** Compaction took the text out. */
      readonly dropped: boolean;
    }
  /** What stood before, in short. */
  | { readonly kind: 'summary'; readonly text: string };

/** A user's message with what we add to it, which stands before their words. */
export function withNotes(notes: readonly string[], message: string): string {
  return notes.length === 0 ? message : `${notes.join('\n')}\n\n${message}`;
}

export class Conversation {
  #entries: readonly Entry[] = [];

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  add(...entries: readonly Entry[]): void {
    this.#entries = [...this.#entries, ...entries];
  }

  replace(entries: readonly Entry[]): void {
    this.#entries = entries;
  }

  /** Characters of all of it, about as they are sent. */
  characters(): number {
    return this.#entries.reduce((sum, entry) => sum + charactersOf(entry), 0);
  }

  /**
   * As a model with native tools takes it, or one that is told of them in the prompt; one that takes
   * no images is told that there are some.
   */
  messages(native: boolean, images = true): readonly ChatMessage[] {
    const messages: ChatMessage[] = [];
    for (const whole of this.#entries) {
      const entry = images ? whole : withoutImages(whole);
      const message = native ? nativeMessage(entry) : textMessage(entry);
      if (message === null) continue;
      const last = messages.at(-1);
      // Templates of several models want turns to alternate.
      if (message.role === 'user' && last?.role === 'user')
        messages.splice(-1, 1, joined(last, message));
      else messages.push(message);
    }
    return messages;
  }
}

function withoutImages(entry: Entry): Entry {
  if (entry.kind !== 'user' || entry.images.length === 0) return entry;
  const note = `[${entry.images.length} images, which you cannot see]`;
  return { ...entry, text: withNotes([note], entry.text), images: [] };
}

type UserMessage = Extract<ChatMessage, { role: 'user' }>;

function joined(first: UserMessage, second: UserMessage): UserMessage {
  const images = [...(first.images ?? []), ...(second.images ?? [])];
  return {
    role: 'user',
    content: `${first.content}\n\n${second.content}`,
    ...(images.length > 0 ? { images } : {}),
  };
}

function nativeMessage(entry: Entry): ChatMessage | null {
  switch (entry.kind) {
    case 'user':
      return userMessage(entry.text, entry.images);
    case 'assistant':
      return entry.text === '' && entry.calls.length === 0
        ? null
        : { role: 'assistant', content: entry.text, toolCalls: entry.calls };
    case 'result':
      return { role: 'tool', callId: entry.callId, name: entry.name, content: entry.text };
    case 'summary':
      return { role: 'user', content: entry.text };
  }
}

function textMessage(entry: Entry): ChatMessage | null {
  switch (entry.kind) {
    case 'user':
      return userMessage(entry.text, entry.images);
    case 'assistant': {
      const calls = entry.calls.map(
        ({ name, arguments: args }) =>
          `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`,
      );
      const content = [entry.text, ...calls].filter((part) => part !== '').join('\n');
      return content === '' ? null : { role: 'assistant', content, toolCalls: [] };
    }
    case 'result':
      return { role: 'user', content: `Result of ${entry.name}:\n${entry.text}` };
    case 'summary':
      return { role: 'user', content: entry.text };
  }
}

function userMessage(text: string, images: readonly string[]): UserMessage {
  return { role: 'user', content: text, ...(images.length > 0 ? { images } : {}) };
}

export function charactersOf(entry: Entry): number {
  switch (entry.kind) {
    case 'assistant':
      return (
        characters(entry.text) +
        AROUND_MESSAGE_CHARS +
        entry.calls.reduce(
          (sum, call) => sum + characters(call.arguments) + call.name.length + AROUND_CALL_CHARS,
          0,
        )
      );
    case 'user':
      return characters(entry.text) + AROUND_MESSAGE_CHARS + entry.images.length * IMAGE_CHARACTERS;
    case 'result':
    case 'summary':
      return characters(entry.text) + AROUND_MESSAGE_CHARS;
  }
}
