/**
 * Carries out the calls of one step. Checks, in this order: known tool, arguments are JSON, required
 * present, permission; then it runs. Consecutive calls that are safe side by side run so, the others
 * one after the other; results keep the order of the calls.
 */
import type { SessionRule } from '../core.ts';
import { PROGRESS_EVERY_MS } from '../limits.ts';
import type { Log } from '../log.ts';
import type { ToolCall } from '../models/provider.ts';
import { never } from '../never.ts';
import type { WrittenCall } from './answer.ts';
import { canonical, missingRequired, readArguments } from './arguments.ts';
import type { Changes } from './changes.ts';
import type { Emit, Line, LineState } from './events.ts';
import { headAndTail } from './limited-text.ts';
import { withoutMarks } from './marks.ts';
import { matchName, sendableName, similarNames } from './names.ts';
import {
  PermissionCheck,
  type CallInHand,
  type Permission,
  type PermissionParts,
} from './permission.ts';
import type { Quotes } from './quotes.ts';
import {
  ToolRefusal,
  type Arguments,
  type Attachment,
  type LineText,
  type Tool,
  type ToolResult,
} from './tool.ts';

/** A call with its place in the history. */
export interface HeldCall {
  readonly id: string;
  readonly written: WrittenCall;
  readonly tool: Tool | null;
  readonly args: Arguments;
  /** Why it cannot run, for the model; empty when it can. */
  readonly problem: string;
  /** The arguments are the problem: they cannot be read, or something is missing. */
  readonly malformed: boolean;
  readonly repairedFrom: string | null;
}

export interface CallResult {
  readonly call: HeldCall;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** For the guard against repetition; empty where nothing ran. */
  readonly key: string;
}

export interface CallsParts extends Omit<PermissionParts, 'ask'> {
  readonly ask: (
    card: Parameters<PermissionParts['ask']>[0],
    place: CardPlace,
  ) => ReturnType<PermissionParts['ask']>;
  readonly emit: Emit;
  readonly log: Log;
  readonly quotes: Quotes;
  readonly changes: Changes;
  readonly session: SessionRule[];
  readonly resultChars: () => number;
  readonly save: (data: string | Uint8Array, ending: string) => Promise<string>;
  readonly nextId: () => string;
  /** What still runs after the user stopped; the next turn waits for it. */
  readonly pending: Set<Promise<unknown>>;
  readonly signal: AbortSignal;
}

/** Which of how many cards of this step. */
export interface CardPlace {
  readonly number: number;
  readonly of: number;
}

/** What the history holds of a call: a name and arguments that every server takes back. */
export function sent(call: HeldCall): ToolCall {
  return {
    id: call.id,
    name: call.tool?.name ?? sendableName(call.written.name),
    arguments: JSON.stringify(call.args),
  };
}

const STOPPED = 'Stopped by the user before it ended.';

export class CallRunner {
  readonly #parts: CallsParts;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #names: readonly string[];

  constructor(parts: CallsParts, tools: readonly Tool[]) {
    this.#parts = parts;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#names = tools.map((tool) => tool.name);
  }

