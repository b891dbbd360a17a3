/**
 * `gbsAgent.*` of the editor → `Settings`.
 *
 * What says what may run or where data goes is read from the user's own settings alone: a repository
 * can bring workspace settings, and not every editor built on VS Code enforces scopes. A workspace
 * can switch a few things off, and nothing on. A value of the wrong type counts as absent and is
 * reported by name.
 */
import {
  defaultSettings,
  modes,
  providers,
  ranges,
  toolLoadings,
  type Settings,
} from './agent/settings.ts';

/** What `WorkspaceConfiguration.inspect` gives, as far as it is used. */
export interface Inspection {
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Looks one setting up; `key` is without `gbsAgent.`. */
export type Inspect = (key: string) => Inspection | undefined;

export interface SettingsRead {
  readonly settings: Settings;
  /** One sentence for each value that cannot be used. */
  readonly problems: readonly string[];
}

export function readSettings(inspect: Inspect): SettingsRead {
  const problems: string[] = [];

  function own<T>(key: string, fallback: T, wanted: string, take: (value: unknown) => T | null): T {
    const value = inspect(key)?.globalValue;
    if (value === undefined) return fallback;
    const taken = take(value);
    if (taken !== null) return taken;
    problems.push(`The setting gbsAgent.${key} must be ${wanted}; its default is used.`);
    return fallback;
  }
  const text = (key: string, fallback: string): string =>
    own(key, fallback, 'a text', (value) => (typeof value === 'string' ? value.trim() : null));
  const number = (
    key: string,
    fallback: number,
    [least, most]: readonly [number, number],
    kind: 'whole number' | 'number' = 'whole number',
  ): number =>
    own(key, fallback, `a ${kind} from ${least} to ${most}`, (value) =>
      typeof value === 'number' &&
      value >= least &&
      value <= most &&
      (kind === 'number' || Number.isInteger(value))
        ? value
        : null,
    );
  const flag = (key: string, fallback: boolean): boolean =>
    own(key, fallback, 'true or false', (value) => (typeof value === 'boolean' ? value : null));
  const choice = <T extends string>(key: string, fallback: T, choices: readonly T[]): T =>
    own(
      key,
      fallback,
      `one of ${choices.join(', ')}`,
      (value) => choices.find((choice) => choice === value) ?? null,
    );
  /** True only where the user has it on and no workspace has it off. */
  const unlessOff = (key: string, fallback: boolean): boolean => {
    const found = inspect(key);
    return (
      flag(key, fallback) &&
      found?.workspaceValue !== false &&
      found?.workspaceFolderValue !== false
    );
  };

  const of = defaultSettings;
  const settings: Settings = {
    ...of,
    provider: choice('provider', of.provider, providers),
    model: text('model', of.model),
    subagentModel: text('subagentModel', of.subagentModel),
    openaiBaseUrl: text('openai.baseUrl', of.openaiBaseUrl) || of.openaiBaseUrl,
    ollamaBaseUrl: text('ollama.baseUrl', of.ollamaBaseUrl) || of.ollamaBaseUrl,
    contextWindow: number('contextWindow', of.contextWindow, ranges.contextWindow),
    maxOutputTokens: number('maxOutputTokens', of.maxOutputTokens, ranges.maxOutputTokens),
    temperature: number('temperature', of.temperature, ranges.temperature, 'number'),
    maxSteps: number('maxSteps', of.maxSteps, ranges.maxSteps),
    permissionMode: choice('permissionMode', of.permissionMode, modes),
    commandTimeoutSeconds: number(
      'commandTimeoutSeconds',
      of.commandTimeoutSeconds,
      ranges.commandTimeoutSeconds,
    ),
    maxToolOutputChars: number(
      'maxToolOutputChars',
      of.maxToolOutputChars,
      ranges.maxToolOutputChars,
    ),
    shell: text('shell', of.shell),
    skillsEnabled: unlessOff('skills.enabled', of.skillsEnabled),
    skillsPath: text('skillsPath', of.skillsPath) || of.skillsPath,
    skillsReadSharedFolders: unlessOff('skills.readSharedFolders', of.skillsReadSharedFolders),
    mcpServers: own('mcpServers', of.mcpServers, 'an object of servers by name', (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? JSON.stringify(value, null, 2)
        : null,
    ),
    mcpEnabled: unlessOff('mcp.enabled', of.mcpEnabled),
    mcpToolLoading: choice('mcp.toolLoading', of.mcpToolLoading, toolLoadings),
    mcpClientDocument: text('mcp.clientDocument', of.mcpClientDocument),
    mcpStartTimeoutSeconds: number(
      'mcp.startTimeoutSeconds',
      of.mcpStartTimeoutSeconds,
      ranges.mcpStartTimeoutSeconds,
    ),
    mcpCallTimeoutSeconds: number(
      'mcp.callTimeoutSeconds',
      of.mcpCallTimeoutSeconds,
      ranges.mcpCallTimeoutSeconds,
    ),
    selfConfiguration: flag('selfConfiguration', of.selfConfiguration),
  };
  return { settings, problems };
}
