/** Shows the servers of other programs, each with what it would run, and writes those that are chosen. */
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Core } from '../core.ts';
import { findServersToImport, importServer, type Importable } from '../mcp/import/import.ts';
import type { ServerPlan } from '../mcp/plans.ts';
import { shortPath, workspace } from './surroundings.ts';

export interface ImportParts {
  readonly core: Core;
  /** Absolute. */
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string>>;
  plan(): Promise<ServerPlan>;
  /** Shows a file that was written. */
  open(path: string): Promise<void>;
}

const { l10n, window } = vscode;

export async function importServers(parts: ImportParts): Promise<void> {
  const { userHome, environment } = parts;
  // Files of a folder that is not trusted are not read.
  const folders = vscode.workspace.isTrusted ? workspace().folders : [];
  const { platform } = process;
  const found = await findServersToImport({ userHome, environment, platform, folders });
  const plan = await parts.plan();
  const owners = new Map(plan.servers.map(({ name, path }) => [name, path]));
  if (found.problems.length > 0) void window.showWarningMessage(found.problems.join(' '));
  if (found.servers.length === 0) {
    const programs = [...new Set(found.places.map(({ program }) => program))].join(', ');
    void window.showInformationMessage(l10n.t('No servers found in the files of {0}.', programs));
    return;
  }
  const title = l10n.t('Import MCP servers');
  const chosen = await window.showQuickPick(
    found.servers.map((server) => itemOf(server, owners.get(server.name), parts)),
    {
      title,
      canPickMany: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
      placeHolder: l10n.t('Choose what to take along. None is started by that.'),
    },
  );
  if (chosen === undefined || chosen.length === 0) return;
  const target = await place(title, userHome);
  if (target === undefined) return;
  const failed: string[] = [];
  for (const { server } of chosen) {
    const message = await importServer(server, target);
    if (message !== null) failed.push(`${server.name}: ${message}`);
  }
  if (failed.length > 0) void window.showWarningMessage(failed.join(' '));
  if (failed.length < chosen.length) await parts.open(target.path);
}

type Item = vscode.QuickPickItem & { readonly server: Importable };

function itemOf(server: Importable, owner: string | undefined, { core }: ImportParts): Item {
  const details = [
    server.shown,
    ...(server.brings.length === 0 ? [] : [l10n.t('Brings {0}.', server.brings.join(', '))]),
    ...server.lost,
    ...(owner === undefined ? [] : [l10n.t('Its name is taken in {0}.', shortPath(owner))]),
  ];
  return {
    label: core.visibleText(server.name),
    description: `${server.program}, ${shortPath(server.path)}`,
    detail: core.visibleText(details.join('  ·  ')),
    server,
  };
}

async function place(
  title: string,
  userHome: string,
): Promise<{ readonly path: string; readonly within: string | null } | undefined> {
  const path = join(userHome, '.gbs', 'mcp.json');
  return window.showQuickPick(
    [
      {
        label: `$(account) ${l10n.t('You, in every project')}`,
        description: shortPath(path),
        path,
        within: null,
      },
      ...workspace().folders.map((folder) => ({
        label: `$(root-folder) ${l10n.t('This project')}`,
        description: join(basename(folder), '.gbs', 'mcp.json'),
        detail: l10n.t('Values of variables and headers are written into the project, too.'),
        path: join(folder, '.gbs', 'mcp.json'),
        within: folder,
      })),
    ],
    { title, placeHolder: l10n.t('Who is it for?'), ignoreFocusOut: true },
  );
}
