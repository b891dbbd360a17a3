/** What the chat shows beside its transcript. */
import * as vscode from 'vscode';
import { pathBelow } from '../agent/folder-names.ts';
import { english } from '../chat/page/words.ts';
import type { Status } from '../chat/protocol.ts';
import type { Engine } from './engine.ts';
import { remoteOf } from './remote.ts';
import { workspace, type WindowSettings } from './surroundings.ts';

/** Before the agent's side is loaded, nothing is known of models, skills and servers. */
export function chatStatus(settings: WindowSettings, engine: Engine | null): Status {
  const { folders, trusted, openFile } = workspace();
  const { permissionMode, model } = (engine?.models.settings ?? settings.current)();
  return {
    trusted,
    folder: folders.length > 0,
    folders,
    remote: remoteOf(vscode.env.remoteName),
    openFile: openFile === null ? null : pathBelow(openFile, folders),
    mode: permissionMode,
    server: engine?.models.state ?? { kind: 'looking' },
    model,
    models: engine?.models.choices ?? [],
    images: engine?.takesImages ?? null,
    skills: engine?.skills.shown ?? [],
    servers: engine?.servers.shown ?? [],
  };
}

/** The page's words in the language of the editor, where there are any. */
export function translated(): Readonly<Record<string, string>> {
  const bundle = vscode.l10n.bundle ?? {};
  return Object.fromEntries(
    Object.entries(english).flatMap(([key, text]) => {
      const other = bundle[text];
      return typeof other === 'string' ? [[key, other]] : [];
    }),
  );
}
