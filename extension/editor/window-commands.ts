/** What each command of the manifest does. */
import * as vscode from 'vscode';
import { modes } from '../agent/settings.ts';
import type { ChatHost } from '../chat/host.ts';
import type { CommandId } from './command-ids.ts';
import type { Commands } from './commands.ts';
import type { Engine } from './engine.ts';
import { openFile } from './show.ts';
import type { WindowSettings } from './surroundings.ts';
import type { TreeNode } from './tree-node.ts';
import { modeWords } from './words.ts';

type RowCommands = Pick<Commands, Extract<CommandId, `${string}.${string}`>>;

export interface WindowCommandParts {
  readonly host: ChatHost;
  readonly log: vscode.LogOutputChannel;
  readonly settings: WindowSettings;
  engine(): Promise<Engine>;
}

export function windowCommands({ host, log, settings, engine }: WindowCommandParts): Commands {
  /** Answers the card in front of the user; one that cannot be seen, or is too new, is shown. */
  const answer = (command: 'allow' | 'deny') => (): Promise<void> | void =>
    host.answerable === null ? host.command('focusCard') : host.tell({ type: 'command', command });

  return {
    newChat: async () => {
      await (await engine()).newChat();
      await host.command('focusInput');
    },
    chats: () => host.command('chats'),
    find: () => host.command('find'),
    stop: async () => (await engine()).stop(),
    focusChat: () => host.command('focusInput'),
    focusLastMessage: () => host.command('focusLastMessage'),
    allow: answer('allow'),
    deny: answer('deny'),
    showCard: () => host.command('focusCard'),
    reload: async () => (await engine()).reload(),
    revokeApprovals: async () => revokeApprovals(await engine()),
    openMcpConfiguration: async () => (await engine()).authoring.openConfiguration(),
    signIn: async (row) => (await engine()).servers.signIn(row?.subject ?? null),
    signOut: async (row) => (await engine()).servers.signOut(row?.subject ?? null),
    addServer: async () => (await engine()).authoring.addServer(),
    importServers: async () => (await engine()).importServers(),
    whichSkill: async () => (await engine()).whichSkill(),
    turnSkillsOff: () => settings.writeHere('skills.enabled', false),
    turnSkillsOn: () => turnSkillsOn(settings),
    newSkill: async () => (await engine()).authoring.newSkill(),
    chooseModel: async () => (await engine()).models.pick(),
    probeModel: async () => (await engine()).probeModel(),
    chooseMode: () => chooseMode(settings),
    setApiKey: async () => (await engine()).models.enterKey(),
    showLog: () => log.show(true),
    openSettings: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', '@ext:gbs.gbs-agent'),
    getStarted: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', 'gbs.gbs-agent#start'),
    tryDemo: async () => {
      await host.command('focusInput');
      await (await engine()).demo();
    },
    ...rowCommands(engine),
  };
}

/** Commands on a row of a tree; without a row they do nothing. */
function rowCommands(engine: () => Promise<Engine>): RowCommands {
  const server =
    (act: (servers: Engine['servers'], name: string) => unknown) =>
    async (row?: TreeNode): Promise<void> => {
      if (row !== undefined) await act((await engine()).servers, row.subject);
    };
  const skill =
    (act: (skills: Engine['skills'], name: string) => unknown) =>
    async (row?: TreeNode): Promise<void> => {
      if (row !== undefined) await act((await engine()).skills, row.subject);
    };
  return {
    'server.start': server((servers, name) => servers.start(name)),
    'server.stop': server((servers, name) => servers.stop(name)),
    'server.restart': server((servers, name) => servers.restart(name)),
    'server.showLog': server((servers, name) => servers.showLog(name)),
    'server.openConfiguration': async (row) => {
      if (row !== undefined) await (await engine()).servers.openConfiguration(row);
    },
    'server.approve': server((servers, name) => servers.approve(name)),
    'server.revoke': server((servers, name) => servers.revoke([name])),
    'server.whyMissing': server((servers, name) => servers.whyMissing(name)),
    'skill.open': async (row) => {
      if (row?.place != null) await openFile(row.place.path, row.place.line, []);
      // What lies on a server has no place: it is fetched.
      else if (row !== undefined) await (await engine()).skills.open(row.subject);
    },
    'skill.approve': skill((skills, name) => skills.approve(name)),
    'skill.revoke': skill((skills, name) => skills.revoke([name])),
    'skill.reveal': (row) =>
      row?.place == null
        ? undefined
        : vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(row.place.path)),
  };
}

/** Takes back what was approved for this workspace, after saying what that is. */
async function revokeApprovals(engine: Engine): Promise<void> {
  const { l10n, window } = vscode;
  const all = { label: l10n.t('All approvals'), skills: true, servers: true };
  const chosen = await window.showQuickPick(
    [
      all,
      { label: l10n.t('Skills and instructions'), skills: true, servers: false },
      { label: l10n.t('Servers'), skills: false, servers: true },
    ],
    {
      title: l10n.t('Revoke approvals of this workspace'),
      placeHolder: l10n.t('What is revoked stops, and asks again.'),
    },
  );
  if (chosen === undefined) return;
  const revoked = [
    ...(chosen.skills ? await engine.skills.revoke(null) : []),
    ...(chosen.servers ? await engine.servers.revoke(null) : []),
  ];
  void window.showInformationMessage(
    revoked.length === 0
      ? l10n.t('Nothing was approved.')
      : l10n.t('Revoked: {0}.', revoked.join(', ')),
  );
}

/** What is off for the user stays off: a workspace can only turn skills off. */
async function turnSkillsOn(settings: WindowSettings): Promise<void> {
  await settings.writeHere('skills.enabled', undefined);
  if (!settings.current().skillsEnabled) {
    await vscode.commands.executeCommand(
      'workbench.action.openSettings',
      '@id:gbsAgent.skills.enabled',
    );
  }
}

async function chooseMode(settings: WindowSettings): Promise<void> {
  const now = settings.current().permissionMode;
  const items = modes.map((mode) => {
    const { label, means } = modeWords(mode);
    return { label, detail: means, mode, description: mode === now ? vscode.l10n.t('in use') : '' };
  });
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('What asks before it runs, in this window'),
  });
  if (chosen !== undefined) settings.setMode(chosen.mode);
}
