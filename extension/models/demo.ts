/**
 * The demo: answers that are written down, where a model server would be. Everything else of its turn
 * is real: the loop, the tools, the cards, undo. The first sentence says so.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { DEMO_WINDOW, DEMO_WORD_MS } from '../limits.ts';
import type { ChatDelta, ChatRequest, ModelInfo, Provider } from './provider.ts';

/** Name of the model that there is none of. */
export const demoModel = 'demo';

/** What is said before each call and at the end, and the arguments that depend on the workspace. */
export interface DemoScript {
  readonly look: string;
  readonly command: string;
  readonly edit: string;
  readonly end: string;
  /** For messages that were written meanwhile. */
  readonly over: string;
  /** The folder to look at and the file to write, as tools take them. */
  readonly folder: string;
  readonly file: string;
  readonly content: string;
}

interface Step {
  readonly text: string;
  readonly call: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string>>;
  } | null;
}

function stepsOf(script: DemoScript): readonly Step[] {
  const { folder, file, content } = script;
  const call = (name: string, args: Readonly<Record<string, string>>): Step['call'] => {
    return { name, arguments: args };
  };
  return [
    { text: script.look, call: call('list_dir', { path: folder }) },
    { text: script.command, call: call('run_command', { command: 'echo Hello from the demo' }) },
    { text: script.edit, call: call('write_file', { path: file, content }) },
    { text: script.end, call: null },
  ];
}

/** One demo: each request gets the next step, whatever stands in it. */
export class DemoModel implements Provider {
  readonly host = demoModel;
  readonly loopback = true;
  readonly #steps: readonly Step[];
  readonly #over: Step;
  readonly #pause: (signal: AbortSignal) => Promise<void>;
  #next = 0;

  /** `pause` is waited for between two words. */
  constructor(
    script: DemoScript,
    pause = (signal: AbortSignal): Promise<void> => wait(DEMO_WORD_MS, undefined, { signal }),
  ) {
    this.#steps = stepsOf(script);
    this.#over = { text: script.over, call: null };
    this.#pause = pause;
  }

  async *chat(_request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatDelta> {
    const { text, call } = this.#steps[this.#next] ?? this.#over;
    this.#next += 1;
    for (const word of text.match(/\S+\s*/gu) ?? []) {
      signal.throwIfAborted();
      yield { type: 'text', text: word };
      await this.#pause(signal);
    }
    if (call === null) {
      yield { type: 'end', reason: 'stop' };
      return;
    }
    yield {
      type: 'toolCall',
      index: 0,
      id: `demo-${this.#next}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    };
    yield { type: 'end', reason: 'toolCalls' };
  }

  models(): Promise<readonly ModelInfo[]> {
    return Promise.resolve([{ id: demoModel, contextWindow: DEMO_WINDOW }]);
  }
}
