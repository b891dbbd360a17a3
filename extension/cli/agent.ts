/**
 * The composition root of the command line's agent: settings, model server, contributors, session.
 * Builds and wires; decides nothing.
 */
import type { Contributor } from '../agent/contributor.ts';
import type { Emit } from '../agent/events.ts';
import { AgentSession, type Abilities } from '../agent/session.ts';
import type { Settings } from '../agent/settings.ts';
import type { Ask } from '../agent/tool.ts';
import type { SkillState } from '../core.ts';
import { ServersContributor } from '../mcp/contributor.ts';
import { FileServerPlans } from '../mcp/file-server-plans.ts';
import { SessionServers } from '../mcp/session-servers.ts';
import { Probes, type ModelProbe } from '../models/probe.ts';
import type { ModelInfo, Provider } from '../models/provider.ts';
import { SkillsContributor } from '../skills/contributor.ts';
import type { SkillEntry } from '../skills/skills.ts';
import { opener } from './ask.ts';
import type { CliParts } from './parts.ts';
import { openServer } from './provider.ts';
import { signInsOf } from './sign-ins.ts';

export interface CliAgent {
  readonly session: AgentSession;
  readonly provider: Provider;
  /** Null where the server was not asked yet: it is not on this machine, and the user comes first. */
  readonly model: ModelInfo | null;
  readonly settings: Settings;
  /** What a run has to work with, once it is prepared: "2 skills", "1 server". */
  has(): readonly string[];
  /** Names of the tools of the servers that run, as a model sees them. */
  serverTools(): readonly string[];
  /** Every skill as it stands now, without asking anybody. */
  skills(): Promise<readonly SkillEntry[]>;
  /** Ends everything that was started. */
  dispose(): Promise<void>;
}

/** Asks a server on this machine for its models. Throws `ModelError` when it is not there. */
export async function createAgent(
  parts: CliParts,
  handlers: { readonly ask: Ask; readonly emit: Emit },
): Promise<CliAgent> {
  const given = parts.settings();
  const { provider, model } = await openServer(parts);
  const settings: Settings =
    model === null
      ? given
      : {
          ...given,
          model: model.id,
          contextWindow: given.contextWindow || (model.contextWindow ?? 0),
        };
  const probes = new Map<string, ModelProbe | null>();
  if (model) probes.set(model.id, await new Probes(parts.state).read(provider.host, model.id));
  const skills = new SkillsContributor({
    core: parts.core,
    settings: () => settings,
    state: parts.state,
    log: parts.log,
    platform: parts.platform,
    userHome: parts.userHome,
    offered: () => servers.skills,
  });
  const connected = new SessionServers({
    core: parts.core,
    settings: () => settings,
    environment: parts.environment,
    platform: parts.platform,
    userHome: parts.userHome,
    workspace: parts.workspace,
  });
  const servers = new ServersContributor({
    core: parts.core,
    settings: () => settings,
    state: parts.state,
    log: parts.log,
    workspace: parts.workspace,
    session: connected,
    ...opener(parts),
    authorization: signInsOf(parts),
    plans: new FileServerPlans({
      core: parts.core,
      settings: () => settings,
      state: parts.state,
      log: parts.log,
      environment: parts.environment,
      platform: parts.platform,
      userHome: parts.userHome,
    }),
  });
  const contributors: readonly Contributor[] = [skills, servers];
  const session = new AgentSession({
    core: parts.core,
    settings: () => settings,
    provider: () => provider,
    contributors,
    workspace: parts.workspace,
    ask: handlers.ask,
    emit: handlers.emit,
    state: parts.state,
    log: parts.log,
    environment: parts.environment,
    platform: parts.platform,
    storage: parts.storage,
    abilities: (name): Abilities => {
      const probe = probes.get(name) ?? null;
      return { nativeTools: probe?.nativeTools ?? null, images: probe?.images ?? null };
    },
  });
  return {
    session,
    provider,
    model,
    settings,
    has: () => {
      const used = skills.view?.catalogue.skills.filter(({ state }) => sent.has(state)) ?? [];
      return [counted(used.length, 'skill'), counted(servers.standings().size, 'server')].flat();
    },
    serverTools: () =>
      [...servers.standings()].flatMap(([server, tools]) =>
        tools.map(({ tool }) => parts.core.toolName(server, tool)),
      ),
    skills: async () => (await skills.skills.look(parts.workspace(), 0)).skills,
    dispose: async () => {
      await session.dispose();
      const hurried = parts.signal.aborted;
      await Promise.all(contributors.map((contributor) => contributor.dispose(hurried)));
    },
  };
}

/** The states in which a skill's line stands in the prompt. */
const sent: ReadonlySet<SkillState> = new Set(['full', 'shortened']);

function counted(count: number, word: string): readonly string[] {
  return count === 0 ? [] : [`${String(count)} ${word}${count === 1 ? '' : 's'}`];
}
