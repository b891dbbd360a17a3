/** What went wrong in a command or a request of the page: said once, logged whole. */
import * as vscode from 'vscode';
import type { TrapWatch } from '../core.ts';
import type { Log } from '../log.ts';
import { systemErrorWords } from './system-error.ts';

export class Failures {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** What the core's traps mean for people. */
  readonly traps: TrapWatch = {
    log: (error) => this.#log.error(`The core failed and was replaced: ${error.stack ?? error}`),
    tell: () => {
      const text = vscode.l10n.t(
        'Something inside GBS Agent failed and was started anew. MCP servers start again when they are needed.',
      );
      this.#show(vscode.window.showWarningMessage, text);
    },
  };

  readonly say = (what: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? (error.stack ?? message) : message;
    this.#log.error(`${what}: ${stack}`);
    const words = systemErrorWords(error, vscode.l10n.t) ?? message;
    this.#show(vscode.window.showErrorMessage, `GBS Agent: ${words}`);
  };

  /** Says it when `work` fails. */
  watch(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.say(what, error));
  }

  #show(by: (text: string, button: string) => Thenable<string | undefined>, text: string): void {
    const show = vscode.l10n.t('Show Log');
    void by(text, show).then((chosen) => {
      if (chosen === show) void vscode.commands.executeCommand('gbsAgent.showLog');
    });
  }
}
