/**
 * `task`: a subagent with a context of its own, of which only the report returns. `explore` has the
 * readers, `general` has every tool but this one and the management tools. They run side by side, ask
 * by the same cards, and change the same journal.
 */
import { SUBAGENT_STEPS, SUBAGENTS_A_MESSAGE, SUBAGENTS_AT_ONCE } from '../../limits.ts';
import { Conversation } from '../conversation.ts';
import type { RunEvent } from '../events.ts';
import type { ChosenModel } from '../model.ts';
import type { TurnCount, TurnParts } from '../turn-parts.ts';
import { Turn } from '../turn.ts';
import { ToolRefusal, type Tool, type ToolContext, type ToolResult } from '../tool.ts';
import { requiredText } from './parameters.ts';

export interface TaskParts {
  /** The turn that calls. */
  readonly turn: () => TurnParts;
  /** The tools that the turn has now. */
  readonly tools: () => readonly Tool[];
  /** The model of `subagentModel`, or the turn's. */
  readonly model: () => Promise<ChosenModel>;
  /** What the turn has cost so far; subagents add to it. */
  readonly count: () => TurnCount;
}

/** One for each turn: it counts the subagents of a message. */
export function taskTool(parts: TaskParts): Tool {
  const state = { started: 0, running: 0, waiting: [] as (() => void)[] };

  /** Waits for one of the places. */
  async function place(): Promise<() => void> {
    if (state.running >= SUBAGENTS_AT_ONCE) {
      await new Promise<void>((resolve) => {
        state.waiting.push(resolve);
      });
    }
    state.running++;
    return () => {
      state.running--;
      state.waiting.shift()?.();
    };
  }

  return {
    name: 'task',
    description:
      'Give a task to a subagent and get its report. explore only reads; general may change files. Say all it must know.',
    parameters: JSON.stringify({
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['explore', 'general'] },
        task: { type: 'string' },
      },
      required: ['kind', 'task'],
    }),
    origin: { kind: 'builtin' },
    parallel: true,
    readOnly: false,
    line: (args) => ({ icon: 'task', verb: 'Gave a task', object: String(args['task'] ?? '') }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: async (args, context) => {
      if (++state.started > SUBAGENTS_A_MESSAGE) {
        throw new ToolRefusal(
          `At most ${SUBAGENTS_A_MESSAGE} subagents work for one message. Do the rest yourself.`,
        );
      }
      const task = requiredText(args, 'task');
      const reads = args['kind'] !== 'general';
      const leave = await place();
      try {
        context.signal.throwIfAborted();
        return await report(task, reads, context, parts);
      } finally {
        leave();
      }
    },
  };
}

async function report(
  task: string,
  reads: boolean,
  context: ToolContext,
  parts: TaskParts,
): Promise<ToolResult> {
  const turn = parts.turn();
  const { session, memory } = turn;
  const conversation = new Conversation();
  conversation.add({ kind: 'user', text: `${task}\n\n${ROLE}`, images: [] });
  const emit = (event: RunEvent): void => {
    if (event.type === 'line') context.progress(`${event.line.verb} ${event.line.object}`);
    else if (event.type === 'notice') session.emit(event);
  };
  const settings = (): ReturnType<typeof session.settings> => ({
    ...session.settings(),
    maxSteps: SUBAGENT_STEPS,
  });
  const run = new Turn({
    ...turn,
    session: { ...session, contributors: [], emit, settings },
    memory: { ...memory, conversation },
    model: await parts.model(),
    builtin: parts
      .tools()
      .filter((tool) => tool.name !== 'task' && tool.origin.kind !== 'management')
      .filter((tool) => !reads || tool.readOnly),
    takeQueued: () => [],
    turn: `${turn.turn}-${context.callId}`,
  });
  await run.prepare(task);
  const end = await run.run();
  const count = parts.count();
  count.promptTokens += run.count.promptTokens;
  count.outputTokens += run.count.outputTokens;
  const last = conversation.entries.findLast((entry) => entry.kind === 'assistant');
  const text = last?.text.trim() ?? '';
  const measure = `${run.count.steps} ${run.count.steps === 1 ? 'step' : 'steps'}`;
  switch (end.kind) {
    case 'answered':
      return { text, isError: false, measure };
    case 'stepLimit':
      return {
        text: `It ended at its limit of ${end.steps} steps. ${text}`.trim(),
        isError: true,
        measure,
      };
    case 'stopped':
      return { text: `It was stopped. ${text}`.trim(), isError: true, measure };
    case 'failed':
      return { text: `It failed: ${end.notice.fact} ${text}`.trim(), isError: true, measure };
  }
}

const ROLE =
  '[You work as a subagent on this alone. Nobody answers questions. Your last message is the report, all that comes back: complete and short, with paths and line numbers.]';
