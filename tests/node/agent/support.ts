/** A session over a real folder, with a model that answers by a script. */
import { mkdtemp, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Contributor } from '../../../extension/agent/contributor.ts';
import type { RunEvent } from '../../../extension/agent/events.ts';
import { AgentSession, type AgentSessionParts } from '../../../extension/agent/session.ts';
import { defaultSettings, type Settings } from '../../../extension/agent/settings.ts';
import type { CardAnswer } from '../../../extension/agent/tool.ts';
import { createCore, type Card } from '../../../extension/core.ts';
import type {
  ChatDelta,
  ChatRequest,
  ModelInfo,
  Provider,
} from '../../../extension/models/provider.ts';
import { StateFolder } from '../../../extension/state.ts';

/** What the model does in one request. */
export type Step =
  | readonly ChatDelta[]
  | ((request: ChatRequest, signal: AbortSignal) => AsyncIterable<ChatDelta>)
  | Error;

export class ScriptedProvider implements Provider {
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
      provider: () => provider,
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
