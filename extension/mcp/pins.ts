/**
 * What a server said of its tools when the user first used them, against what it says now.
 *
 * The first list that a run fixes is pinned without a question: the server itself was approved then.
 * What is new or different later waits until its difference is approved. Pins are kept by the
 * server's fingerprint and by what we tell it that we can do, since a server may offer other tools to
 * other clients.
 */
import { createHash } from 'node:crypto';
import type { Card, Core, PinnedTools, ToolDefinition } from '../core.ts';
import { MAX_PINS } from '../limits.ts';
import type { StateFolder } from '../state.ts';
import type { ServerTools } from './connection.ts';
import type { ApprovedServer } from './plans.ts';

/** A tool that waits, and why. */
interface WithheldTool {
  readonly name: string;
  /** In our words: "is new", "its description changed". */
  readonly why: string;
}

export interface Compared {
  /** What may be used, as it was pinned. */
  readonly tools: readonly ToolDefinition[];
  readonly instructions: string;
  readonly withheld: readonly WithheldTool[];
  /** The question, unless it was answered with "not now" for this very change. */
  readonly card: Card | null;
  /** There was no pin, and none was made yet. */
  readonly first: boolean;
}

interface Pin {
  readonly pinned: PinnedTools;
  /** Digest of an account that the user did not want to decide about. */
  readonly declined: string | null;
  /** For forgetting the oldest. */
  readonly at: number;
}

export class Pins {
  readonly #core: Core;
  readonly #state: StateFolder;
  readonly #elicitation: boolean;
  readonly #now: () => Date;
  /** Of servers that last for the session: in another one they have another fingerprint. */
  readonly #ofSession = new Map<string, Pin>();

  /** `elicitation`: servers are told that they can ask the user. */
  constructor(
    core: Core,
    state: StateFolder,
    elicitation = false,
    now: () => Date = () => new Date(),
  ) {
    this.#core = core;
    this.#state = state;
    this.#elicitation = elicitation;
    this.#now = now;
  }

  /** Compares what the server offers with its pin. */
  async compare(folder: string, server: ApprovedServer, offer: ServerTools): Promise<Compared> {
    const now = account(server, offer);
    const pin = await this.#read(folder, server, now);
    if (pin === null) {
      return {
        tools: offer.tools,
        instructions: now.instructions,
        withheld: [],
        card: null,
        first: true,
      };
    }
    const drift = this.#core.compareTools(pin.pinned, now);
    const changed = new Map(drift.changes.map((change) => [change.tool, change.parts]));
    const pinned = new Map(pin.pinned.tools.map((tool) => [tool.name, tool]));
    return {
      tools: offer.tools
        .filter((tool) => !changed.has(tool.name))
        .map((tool) => pinned.get(tool.name) ?? tool),
      instructions: pin.pinned.instructions,
      withheld: drift.changes.map(({ tool, parts }) => ({ name: tool, why: whyWithheld(parts) })),
      card: pin.declined === digest(now) ? null : drift.card,
      first: false,
    };
  }

  /** What the server offers now is what the user wants. Tools that are gone stay pinned. */
  async pin(folder: string, server: ApprovedServer, offer: ServerTools): Promise<void> {
    const now = account(server, offer);
    const before = await this.#read(folder, server, now);
    const offered = new Set(now.tools.map((tool) => tool.name));
    const gone = before?.pinned.tools.filter((tool) => !offered.has(tool.name)) ?? [];
    const approvedOn = this.#now().toLocaleDateString('en-GB', {
      day: 'numeric',
      month: 'long',
      year: 'numeric',
    });
    const pinned = { ...now, approvedOn, tools: [...now.tools, ...gone] };
    await this.#write(folder, server, { pinned, declined: null, at: this.#now().getTime() });
  }

  /** The user wants to decide later; asked again when something else changes. */
  async decline(folder: string, server: ApprovedServer, offer: ServerTools): Promise<void> {
    const now = account(server, offer);
    const before = await this.#read(folder, server, now);
    if (before !== null) await this.#write(folder, server, { ...before, declined: digest(now) });
  }

  /** After a reload: asks again what was put off. */
  async forgetDeclined(folder: string): Promise<void> {
    for (const [key, pin] of this.#ofSession) this.#ofSession.set(key, { ...pin, declined: null });
    await this.#state.update(folder, 'pins', (all) =>
      Object.fromEntries(
        Object.entries(all).map(([key, pin]) => [
          key,
          isPin(pin) ? { ...pin, declined: null } : pin,
        ]),
      ),
    );
  }

  /** The fingerprint, and the capabilities that we declare to this server. */
  #key(server: ApprovedServer): string {
    const roots = server.roots ? 'roots' : 'plain';
    return `${server.fingerprint} ${roots}${this.#elicitation ? ' asks' : ''}`;
  }

  async #read(folder: string, server: ApprovedServer, now: PinnedTools): Promise<Pin | null> {
    const key = this.#key(server);
    const kept =
      server.origin === 'agent'
        ? this.#ofSession.get(key)
        : (await this.#state.read(folder, 'pins'))[key];
    if (!isPin(kept)) return null;
    try {
      this.#core.compareTools(kept.pinned, now);
      return kept;
    } catch (error) {
      // A damaged pin is no pin.
      if (error instanceof Error && 'code' in error && error.code === 'INVALID_ARGUMENT') {
        return null;
      }
      throw error;
    }
  }

  async #write(folder: string, server: ApprovedServer, pin: Pin): Promise<void> {
    if (server.origin === 'agent') {
      this.#ofSession.set(this.#key(server), pin);
      return;
    }
    await this.#state.update(folder, 'pins', (before) => {
      const all = Object.entries({ ...before, [this.#key(server)]: pin });
      const newest = all.sort(([, a], [, b]) => timeOf(b) - timeOf(a)).slice(0, MAX_PINS);
      return Object.fromEntries(newest);
    });
  }
}

function account(server: ApprovedServer, { peer, tools }: ServerTools): PinnedTools {
  return {
    server: server.name,
    version: peer.version,
    approvedOn: '',
    instructions: peer.instructions,
    tools: [...tools],
  };
}

function digest(now: PinnedTools): string {
  return createHash('sha256').update(JSON.stringify(now)).digest('hex');
}

function isPin(value: unknown): value is Pin {
  return typeof value === 'object' && value !== null && 'pinned' in value && 'declined' in value;
}

function timeOf(pin: unknown): number {
  return isPin(pin) && typeof pin.at === 'number' ? pin.at : 0;
}

/** In our words, as the end of a sentence. */
export function whyWithheld(parts: readonly string[]): string {
  if (parts.includes('new')) return 'it is new';
  const names: Readonly<Record<string, string>> = {
    title: 'title',
    description: 'description',
    input: 'input',
    hints: 'hints',
  };
  return `its ${parts.map((part) => names[part] ?? part).join(', ')} changed`;
}
