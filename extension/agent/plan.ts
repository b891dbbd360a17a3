/**
 * What a run is made of, fixed until the next rebuild: the system prompt, the tools, what contributors
 * gave. With nothing contributed it is byte for byte what it would be without contributors.
 */
import type { Core, PromptTool, SystemPrompt } from '../core.ts';
import type { ToolDefinition } from '../models/provider.ts';
import type { Contribution } from './contributor.ts';
import { projectSchema } from './projection.ts';
import { ToolRegistry } from './registry.ts';
import { characters } from './tokens.ts';
import type { Tool } from './tool.ts';

export interface RunPlan {
  readonly prompt: SystemPrompt;
  readonly tools: readonly Tool[];
  /** As they are sent beside the messages; none for a model that takes no tools. */
  readonly definitions: readonly ToolDefinition[];
  /** Characters of prompt and definitions. */
  readonly characters: number;
  /** Names that clashed with a tool that was there first. */
  readonly withheld: readonly string[];
}

export interface PlanParts {
  readonly core: Core;
  readonly builtin: readonly Tool[];
  readonly contributions: readonly Contribution[];
  readonly environment: { readonly system: string; readonly shell: string };
  readonly folders: readonly string[];
  readonly contextWindow: number;
  readonly nativeTools: boolean;
  /** Tools the server refused. */
  readonly leftOut: ReadonlySet<string>;
}

export function planRun(parts: PlanParts): RunPlan {
  const registry = new ToolRegistry();
  const contributed = parts.contributions.flatMap((contribution) => contribution.tools);
  const withheld: string[] = [];
  for (const tool of [...parts.builtin, ...contributed]) {
    if (parts.leftOut.has(tool.name)) continue;
    if (!registry.register(tool)) withheld.push(tool.name);
  }
  const definitions = new Map(registry.list().map((tool) => [tool.name, definitionOf(tool)]));
  const prompt = parts.core.systemPrompt({
    environment: { ...parts.environment, folders: [...parts.folders] },
    tools: registry.list().map((tool): PromptTool => ({
      ...(definitions.get(tool.name) ?? definitionOf(tool)),
      origin: tool.origin.kind,
    })),
    nativeTools: parts.nativeTools,
    instructions: parts.contributions.flatMap((c) => [...(c.instructions ?? [])]),
    catalogue: parts.contributions
      .map((c) => c.catalogue)
      .filter((text) => text !== '')
      .join('\n\n'),
    servers: parts.contributions.flatMap((c) => [...c.servers]),
    contextWindow: parts.contextWindow,
  });
  const kept = new Set(prompt.tools);
  const tools = registry.list().filter((tool) => kept.has(tool.name));
  const sent = parts.nativeTools ? tools.flatMap((tool) => definitions.get(tool.name) ?? []) : [];
  const size = sent.reduce(
    (sum, tool) =>
      sum + characters(tool.name) + characters(tool.description) + characters(tool.parameters) + 70,
    characters(prompt.text),
  );
  return { prompt, tools, definitions: sent, characters: size, withheld };
}

export function definitionOf(tool: Tool): ToolDefinition {
  const { name, description } = tool;
  return { name, description, parameters: projectSchema(tool.parameters) };
}