  /** Finds the tool and reads the arguments; nothing runs yet. */
  hold(written: WrittenCall): HeldCall {
    const id = this.#parts.nextId();
    const name = matchName(written.name, this.#names);
    const tool = name === null ? null : (this.#tools.get(name) ?? null);
    const read = readArguments(written.arguments);
    const args = read.kind === 'read' ? read.value : {};
    const held = { id, written, tool, args, malformed: false, repairedFrom: null };
    if (tool === null) {
      const similar = similarNames(written.name, this.#names);
      const instead = similar.length > 0 ? similar : this.#names;
      return {
        ...held,
        problem: `There is no tool ${headAndTail(written.name, 100)}. There are: ${instead.join(', ')}.`,
      };
    }
    switch (read.kind) {
      case 'cut':
        return {
          ...held,
          problem:
            'This call was cut off before its end and was not run. Call again; write long texts in pieces.',
        };
      case 'broken':
        return {
          ...held,
          malformed: true,
          problem: `The arguments are not JSON (${read.why}) and were not used. Call again.`,
        };
      case 'read':
        return this.#resolved({
          ...held,
          problem: '',
          repairedFrom: read.repairedFrom ?? written.repairedFrom,
        });
    }
  }

  /** Runs them all; gives a result for each, in their order. */
  async run(calls: readonly HeldCall[]): Promise<readonly CallResult[]> {
    const cards = await this.#countCards(calls);
    const results: CallResult[] = [];
    for (let i = 0; i < calls.length;) {
      const group = this.#group(calls, i);
      i += group.length;
      results.push(...(await Promise.all(group.map((call) => this.#one(call, cards)))));
    }
    return results;
  }

  /** A tool that stands for others is the one that is meant. */
  #resolved(call: HeldCall): HeldCall {
    if (call.tool === null) return call;
    try {
      const missing = missingRequired(call.tool.parameters, call.args);
      const inner = missing.length === 0 ? meant(call) : null;
      const lacks = inner === null ? missing : missingRequired(inner.tool.parameters, inner.args);
      return lacks.length === 0
        ? call
        : {
            ...call,
            malformed: true,
            problem: `The call lacks ${lacks.join(', ')}. Call again with it.`,
          };
    } catch (error) {
      return { ...call, problem: messageOf(error) };
    }
  }

  #group(calls: readonly HeldCall[], from: number): readonly HeldCall[] {
    const beside = (call: HeldCall): boolean => meant(call)?.tool.parallel ?? false;
    let end = from + 1;
    const first = calls[from];
    if (first !== undefined && beside(first)) {
      for (let next = calls[end]; next !== undefined && beside(next); next = calls[end]) end++;
    }
    return calls.slice(from, end);
  }

  async #countCards(calls: readonly HeldCall[]): Promise<{ next: number; readonly of: number }> {
    if (calls.length < 2) return { next: 1, of: 1 };
    const check = new PermissionCheck({
      ...this.#parts,
      ask: () => Promise.resolve({ answer: 'deny' }),
    });
    const asks = await Promise.all(
      calls.map(async (call) => {
        const hand = this.#inHand(call);
        return hand !== null && (await check.asks(hand));
      }),
    );
    return { next: 1, of: Math.max(1, asks.filter(Boolean).length) };
  }

  /** The call as permission sees it; null when it cannot run. */
  #inHand(call: HeldCall): CallInHand | null {
    const inner = call.problem === '' ? meant(call) : null;
    if (inner === null) return null;
    const { written, repairedFrom } = call;
    const quotedFrom = this.#parts.quotes.find(written.name, forms(call));
    return { tool: inner.tool, args: inner.args, repairedFrom, quotedFrom };
  }

  async #one(call: HeldCall, cards: { next: number; readonly of: number }): Promise<CallResult> {
    const { signal, quotes } = this.#parts;
    const started = performance.now();
    const hand = this.#inHand(call);
    if (hand === null) {
      this.#line(call, 'failed', { measure: '', output: call.problem, allowedBy: '' });
      return this.#result(call, call.problem, '');
    }
    if (signal.aborted) return this.#result(call, STOPPED, '');
    const check = new PermissionCheck({
      ...this.#parts,
      ask: (card) => {
        const number = cards.next++;
        return this.#parts.ask(card, { number, of: Math.max(cards.of, number) });
      },
    });
    try {
      const permission = await check.check(hand);
      if (signal.aborted) {
        this.#line(call, 'stopped', { measure: '', output: '', allowedBy: '' });
        return this.#result(call, STOPPED, '');
      }
      switch (permission.kind) {
        case 'refused':
          this.#line(call, 'failed', { measure: '', output: permission.message, allowedBy: '' });
          return this.#result(call, permission.message, canonical(hand.args));
        case 'denied': {
          const why = permission.reason === '' ? '' : ` Their reason: ${permission.reason}.`;
          this.#line(call, 'denied', { measure: '', output: permission.reason, allowedBy: '' });
          return this.#result(
            call,
            `The user denied this call.${why} Do not try it again; find another way or ask.`,
            '',
          );
        }
        case 'run': {
          if (permission.byUser !== null && hand.quotedFrom !== null) quotes.allow(forms(call));
          const shown = { ...call, args: permission.args };
          const { allowedBy } = permission;
          this.#line(shown, 'running', { measure: '', output: '', allowedBy });
          const watch = ['command', 'mcp', 'connect'].includes(permission.subject.kind);
          const result = await this.#stoppable(() =>
            this.#carriedOut(call, hand.tool, permission, watch),
          );
          if (result === 'stopped') {
            this.#line(shown, 'stopped', { measure: time(started), output: '', allowedBy });
            return this.#result(call, STOPPED, '');
          }
          this.#finished(shown, result, started, allowedBy);
          return this.#result(call, result.text, canonical(permission.args), result.attachments);
        }
      }
    } catch (error) {
      if (signal.aborted) {
        this.#line(call, 'stopped', { measure: time(started), output: '', allowedBy: '' });
        return this.#result(call, STOPPED, '');
      }
      if (!(error instanceof ToolRefusal)) {
        this.#parts.log.error(
          `${hand.tool.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
      }
      const message = messageOf(error);
      this.#line(call, 'failed', { measure: '', output: message, allowedBy: '' });
      return this.#result(call, message, canonical(hand.args));
    }
  }

  async #carriedOut(
    call: HeldCall,
    tool: Tool,
    { args, subject, byUser }: Extract<Permission, { kind: 'run' }>,
    watch: boolean,
  ): Promise<ToolResult> {
    const { signal, emit, changes, save } = this.#parts;
    let last = 0;
    const run = (): Promise<ToolResult> =>
      tool.run(args, {
        signal,
        callId: call.id,
        allowed: { subject, answer: byUser },
        progress: (text) => {
          const now = performance.now();
          if (now - last < PROGRESS_EVERY_MS || signal.aborted) return;
          last = now;
          emit({ type: 'progress', id: call.id, text });
        },
        save,
      });
    if (!watch) return run();
    const [result, found] = await changes.around(changerOf(tool, args), run);
    return found.length === 0
      ? result
      : { ...result, changes: [...(result.changes ?? []), ...found] };
  }

  /** Goes on at once when the user stops; what runs ends by its own signal. */
  #stoppable<T>(work: () => Promise<T>): Promise<T | 'stopped'> {
    const { signal, pending } = this.#parts;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        resolve('stopped');
      };
      if (signal.aborted) {
        stop();
        return;
      }
      signal.addEventListener('abort', stop, { once: true });
      const working = work()
        .then(resolve, reject)
        .finally(() => {
          signal.removeEventListener('abort', stop);
          pending.delete(working);
        });
      pending.add(working);
    });
  }

  #finished(call: HeldCall, result: ToolResult, started: number, allowedBy: string): void {
    const shown = result.shown ?? { kind: 'text' as const, text: result.text };
    this.#emitLine(call, result.isError ? 'failed' : 'done', {
      measure: result.measure ?? time(started),
      output: shown,
      allowedBy,
    });
  }

  #line(
    call: HeldCall,
    state: LineState,
    parts: { readonly measure: string; readonly output: string; readonly allowedBy: string },
  ): void {
    const { output } = parts;
    this.#emitLine(call, state, {
      ...parts,
      output: output === '' ? null : { kind: 'text', text: output },
    });
  }

  #emitLine(
    call: HeldCall,
    state: LineState,
    parts: Pick<Line, 'measure' | 'output' | 'allowedBy'>,
  ): void {
    this.#parts.emit({ type: 'line', line: { id: call.id, state, ...lineOf(call), ...parts } });
  }

  #result(
    call: HeldCall,
    text: string,
    args: string,
    attachments: readonly Attachment[] = [],
  ): CallResult {
    const limited = withoutMarks(headAndTail(text, this.#parts.resultChars()));
    const key = args === '' ? '' : `${call.tool?.name ?? ''} ${args}`;
    return { call, text: limited, attachments, key };
  }
}

/** The tool that is meant, and its arguments; null when there is none. */
function meant(call: HeldCall): { readonly tool: Tool; readonly args: Arguments } | null {
  const { tool, args } = call;
  if (tool === null || call.problem !== '') return null;
  return tool.resolve?.(args) ?? { tool, args };
}

/** The call's arguments in every form in which they may be quoted. */
function forms(call: HeldCall): readonly string[] {
  return [...new Set([call.written.arguments, JSON.stringify(call.args)])];
}

function lineOf(call: HeldCall): LineText {
  if (call.tool === null) return { icon: 'server', verb: 'Called', object: call.written.name };
  const inner = meant(call) ?? { tool: call.tool, args: call.args };
  try {
    return inner.tool.line(inner.args);
  } catch (error) {
    // A line is drawn for every call, also for one whose arguments make no sense.
    return {
      icon: 'server',
      verb: 'Called',
      object: error instanceof Error ? inner.tool.name : '',
    };
  }
}

/** What a change is said to come from, where no tool of ours made it. */
function changerOf({ name, origin }: Tool, args: Arguments): string {
  switch (origin.kind) {
    case 'mcp':
      return `${origin.server} ${origin.tool}`;
    case 'builtin':
      return textOf(args['command']) || name;
    case 'skill':
    case 'management':
      return name;
    default:
      return never(origin);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function time(started: number): string {
  return `${((performance.now() - started) / 1_000).toFixed(1)} s`;
}
