/** What a session is built from: each part small, handed in by the composition root or a test. */
import type { Card, Core } from '../core.ts';
import type { Log } from '../log.ts';
import type { Provider } from '../models/provider.ts';
import type { StateFolder } from '../state.ts';
import type { Contributor, Workspace } from './contributor.ts';
import type { Emit } from './events.ts';
import type { Settings } from './settings.ts';
import type { CardAnswer, Tool } from './tool.ts';

/** What a model can do, where somebody found out; null where nobody knows. */
export interface Abilities {
  readonly nativeTools: boolean | null;
  readonly images: boolean | null;
}

export interface AgentSessionParts {
  readonly core: Core;
  /** Read at the start of every turn, the mode at every call. */
  readonly settings: () => Settings;
  /**
   * Asked at the start of every turn, so that a changed setting holds from the next message on. A
   * promise while it is still being looked for: the message stands in the chat meanwhile.
   */
  readonly provider: () => Provider | Promise<Provider>;
  readonly contributors: readonly Contributor[];
  readonly workspace: () => Workspace;
  /**
   * Shows a card and gives the answer. `id` is that of the `card` event, which was emitted just
   * before; the event `answered` follows by itself. When the signal fires the session goes on
   * without waiting for the answer.
   */
  readonly ask: (card: Card, signal: AbortSignal, id: string) => Promise<CardAnswer>;
  readonly emit: Emit;
  readonly state: StateFolder;
  readonly log: Log;
  /** Of this process; children get it without the editor's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  /** Absolute folder for snapshots and saved outputs; made when first written to. */
  readonly storage: string;
  /** Where ripgrep may stand, best first; PATH is looked at after these. */
  readonly ripgrep?: readonly string[];
  readonly abilities?: (model: string) => Abilities;
  /** More tools that are always there, such as the editor's. */
  readonly tools?: readonly Tool[];
  /** Errors that the language servers newly report for these files after an edit; empty for none. */
  readonly diagnostics?: (paths: readonly string[], signal: AbortSignal) => Promise<string>;
}
