/**
 * A server's log, in an output channel of its own that is made when somebody wants to see it, and
 * follows from then on.
 */
import * as vscode from 'vscode';
import { LOG_EVERY_MS } from '../limits.ts';
import type { LoggedLine } from '../mcp/server-log.ts';
import { say } from './words.ts';

interface Shown {
  readonly channel: vscode.OutputChannel;
  /** The newest line in it. */
  last: LoggedLine | null;
}

export class ServerLogs implements vscode.Disposable {
  readonly #lines: (name: string) => readonly LoggedLine[];
  readonly #shown = new Map<string, Shown>();
  /** Drawn a moment later, once for all lines that came meanwhile. */
  readonly #due = new Map<string, NodeJS.Timeout>();

  constructor(lines: (name: string) => readonly LoggedLine[]) {
    this.#lines = lines;
  }

  show(name: string): void {
    let shown = this.#shown.get(name);
    if (shown === undefined) {
      const channel = vscode.window.createOutputChannel(`GBS Agent: ${name}`, 'log');
      shown = { channel, last: null };
      this.#shown.set(name, shown);
    }
    this.#draw(name, shown);
    if (shown.last === null) {
      const none = say('Nothing yet: {0} was not needed since this window opened.', name);
      shown.channel.appendLine(none);
    }
    shown.channel.show(true);
  }

  /** A line came. */
  update(name: string): void {
    const shown = this.#shown.get(name);
    if (shown === undefined || this.#due.has(name)) return;
    this.#due.set(
      name,
      setTimeout(() => {
        this.#due.delete(name);
        this.#draw(name, shown);
      }, LOG_EVERY_MS),
    );
  }

  /** Only ever adds, so that the place where somebody reads stays in view. */
  #draw(name: string, shown: Shown): void {
    const lines = this.#lines(name);
    const { last } = shown;
    const from = last === null ? 0 : lines.lastIndexOf(last) + 1;
    const fresh = lines.slice(from);
    if (fresh.length > 0) shown.channel.append(fresh.map(drawn).join(''));
    shown.last = lines.at(-1) ?? last;
  }

  dispose(): void {
    for (const timer of this.#due.values()) clearTimeout(timer);
    for (const { channel } of this.#shown.values()) channel.dispose();
  }
}

/** As the editor's own logs look, which it colours. */
function drawn({ at, level, from, text }: LoggedLine): string {
  const time = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  const speaker = from === 'agent' ? '' : `${from}: `;
  const word = level === 'warn' ? 'warning' : level;
  return `${time.slice(0, 10)} ${time.slice(11, 23)} [${word}] ${speaker}${text}\n`;
}
