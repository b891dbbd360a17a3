/** What a provider gave, in a form that a test can compare whole. */
import assert from 'node:assert/strict';
import { ModelError, type ChatDelta, type ChatRequest } from '../../extension/models/provider.ts';

export const request: ChatRequest = {
  model: 'scripted',
  messages: [{ role: 'user', content: 'go' }],
  tools: [],
  temperature: 0,
  maxOutputTokens: 100,
};

interface Joined {
  type: string;
  id?: string;
  text?: string;
  index?: number;
  arguments?: string;
}

/** The deltas, with neighbours of one kind joined and ids numbered, then what was thrown. */
export async function collect(deltas: AsyncIterable<ChatDelta>): Promise<unknown[]> {
  const seen: unknown[] = [];
  let last: Joined | undefined;
  const ids = new Map<string, string>();
  try {
    for await (const delta of deltas) {
      if (delta.type === 'toolCall') {
        if (!ids.has(delta.id)) ids.set(delta.id, `#${String(ids.size)}`);
        if (last?.type === 'toolCall' && last.index === delta.index) {
          last.arguments = `${last.arguments ?? ''}${delta.arguments}`;
          assert.equal(delta.name, '');
          continue;
        }
        last = { ...delta, id: ids.get(delta.id) ?? '' };
      } else if (
        (delta.type === 'text' || delta.type === 'thinking') &&
        last?.type === delta.type
      ) {
        last.text = `${last.text ?? ''}${delta.text}`;
        continue;
      } else last = { ...delta };
      seen.push(last);
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    seen.push({ code: error.code, message: error.message });
  }
  return JSON.parse(JSON.stringify(seen).replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')) as unknown[];
}

export const counted = { type: 'usage', promptTokens: 10, outputTokens: 5 };
export const stop = { type: 'end', reason: 'stop' };
export const calls = { type: 'end', reason: 'toolCalls' };
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const delta = (value: unknown, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: value, finish_reason: finish }] });
export const text = (words: string) => ({ type: 'text', text: words });
export const call = (index: number, name: string, given: string, id = `#${String(index)}`) => ({
  type: 'toolCall',
  index,
  id,
  name,
  arguments: given,
});

/** An action of the scripted model server; `counted` is what comes of it. */
export const usage = { usage: { prompt_tokens: 10, completion_tokens: 5 } };

/** What every protocol gives alike: a title, a step of the scripted model server, the deltas. */
export const alike: readonly (readonly [string, unknown, readonly unknown[]])[] = [
  [
    'text in pieces, split inside nothing',
    [{ text: 'Grüße, 世界 🙂 done' }, usage],
    [text('Grüße, 世界 🙂 done'), counted, stop],
  ],
  [
    'thinking has its own channel',
    [{ thinking: 'hm, hm, hm' }, { text: 'Yes' }, usage],
    [{ type: 'thinking', text: 'hm, hm, hm' }, text('Yes'), counted, stop],
  ],
  [
    'two calls of two tools',
    [
      { text: 'Now' },
      { toolCall: { name: 'read_file', arguments: { path: 'a "b".txt' } } },
      { toolCall: { name: 'glob', arguments: {} } },
      usage,
    ],
    [
      text('Now'),
      call(0, 'read_file', '{"path":"a \\"b\\".txt"}'),
      call(1, 'glob', '{}'),
      counted,
      calls,
    ],
  ],
  [
    'two calls of one tool',
    [
      { toolCall: { name: 'glob', arguments: { pattern: 'a' } } },
      { toolCall: { name: 'glob', arguments: {} } },
      usage,
    ],
    [call(0, 'glob', '{"pattern":"a"}'), call(1, 'glob', '{}'), counted, calls],
  ],
  [
    'an answer cut by its limit says so',
    [{ text: 'half' }, { finish: 'length' }, usage],
    [text('half'), counted, { type: 'end', reason: 'length' }],
  ],
];
