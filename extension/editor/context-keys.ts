/** What menus and key bindings of the manifest look at. */
import * as vscode from 'vscode';
import { running, type Transcript } from '../chat/transcript.ts';

export class ContextKeys {
  readonly #set = new Map<string, boolean>();

  update({
    transcript,
    waiting,
  }: {
    readonly transcript: Transcript;
    readonly waiting: number;
  }): void {
    this.#put('gbsAgent.running', running(transcript));
    this.#put('gbsAgent.cardWaiting', waiting > 0);
  }

  /** The first step of the walkthrough is done with it. */
  serverFound(found: boolean): void {
    this.#put('gbsAgent.serverFound', found);
  }

  #put(key: string, value: boolean): void {
    if (this.#set.get(key) === value) return;
    this.#set.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
