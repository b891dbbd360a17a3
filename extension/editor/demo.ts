/** The demo in this window: its words, and the settings that one turn of it runs with. */
import { join } from 'node:path';
import { l10n, window, workspace } from 'vscode';
import { pathBelow } from '../agent/folder-names.ts';
import type { Settings } from '../agent/settings.ts';
import { running, type Transcript } from '../chat/transcript.ts';
import { DEMO_WINDOW } from '../limits.ts';
import { DemoModel, demoModel, type DemoScript } from '../models/demo.ts';
import type { Provider } from '../models/provider.ts';

const name = 'gbs-demo.md';

/** The chat that the demo runs in. */
export interface DemoChat {
  /** Puts a new one in its place. */
  begin(): Promise<void>;
  send(text: string): Promise<unknown>;
}

export class Demo {
  #model: DemoModel | null = null;

  /** What answers while the demo runs; else null. */
  get provider(): Provider | null {
    return this.#model;
  }

  /** The settings as they stand, but for the model. */
  settings(settings: Settings): Settings {
    return this.#model === null
      ? settings
      : { ...settings, model: demoModel, subagentModel: '', contextWindow: DEMO_WINDOW };
  }

  /** Sends the message that the demo answers, and ends it with its turn. */
  async run(transcript: Transcript, folders: readonly string[], chat: DemoChat): Promise<void> {
    const [folder] = folders;
    if (folder === undefined || !workspace.isTrusted) {
      // The command is off then, but the walkthrough's link runs it all the same.
      void window.showInformationMessage(
        folder === undefined
          ? l10n.t('Open a folder first: the demo lists it and writes a file there.')
          : l10n.t('Trust this folder first: the demo runs a command and writes a file there.'),
      );
      return;
    }
    if (this.#model !== null || running(transcript)) return;
    // Before the new chat is there: a second start meanwhile finds one running.
    this.#model = new DemoModel(
      scriptOf(pathBelow(folder, folders), pathBelow(join(folder, name), folders)),
    );
    try {
      if (transcript.turns.length > 0) await chat.begin();
      await chat.send(l10n.t('Show me how you work.'));
    } finally {
      this.#model = null;
    }
  }
}

function scriptOf(folder: string, file: string): DemoScript {
  return {
    folder,
    file,
    look: l10n.t(
      'This is a demo. **No model runs**: what I say and what I call is written down. What the calls do is real. First I look at what is here; reading runs by itself.',
    ),
    command: l10n.t(
      'A command asks before it runs, except in Full auto. The card shows all of it: you can change it, run it once, or deny it and say why.',
    ),
    edit: l10n.t(
      'An edit runs by itself in the mode Auto-edit, and asks in Ask first. Either way it can be undone.',
    ),
    end: l10n.t(
      'That was a whole turn. Every line above can be opened. If you let me write `{0}`, **Undo turn** takes it away again. For questions of your own, choose a model below.',
      file,
    ),
    over: l10n.t('The demo is over, and no model reads this. Choose a model below.'),
    content: l10n.t(
      '# Demo\n\nGBS Agent wrote this file to show an edit. Undo turn takes it away.\n',
    ),
  };
}
