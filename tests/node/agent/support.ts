/** A session over a real folder, with a model that answers by a script. */
import assert from 'node:assert/strict';
import { mkdtemp, mkdir, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Contributor } from '../../../extension/agent/contributor.ts';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { AgentSession, type AgentSessionParts } from '../../../extension/agent/session.ts';
import { defaultSettings, type Settings } from '../../../extension/agent/settings.ts';
import { Blobs } from '../../../extension/agent/blobs.ts';
import { Changes } from '../../../extension/agent/changes.ts';
import { Copies } from '../../../extension/agent/copies.ts';
import { WorkspaceFiles } from '../../../extension/agent/files.ts';
import {
  ToolRefusal,
  type Arguments,
  type CardAnswer,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../../../extension/agent/tool.ts';
import { builtinTools } from '../../../extension/agent/tools/builtin.ts';
import { findRipgrep } from '../../../extension/agent/tools/ripgrep.ts';
import { Reads } from '../../../extension/agent/tools/workbench.ts';
import { createCore, type Card } from '../../../extension/core.ts';
import type {
  ChatDelta,
  ChatRequest,
  ModelInfo,
  Provider,
} from '../../../extension/models/provider.ts';
import { StateFolder } from '../../../extension/state.ts';

/** What the model does in one request. */
type Step =
  | readonly ChatDelta[]
  | ((request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatDelta>)
  | Error;

class ScriptedProvider implements Provider {
  readonly requests: ChatRequest[] = [];
  readonly host = 'test:1';
  loopback = true;
  window: number | null = 32_768;
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatDelta> {
    const step = this.#steps[Math.min(this.requests.length, this.#steps.length - 1)] ?? [];
    this.requests.push(structuredClone(request));
    if (step instanceof Error) throw step;
    if (typeof step === 'function') yield* step(request, signal);
    else for (const delta of step) yield delta;
  }

  models(): Promise<readonly ModelInfo[]> {
    return Promise.resolve([{ id: 'm', contextWindow: this.window }]);
  }

  /** The messages of the k-th request, each as `role: content` with calls. */
  drawn(k: number): readonly string[] {
    return (this.requests[k]?.messages ?? []).map((message) =>
      message.role === 'assistant' && message.toolCalls.length > 0
        ? `assistant: ${message.content}${message.toolCalls.map((c) => `[${c.name} ${c.arguments}]`).join('')}`
        : `${message.role}: ${message.content}`,
    );
  }
}

export function say(text: string): readonly ChatDelta[] {
  return [
    { type: 'text', text },
    { type: 'end', reason: 'stop' },
  ];
}

export function call(
  name: string,
  args: unknown,
  more: readonly ChatDelta[] = [],
): readonly ChatDelta[] {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return [
    { type: 'toolCall', index: 0, id: 'x', name, arguments: text.slice(0, 5) },
    { type: 'toolCall', index: 0, id: 'x', name: '', arguments: text.slice(5) },
    ...more,
    { type: 'end', reason: 'toolCalls' },
  ];
}

export function calls(...list: readonly (readonly [string, unknown])[]): readonly ChatDelta[] {
  return [
    ...list.map(([name, args], index): ChatDelta => ({
      type: 'toolCall',
      index,
      id: `x${index}`,
      name,
      arguments: JSON.stringify(args),
    })),
    { type: 'end', reason: 'toolCalls' },
  ];
}

export interface Bed {
  readonly session: AgentSession;
  readonly provider: ScriptedProvider;
  readonly events: RunEvent[];
  readonly cards: Card[];
  readonly folder: string;
  readonly storage: string;
  readonly log: string[];
  /** Settings can be changed between turns. */
  settings: Settings;
  read(name: string): Promise<string>;
  put(name: string, text: string | Uint8Array): Promise<void>;
  /** The last state of every line, as `verb object: state`. */
  lines(): readonly string[];
}

export interface BedOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  readonly settings?: Partial<Settings>;
  readonly contributors?: readonly Contributor[];
  /** Answers to cards, in order; the last one goes on. Missing: deny. */
  readonly answers?: readonly (CardAnswer | ((card: Card) => CardAnswer | Promise<CardAnswer>))[];
  readonly parts?: Partial<AgentSessionParts>;
  /** Settles once the model server is found, at the turn that is counted from 1. */
  readonly found?: (turn: number) => Promise<void>;
}

/** Runs `work` on a session in a fresh folder, and takes everything away again. */
export async function withBed(
  options: BedOptions,
  work: (bed: Bed) => Promise<void>,
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gbs-agent-')));
  const folder = join(root, 'workspace');
  await mkdir(folder);
  const put = async (name: string, text: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(options.files ?? {})) await put(name, text);
  const provider = new ScriptedProvider(options.steps);
  const events: RunEvent[] = [];
  const cards: Card[] = [];
  const log: string[] = [];
  const storage = join(root, 'storage');
  const note = (text: string): void => {
    log.push(text);
  };
  const bed: Bed = {
    provider,
    events,
    cards,
    folder,
    storage,
    log,
    put,
    settings: { ...defaultSettings, permissionMode: 'auto', ...options.settings },
    read: (name) => readFile(join(folder, name), 'utf8'),
    lines: () => {
      const last = new Map<string, string>();
      for (const event of events) {
        if (event.type !== 'line') continue;
        const { id, verb, object, state } = event.line;
        last.set(id, `${verb} ${object}: ${state}`);
      }
      return [...last.values()];
    },
    session: new AgentSession({
      core: createCore(),
      settings: () => bed.settings,
      provider: async () => {
        await options.found?.(events.filter((e) => e.type === 'turnStarted').length);
        return provider;
      },
      contributors: options.contributors ?? [],
      workspace: () => ({ folders: [folder], trusted: true, openFile: null }),
      ask: async (card) => {
        const answer = options.answers?.[Math.min(cards.length, options.answers.length - 1)];
        cards.push(card);
        if (answer === undefined) return { answer: 'deny' };
        return typeof answer === 'function' ? answer(card) : answer;
      },
      emit: (event) => {
        events.push(event);
      },
      state: new StateFolder(join(root, 'state')),
      log: { info: note, warn: note, error: note },
      environment: Object.fromEntries(
        Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
      ),
      platform: process.platform,
      storage,
      ...options.parts,
    }),
  };
  try {
    await work(bed);
  } finally {
    await bed.session.dispose();
    await rm(root, { recursive: true, force: true });
  }
}

/** The built-in tools over a real folder. */
export interface ToolBed {
  readonly tools: readonly Tool[];
  readonly files: WorkspaceFiles;
  readonly folder: string;
  readonly root: string;
  readonly events: RunEvent[];
  /** What was saved because a result was cut. */
  readonly saved: string[];
  chars: number;
  ripgrep: string | null;
  settings: Settings;
  read(name: string): Promise<string>;
  context(): ToolContext;
}

export async function withTools(
  files: Readonly<Record<string, string>>,
  work: (bed: ToolBed) => Promise<void>,
  /** Names of the workspace folders, side by side; the files stand from the first one on. */
  folders: readonly string[] = ['workspace'],
): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gbs-tools-')));
  const folder = join(root, 'workspace');
  await mkdir(folder);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const workspace = new WorkspaceFiles({
    folders: () => folders.map((name) => join(root, name)),
    readable: () => [],
    platform: process.platform,
  });
  const copies = new Copies(join(root, 'watched'), () => workspace.folders());
  const blobs = new Blobs(join(root, 'copies'));
  const changes = new Changes({ root: join(root, 'turns'), blobs, copies });
  const events: RunEvent[] = [];
  const saved: string[] = [];
  const bed: ToolBed = {
    folder,
    root,
    files: workspace,
    events,
    saved,
    chars: 20_000,
    ripgrep: null,
    settings: { ...defaultSettings, shell: process.platform === 'win32' ? '' : '/bin/sh' },
    read: (name) => readFile(join(folder, name), 'utf8'),
    context: () => ({
      signal: new AbortController().signal,
      callId: 'c',
      progress: () => undefined,
      save: (data) => {
        saved.push(String(data));
        return Promise.resolve('/saved.txt');
      },
    }),
    tools: builtinTools({
      core: createCore(),
      files: workspace,
      reads: new Reads(),
      changes,
      settings: () => bed.settings,
      environment: {
        PATH: process.env['PATH'] ?? '',
        VSCODE_X: 'editor',
        ELECTRON_RUN_AS_NODE: '1',
        KEPT: 'kept',
      },
      platform: process.platform,
      ripgrep: () => Promise.resolve(bed.ripgrep),
      resultChars: () => bed.chars,
      emit: (event) => {
        events.push(event);
      },
      diagnostics: () => Promise.resolve(''),
    }),
  };
  try {
    await work(bed);
  } finally {
    await copies.dispose();
    await rm(root, { recursive: true, force: true });
  }
}

/** What a call gives: its text, or `refused: …`. */
export async function ran(bed: ToolBed, name: string, args: Arguments): Promise<string> {
  return (await result(bed, name, args)).text.replaceAll(bed.folder, '/w');
}

async function result(bed: ToolBed, name: string, args: Arguments): Promise<ToolResult> {
  const tool: Tool | undefined = bed.tools.find((t) => t.name === name);
  assert.ok(tool);
  try {
    await tool.subject(args);
    return await tool.run(args, bed.context());
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    return { text: `refused: ${error.message}`, isError: true };
  }
}

/** The ripgrep of the editor that the end-to-end tests use, where it was set up; else one on PATH. */
export async function someRipgrep(): Promise<string | null> {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const beds = join(cache, 'gbs-agent', 'beds');
  const names = await readdir(beds).catch(() => []);
  const programs = names.map((name) =>
    join(
      beds,
      name,
      'node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin',
      `${process.platform}-${process.arch}`,
      'rg',
    ),
  );
  return findRipgrep(programs, { PATH: process.env['PATH'] ?? '' }, process.platform);
}
