/**
 * One chat: a conversation that turns are added to, and what they changed. It emits `RunEvent`s and
 * nothing else; the chat, the terminal and `--json` draw the same events.
 */
import { ModelError, type ChatMessage } from '../models/provider.ts';
import type { Notice, RunEvent, TurnEnd } from './events.ts';
import type { AgentSessionParts } from './parts.ts';

export type { Abilities, AgentSessionParts } from './parts.ts';

export class AgentSession {
  readonly #parts: AgentSessionParts;
  #messages: ChatMessage[] = [];
  #turns = 0;
  #running: AbortController | null = null;

  constructor(parts: AgentSessionParts) {
    this.#parts = parts;
  }

  /** Starts a turn. A message sent while one runs is queued and taken up at its next step. */
  async send(text: string): Promise<TurnEnd> {
    const { settings, provider, emit } = this.#parts;
    const controller = new AbortController();
    this.#running = controller;
    const turn = `turn-${++this.#turns}`;
    const started = performance.now();
    const model = settings().model;
    emit({ type: 'turnStarted', turn, text, model, mode: settings().permissionMode });
    this.#messages.push({ role: 'user', content: text });
    let end: TurnEnd = { kind: 'answered' };
    let answer = '';
    const usage = { promptTokens: 0, outputTokens: 0 };
    try {
      emit({ type: 'phase', phase: { kind: 'waitingForModel' } });
      const request = {
        model,
        messages: this.#messages,
        tools: [],
        temperature: settings().temperature,
        maxOutputTokens: settings().maxOutputTokens,
      };
      for await (const delta of provider().chat(request, controller.signal)) {
        if (delta.type === 'text') {
          answer += delta.text;
          emit({ type: 'text', id: turn, delta: delta.text });
        } else if (delta.type === 'usage') {
          usage.promptTokens += delta.promptTokens;
          usage.outputTokens += delta.outputTokens;
        }
      }
    } catch (error) {
      end = controller.signal.aborted ? { kind: 'stopped' } : failed(error);
    }
    if (answer !== '') emit({ type: 'textEnded', id: turn });
    this.#messages.push({ role: 'assistant', content: answer, toolCalls: [] });
    this.#running = null;
    const seconds = (performance.now() - started) / 1000;
    const summary = { seconds, steps: 1, ...usage, changes: [] };
    const event: RunEvent = { type: 'turnEnded', turn, end, summary };
    emit(event);
    return end;
  }

  /** Ends everything the turn does, at once; pending cards count as denied. */
  stop(): void {
    this.#running?.abort();
  }

  /** A new chat: the conversation is forgotten, what was allowed for the session too. */
  reset(): void {
    this.stop();
    this.#messages = [];
  }
}

function failed(error: unknown): TurnEnd {
  const known = error instanceof ModelError;
  const notice: Notice = {
    code: known ? `model-${error.code}` : 'failed',
    severity: 'error',
    fact: error instanceof Error ? error.message : String(error),
    cause: '',
    remedy: known ? error.remedy : '',
    lasting: false,
    actions: [],
  };
  return { kind: 'failed', notice };
}
