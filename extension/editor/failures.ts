/** What went wrong in a command or a request of the page: said once, logged whole. */
import * as vscode from 'vscode';
import type { Log } from '../log.ts';

export class Failures {
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly say = (what: string, error: unknown): void => {
    const message = error instanceof Error ? error.message : String(error);
    const stack = error instanceof Error ? (error.stack ?? message) : message;
    this.#log.error(`${what}: ${stack}`);
    const show = vscode.l10n.t('Show Log');
    void vscode.window.showErrorMessage(`GBS Agent: ${message}`, show).then((chosen) => {
      if (chosen === show) void vscode.commands.executeCommand('gbsAgent.showLog');
    });
  };

  /** Says it when `work` fails. */
  watch(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.say(what, error));
  }
}
