/** The settings as the agent sees them; the editor and the command line each fill them in. */
import type { Mode } from './events.ts';

export interface Settings {
  readonly provider: 'openai' | 'ollama' | 'vscode';
  /** Empty: the server's first. */
  readonly model: string;
  readonly subagentModel: string;
  readonly openaiBaseUrl: string;
  readonly ollamaBaseUrl: string;
  /** Tokens; 0 asks the server. */
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly maxSteps: number;
  readonly permissionMode: Mode;
  readonly commandTimeoutSeconds: number;
  readonly maxToolOutputChars: number;
  /** Empty: the user's own. */
  readonly shell: string;
  readonly skillsEnabled: boolean;
  readonly skillsPath: string;
  readonly skillsReadSharedFolders: boolean;
  /** JSON text of `gbsAgent.mcpServers`, from user scope only. */
  readonly mcpServers: string;
  readonly mcpEnabled: boolean;
  readonly mcpToolLoading: 'auto' | 'all' | 'search';
  /** Address of the user's client id metadata document, for signing in to servers; empty for none. */
  readonly mcpClientDocument: string;
  readonly mcpStartTimeoutSeconds: number;
  readonly mcpCallTimeoutSeconds: number;
  readonly selfConfiguration: boolean;
}

/** What the numbers may be, both ends included; the manifest says the same. */
export const ranges = {
  contextWindow: [0, 100_000_000],
  maxOutputTokens: [256, 10_000_000],
  temperature: [0, 2],
  maxSteps: [1, 1_000],
  commandTimeoutSeconds: [1, 86_400],
  maxToolOutputChars: [1_000, 1_000_000],
  mcpStartTimeoutSeconds: [1, 3_600],
  mcpCallTimeoutSeconds: [1, 600],
} as const satisfies Partial<Record<keyof Settings, readonly [number, number]>>;

export const providers: readonly Settings['provider'][] = ['openai', 'ollama', 'vscode'];
export const modes: readonly Mode[] = ['ask', 'acceptEdits', 'auto'];
export const toolLoadings: readonly Settings['mcpToolLoading'][] = ['auto', 'all', 'search'];

export const defaultSettings: Settings = {
  provider: 'openai',
  model: '',
  subagentModel: '',
  openaiBaseUrl: 'http://localhost:11434/v1',
  ollamaBaseUrl: 'http://localhost:11434',
  contextWindow: 0,
  maxOutputTokens: 8192,
  temperature: 0.2,
  maxSteps: 60,
  permissionMode: 'acceptEdits',
  commandTimeoutSeconds: 120,
  maxToolOutputChars: 20_000,
  shell: '',
  skillsEnabled: true,
  skillsPath: '~/.gbs/skills',
  skillsReadSharedFolders: true,
  mcpServers: '{}',
  mcpEnabled: true,
  mcpToolLoading: 'auto',
  mcpClientDocument: '',
  mcpStartTimeoutSeconds: 30,
  mcpCallTimeoutSeconds: 60,
  selfConfiguration: false,
};
