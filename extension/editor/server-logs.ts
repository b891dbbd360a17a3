/**
 * A server's log, in an output channel of its own that is made when somebody wants to see it, and
 * follows from then on.
 */
import * as vscode from 'vscode';
import { LOG_EVERY_MS } from '../limits.ts';
import type { LoggedLine } from '../mcp/server-log.ts';
import { say } from './words.ts';

export class ServerLogs implements vscode.Disposable {
  readonly #lines: (name: string) => readonly LoggedLine[];
  readonly #channels = new Map<string, vscode.OutputChannel>();
  /** Drawn a moment later, once for all lines that came meanwhile. */
  readonly #due = new Map<string, NodeJS.Timeout>();

  constructor(lines: (name: string) => readonly LoggedLine[]) {
    this.#lines = lines;
  }

  show(name: string): void {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = vscode.window.createOutputChannel(`GBS Agent: ${name}`, 'log');
      this.#channels.set(name, channel);
    }
    this.#draw(name);
    channel.show(true);
  }

  /** A line came. */
  update(name: string): void {
    if (!this.#channels.has(name) || this.#due.has(name)) return;
    this.#due.set(
      name,
      setTimeout(() => {
        this.#due.delete(name);
        this.#draw(name);
      }, LOG_EVERY_MS),
    );
  }

  #draw(name: string): void {
    const lines = this.#lines(name).map(drawn);
    const none = say('Nothing yet: {0} was not needed since this window opened.', name);
    this.#channels.get(name)?.replace(lines.length > 0 ? lines.join('') : `${none}\n`);
  }

  dispose(): void {
    for (const timer of this.#due.values()) clearTimeout(timer);
    for (const channel of this.#channels.values()) channel.dispose();
  }
}

/** As the editor's own logs look, which it colours. */
function drawn({ at, level, from, text }: LoggedLine): string {
  const time = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
  const speaker = from === 'agent' ? '' : `${from}: `;
  const word = level === 'warn' ? 'warning' : level;
  return `${time.slice(0, 10)} ${time.slice(11, 23)} [${word}] ${speaker}${text}\n`;
}
