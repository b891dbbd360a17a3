/** `todo_write`: the plan that stands above the message box. */
import { isObject } from '../arguments.ts';
import { ToolRefusal, type Tool } from '../tool.ts';
import type { Workbench } from './workbench.ts';

const STATES = new Map<string, 'open' | 'doing' | 'done'>([
  ['open', 'open'],
  ['pending', 'open'],
  ['todo', 'open'],
  ['doing', 'doing'],
  ['in_progress', 'doing'],
  ['done', 'done'],
  ['completed', 'done'],
]);

export function todoWriteTool({ emit }: Workbench): Tool {
  return {
    name: 'todo_write',
    description: 'Show a plan of several steps; send all items each time.',
    parameters: JSON.stringify({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              text: { type: 'string' },
              state: { type: 'string', enum: ['open', 'doing', 'done'] },
            },
            required: ['text', 'state'],
          },
        },
      },
      required: ['items'],
    }),
    origin: { kind: 'builtin' },
    parallel: false,
    readOnly: true,
    line: () => ({ icon: 'plan', verb: 'Planned', object: '' }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: (args) => {
      const { items } = args;
      if (!Array.isArray(items)) return Promise.reject(new ToolRefusal('items must be a list.'));
      const plan = items.map((item: unknown) => {
        const record = isObject(item) ? item : { text: item };
        const text = record['text'] ?? record['content'] ?? '';
        const state = STATES.get(String(record['state'] ?? record['status'] ?? 'open'));
        return { text: String(text), state: state ?? ('open' as const) };
      });
      emit({ type: 'plan', items: plan });
      const done = plan.filter((item) => item.state === 'done').length;
      return Promise.resolve({
        text: `The plan has ${plan.length} items, ${done} done.`,
        isError: false,
        measure: `${done} of ${plan.length}`,
      });
    },
  };
}
