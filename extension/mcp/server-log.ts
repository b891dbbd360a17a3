/**
 * What is known of one server's life, in its order: what was done with it, what it wrote, and what
 * the session noted. Only the newest lines are kept. Arguments and results of calls are not in it.
 */
import { MAX_LOG_LINES } from '../limits.ts';
import { never } from '../never.ts';
import type { LogLine } from './connection.ts';
import type { CallEnd, ServerState } from './servers.ts';

export interface LoggedLine extends Omit<LogLine, 'from'> {
  /** `agent`: what was done with the server. */
  readonly from: LogLine['from'] | 'agent';
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class ServerLog {
  #lines: LoggedLine[] = [];
  readonly #told: () => void;

  constructor(told: () => void) {
    this.#told = told;
  }

  get lines(): readonly LoggedLine[] {
    return this.#lines.slice(-MAX_LOG_LINES);
  }

  add({ level, from, text }: Omit<LoggedLine, 'at'>): void {
    this.#lines.push({ level, from, text, at: Date.now() });
    // Many at a time: every call of a tool brings a line.
    if (this.#lines.length > 2 * MAX_LOG_LINES) this.#lines = [...this.lines];
    this.#told();
  }

  changed(before: ServerState, now: ServerState): void {
    const level = now.kind === 'failed' ? 'error' : 'info';
    this.add({ level, from: 'agent', text: stateWords(before, now) });
  }

  called(tool: string, end: CallEnd, ms: number): void {
    const level = end.kind === 'result' || end.kind === 'cancelled' ? 'info' : 'warn';
    const text = `Called ${tool}: ${endWords(end)} after ${String(Math.round(ms))} ms.`;
    this.add({ level, from: 'agent', text });
  }
}

function stateWords(before: ServerState, now: ServerState): string {
  switch (now.kind) {
    case 'starting':
      return 'Starting.';
    case 'running': {
      const { peer, tools } = now.offer;
      const count = tools.length === 1 ? '1 tool' : `${String(tools.length)} tools`;
      if (before.kind === 'running') return `Its list of tools changed: ${count}.`;
      const name = [peer.name, peer.version].filter((part) => part !== '').join(' ');
      const pid = now.pid === null ? '' : `, process ${String(now.pid)}`;
      return `Ready: ${name === '' ? '' : `${name}, `}MCP ${peer.protocolVersion}, ${count}${pid}.`;
    }
    case 'exited': {
      if (now.exit.kind === 'disconnected') {
        return 'Its connection ended. It starts again when it is needed.';
      }
      if (now.exit.kind === 'forgotten') return 'It starts again when it is needed.';
      const { code, signal } = now.exit;
      if (signal !== null) return `It was ended by ${signal}. It starts again when it is needed.`;
      const how = code === null ? '' : ` with code ${String(code)}`;
      return `It exited${how}. It starts again when it is needed.`;
    }
    case 'failed':
      return `${now.failure.fact} ${now.failure.remedy}`;
    case 'waits':
      return `Not started: ${now.reason}`;
    case 'stopped':
      return 'Stopped.';
    default:
      return never(now);
  }
}

function endWords(end: CallEnd): string {
  switch (end.kind) {
    case 'result':
      return 'answered';
    case 'error':
      return `refused with ${String(end.code)}`;
    case 'timedOut':
      return 'no answer';
    case 'cancelled':
      return 'stopped';
    case 'tooLong':
      return 'the answer was too long';
    case 'broken':
      return 'the answer was no JSON';
    case 'ended':
      return 'the server ended';
    case 'dropped':
      return 'the connection broke';
    case 'unreached':
      return 'not called, there is no connection';
    case 'notRunning':
    case 'refused':
      return 'not called';
    default:
      return never(end);
  }
}
