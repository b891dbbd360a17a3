/** Makes new skills and server entries from a few questions, and opens configuration files. */
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Core } from '../core.ts';
import { expandHome } from '../skills/sources.ts';
import { skillTemplate, writeNewSkill } from '../skills/template.ts';
import { lineOf, withServer, words } from '../mcp/new-server.ts';
import type { WindowSettings } from './surroundings.ts';

export interface AuthoringParts {
  readonly core: Core;
  readonly settings: WindowSettings;
  folders(): readonly string[];
}

interface Place extends vscode.QuickPickItem {
  /** Null is the setting. */
  readonly path: string | null;
}

const { l10n, window, workspace } = vscode;

export class Authoring {
  readonly #parts: AuthoringParts;

  constructor(parts: AuthoringParts) {
    this.#parts = parts;
  }

  /** Asks where, a name and a description; writes the template and opens it. */
  async newSkill(): Promise<void> {
    const { core, settings, folders } = this.#parts;
    const project: Place[] = folders().map((folder) => ({
      label: `$(root-folder) ${l10n.t('This project')}`,
      description: join(basename(folder), '.gbs', 'skills'),
      path: join(folder, '.gbs', 'skills'),
    }));
    const own = expandHome(settings.current().skillsPath, homedir());
    const title = l10n.t('New skill');
    const place = await one(title, l10n.t('Who is it for?'), [
      ...project,
      { label: `$(account) ${l10n.t('You, in every project')}`, description: own, path: own },
    ]);
    if (place?.path == null) return;
    const parent = vscode.Uri.file(place.path);
    const name = await window.showInputBox({
      title,
      prompt: l10n.t(
        'Its name: lower-case letters, digits and hyphens. /name loads it in the chat.',
      ),
      placeHolder: 'release-notes',
      ignoreFocusOut: true,
      validateInput: async (text) =>
        text === ''
          ? undefined
          : (nameProblem(core, text) ??
            ((await exists(vscode.Uri.joinPath(parent, text)))
              ? l10n.t('There is a folder of this name.')
              : undefined)),
    });
    if (!name || nameProblem(core, name) !== undefined) return;
    const description = await window.showInputBox({
      title,
      prompt: l10n.t(
        'What it is for and when to use it. The model sees this line and decides by it.',
      ),
      placeHolder: l10n.t('How we write release notes. Use it when a version is prepared.'),
      ignoreFocusOut: true,
    });
    if (!description?.trim()) return;
    const file = await writeNewSkill(core, place.path, name, description);
    await window.showTextDocument(vscode.Uri.file(file));
  }

  /** Asks where, a name and a command line; adds the entry and opens it. */
  async addServer(): Promise<void> {
    const title = l10n.t('Add an MCP server');
    const place = await one(title, l10n.t('Who is it for?'), [
      ...this.#parts.folders().map((folder) => ({
        label: `$(root-folder) ${l10n.t('This project')}`,
        description: join(basename(folder), '.mcp.json'),
        detail: l10n.t('Others who open the project are asked before it starts.'),
        path: join(folder, '.mcp.json'),
      })),
      {
        label: `$(account) ${l10n.t('You, in every project')}`,
        description: 'gbsAgent.mcpServers',
        path: null,
      },
    ]);
    if (place === undefined) return;
    const name = await window.showInputBox({
      title,
      prompt: l10n.t('A short name; its tools carry it.'),
      placeHolder: 'docs',
      ignoreFocusOut: true,
    });
    if (!name?.trim()) return;
    const line = await window.showInputBox({
      title,
      prompt: l10n.t(
        'The command as you would type it, with a pinned version where it downloads one.',
      ),
      placeHolder: 'npx -y some-server@1.2.3',
      ignoreFocusOut: true,
    });
    const [command, ...args] = words(line ?? '');
    if (command === undefined) return;
    const server = { command, args };
    if (place.path === null) await this.#addToSetting(name.trim(), server);
    else await addToFile(vscode.Uri.file(place.path), name.trim(), server);
  }

  async #addToSetting(name: string, server: object): Promise<void> {
    const { settings } = this.#parts;
    const before = JSON.parse(settings.current().mcpServers) as Record<string, unknown>;
    if (Object.hasOwn(before, name)) return taken(name);
    await settings.write('mcpServers', { ...before, [name]: server });
    await openSetting();
  }

  /** Offers every file that servers are read from, highest precedence first. */
  async openConfiguration(): Promise<void> {
    const home = homedir();
    const files = [
      ...this.#parts
        .folders()
        .flatMap((folder) => [join(folder, '.gbs', 'mcp.json'), join(folder, '.mcp.json')]),
      join(home, '.gbs', 'mcp.json'),
      join(home, '.claude', 'mcp.json'),
    ];
    const items = await Promise.all(
      files.map(async (path): Promise<Place> => {
        const there = await exists(vscode.Uri.file(path));
        return {
          label: workspace.asRelativePath(path),
          description: there ? '' : l10n.t('not there yet'),
          path,
        };
      }),
    );
    const place = await one(l10n.t('Open MCP configuration'), '', [
      { label: 'gbsAgent.mcpServers', description: l10n.t('your setting'), path: null },
      ...items,
    ]);
    if (place === undefined) return;
    if (place.path === null) return openSetting();
    const file = vscode.Uri.file(place.path);
    if (!(await exists(file))) await write(file, '{\n  "mcpServers": {}\n}\n');
    await window.showTextDocument(file);
  }
}

/** What the core says about a skill of this name, or nothing. */
function nameProblem(core: Core, name: string): string | undefined {
  const bytes = new TextEncoder().encode(skillTemplate(name, 'x'));
  const { problems } = core.parseSkill(bytes, name);
  return problems.find(({ severity }) => severity !== 'info')?.message;
}

async function addToFile(file: vscode.Uri, name: string, server: object): Promise<void> {
  const before = (await exists(file)) ? (await workspace.openTextDocument(file)).getText() : '';
  const added = withServer(before, name, server);
  if (added.kind !== 'text') return taken(name);
  const after = added.text;
  if (before === '') await write(file, after);
  else {
    const document = await workspace.openTextDocument(file);
    const edit = new vscode.WorkspaceEdit();
    const end = document.lineAt(document.lineCount - 1).range.end;
    edit.replace(file, new vscode.Range(new vscode.Position(0, 0), end), after);
    await workspace.applyEdit(edit);
    await document.save();
  }
  const at = new vscode.Position(lineOf(after, name) - 1, 0);
  await window.showTextDocument(file, { selection: new vscode.Range(at, at) });
}

function taken(name: string): void {
  void window.showWarningMessage(
    l10n.t(
      'The server {0} was not added: the name is taken, or the file is not a list of servers.',
      name,
    ),
  );
}

/** One choice is no choice: it is taken. */
async function one(
  title: string,
  placeHolder: string,
  places: readonly Place[],
): Promise<Place | undefined> {
  return places.length === 1 ? places[0] : window.showQuickPick(places, { title, placeHolder });
}

async function openSetting(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', '@id:gbsAgent.mcpServers');
}

async function write(file: vscode.Uri, text: string): Promise<void> {
  await workspace.fs.writeFile(file, new TextEncoder().encode(text));
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  return workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
