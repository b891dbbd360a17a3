/** What a server wrote, in an output channel of its own that is made when somebody wants to see it. */
import * as vscode from 'vscode';
import type { LogLine } from '../mcp/connection.ts';

export class ServerLogs implements vscode.Disposable {
  readonly #lines: (name: string) => readonly LogLine[];
  readonly #channels = new Map<string, vscode.OutputChannel>();

  constructor(lines: (name: string) => readonly LogLine[]) {
    this.#lines = lines;
  }

  show(name: string): void {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = vscode.window.createOutputChannel(`GBS Agent: ${name}`, 'log');
      this.#channels.set(name, channel);
    }
    this.update(name);
    channel.show(true);
  }

  /** Draws the lines again, where somebody looks at them. */
  update(name: string): void {
    this.#channels.get(name)?.replace(
      this.#lines(name)
        .map(({ from, text }) => `[${from}] ${text}\n`)
        .join(''),
    );
  }

  dispose(): void {
    for (const channel of this.#channels.values()) channel.dispose();
  }
}
