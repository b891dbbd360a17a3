/**
 * The composition root of the command line's agent: settings, model server, contributors, session.
 * Builds and wires; decides nothing.
 */
import type { Contributor } from '../agent/contributor.ts';
import type { Emit } from '../agent/events.ts';
import { AgentSession, type Abilities } from '../agent/session.ts';
import type { Settings } from '../agent/settings.ts';
import type { Ask } from '../agent/tool.ts';
import { Probes } from '../models/probe.ts';
import type { ModelInfo, Provider } from '../models/provider.ts';
import { SkillsContributor } from '../skills/contributor.ts';
import type { CliParts } from './parts.ts';
import { chooseModel, createProvider } from './provider.ts';

export interface CliAgent {
  readonly session: AgentSession;
  readonly provider: Provider;
  readonly model: ModelInfo;
  readonly settings: Settings;
  /** Ends everything that was started. */
  dispose(): Promise<void>;
}

/** Reaches the model server once, to know the model and its window. Throws `ModelError`. */
export async function createAgent(
  parts: CliParts,
  handlers: { readonly ask: Ask; readonly emit: Emit },
): Promise<CliAgent> {
  const given = parts.settings();
  const provider = createProvider(given, parts.apiKey());
  const model = await chooseModel(provider, given, parts.signal);
  const settings: Settings = { ...given, model: model.id };
  const probe = await new Probes(parts.state).read(provider.host, model.id);
  const known: Abilities = {
    nativeTools: probe?.nativeTools ?? null,
    images: probe?.images ?? null,
  };
  const contributors: readonly Contributor[] = [
    new SkillsContributor({
      core: parts.core,
      settings: () => settings,
      state: parts.state,
      log: parts.log,
      platform: parts.platform,
      userHome: parts.userHome,
    }),
  ];
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
    abilities: (name) => (name === model.id ? known : { nativeTools: null, images: null }),
  });
  return {
    session,
    provider,
    model,
    settings,
    dispose: async () => {
      session.stop();
      await Promise.all(contributors.map((contributor) => contributor.dispose()));
    },
  };
}
