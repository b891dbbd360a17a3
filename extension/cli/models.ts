/** `gbs models`: which model servers answer, which models they have, and what is known of each. */
import type { Command } from 'commander';
import { findServers, type FoundServer } from '../models/discover.ts';
import { Probes, type ModelProbe } from '../models/probe.ts';
import { ModelError, type ModelInfo } from '../models/provider.ts';
import { CliFailure, type CliParts } from './parts.ts';
import { chooseModel, createProvider, modelFailure, openServer } from './provider.ts';
import { asTyped } from './settings.ts';

interface Listed {
  readonly name: string;
  readonly host: string;
  readonly baseUrl: string;
  /** The settings mean this one. */
  readonly configured: boolean;
  readonly models: readonly (ModelInfo & { readonly probe: ModelProbe | null })[];
}

export function register(program: Command, parts: CliParts): void {
  program
    .command('models')
    .description('list model servers and their models')
    .option('--probe', 'ask the model that would be used what it can do, and remember it')
    .action(async (flags: { readonly probe?: boolean }) => {
      try {
        if (flags.probe === true) await probe(parts);
        await list(parts);
      } catch (error) {
        throw await modelFailure(error, parts);
      }
    });
}

async function probe(parts: CliParts): Promise<void> {
  const { provider, model: found } = await openServer(parts);
  const model = found ?? (await chooseModel(provider, parts));
  const { err } = parts.screen;
  err.line(err.paint.dim(`Asking ${parts.core.visibleText(model.id)} on ${provider.host}`));
  await new Probes(parts.state).run(provider, model.id, parts.signal);
}

async function list(parts: CliParts): Promise<void> {
  const settings = parts.settings();
  const provider = createProvider(settings, parts.apiKey());
  const baseUrl = settings.provider === 'ollama' ? settings.ollamaBaseUrl : settings.openaiBaseUrl;
  const [configured, found] = await Promise.all([
    provider.models(parts.signal).catch((error: unknown) => {
      if (error instanceof ModelError) return error;
      throw error;
    }),
    findServers(parts.signal),
  ]);
  const known = found.find(({ host }) => host === provider.host);
  const others = found.filter((server) => server !== known);
  if (configured instanceof ModelError) {
    if (others.length === 0) throw configured;
    parts.log.warn(`${configured.message} ${asTyped(configured.remedy)}`);
  }
  const servers: readonly FoundServer[] = [
    ...(configured instanceof ModelError
      ? []
      : [{ name: known?.name ?? '', host: provider.host, baseUrl, models: configured }]),
    ...others,
  ];
  const probes = new Probes(parts.state);
  const listed: readonly Listed[] = await Promise.all(
    servers.map(async (server) => ({
      name: server.name,
      host: server.host,
      baseUrl: server.baseUrl,
      configured: server.host === provider.host,
      models: await Promise.all(
        server.models.map(async (model) => ({
          ...model,
          probe: await probes.read(server.host, model.id),
        })),
      ),
    })),
  );
  if (parts.json) parts.printJson({ servers: listed });
  else draw(listed, parts);
  if (listed.every(({ models }) => models.length === 0)) {
    throw new CliFailure(
      1,
      'no server has a model. Load one, for Ollama with: ollama pull qwen3:4b',
    );
  }
}

function draw(servers: readonly Listed[], parts: CliParts): void {
  const { out } = parts.screen;
  const name = (text: string) => parts.core.visibleText(text).replaceAll('\n', '\\n');
  for (const server of servers) {
    const about = [
      server.name,
      server.configured ? 'in the settings' : `--base-url ${server.baseUrl}`,
    ];
    out.line(
      `${out.paint.bold(server.host)}  ${out.paint.dim(about.filter((part) => part !== '').join(', '))}`,
    );
    const width = Math.max(0, ...server.models.map(({ id }) => name(id).length));
    for (const model of server.models) {
      out.line(`  ${name(model.id).padEnd(width)}  ${out.paint.dim(known(model))}`);
    }
    if (server.models.length === 0) out.line(out.paint.dim('  no models'));
  }
}

function known({ contextWindow, probe }: Listed['models'][number]): string {
  const window = probe?.contextWindow ?? contextWindow;
  const parts = [window === null ? 'window unknown' : `${tokens(window)} tokens`];
  if (probe) {
    parts.push(probe.nativeTools ? 'calls tools' : 'calls tools by text');
    if (probe.parallelTools) parts.push('several at once');
    if (probe.images) parts.push('sees images');
    if (!probe.streams) parts.push('answers in one piece');
  }
  return parts.join(', ');
}

/** As people say it: 8192 is 8k. */
export function tokens(count: number): string {
  return count >= 1024 && count % 1024 === 0 ? `${String(count / 1024)}k` : String(count);
}
