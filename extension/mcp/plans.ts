/**
 * Which MCP servers a workspace has, which of them may start, and exactly what would be started.
 *
 * In: the configuration files of all precedence levels and the user's answers. Out: for each server
 * that may start one frozen `ApprovedServer`, which is the very thing that is launched. Deliberately
 * not here: processes and the protocol.
 */
import type { ConfigOrigin, Problem } from '../core.ts';
import type { Workspace } from '../agent/contributor.ts';
import type { Ask } from '../agent/tool.ts';
import type { Launchable } from './launchable.ts';

export { FileServerPlans } from './file-server-plans.ts';

/** What every server that may start has. */
interface Approved {
  /** As written in the file. */
  readonly name: string;
  readonly origin: ConfigOrigin;
  /** Absolute path of the file it is written in, `gbsAgent.mcpServers`, or `this session`. */
  readonly path: string;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** What was approved, as SHA-256 in hex: the key of pins and eras. A rotated secret keeps it. */
  readonly fingerprint: string;
  /** SHA-256 of the exact launch (command, folder, environment, or address and headers): when it differs from what runs, restart. */
  readonly launch: string;
  /** True when the entry says `roots: true`. */
  readonly roots: boolean;
}

/** A program that may be started. */
export interface ApprovedProgram extends Approved {
  readonly kind: 'program';
  /** For `spawn(file, argv, { windowsVerbatimArguments: windowsVerbatim, shell: false })`. */
  readonly command: {
    readonly file: string;
    readonly argv: readonly string[];
    readonly windowsVerbatim: boolean;
  };
  readonly cwd: string;
  /** The complete environment of the process; nothing is inherited beside it. */
  readonly env: Readonly<Record<string, string>>;
}

/** An address that may be called. */
export interface ApprovedAddress extends Approved {
  readonly kind: 'address';
  readonly url: string;
  /** The same without the values of variables, for people. */
  readonly shown: string;
  /** Headers of every request, as the entry has them. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Values that are nobody's to read again. */
  readonly secrets: readonly string[];
  /** The entry says that it speaks the older transport. */
  readonly sse: boolean;
}

/** A server that may start. Everything a launch needs stands in it; nothing is looked up again. */
export type ApprovedServer = ApprovedProgram | ApprovedAddress;

/** How a planned server stands. */
export type Standing =
  /** It starts without a question. */
  | { readonly kind: 'ready' }
  /** It starts only after a yes. `uncovered`: a file it names cannot be covered, so it asks every time. */
  | { readonly kind: 'asks'; readonly why: 'new' | 'changed' | 'uncovered' }
  /** The user said not now; asks again when something changes or after a reload. */
  | { readonly kind: 'declined' }
  /** It cannot start: the fact and cause, then what to do. */
  | {
      readonly kind: 'unavailable';
      readonly code: string;
      readonly message: string;
      readonly remedy: string;
    }
  /** The workspace is not trusted. */
  | { readonly kind: 'untrusted' };

export interface PlannedServer {
  readonly name: string;
  readonly origin: ConfigOrigin;
  readonly path: string;
  /** Line of its name in the file, from 1. */
  readonly line: number;
  readonly description: string;
  readonly standing: Standing;
  /** Where it is called, for a server that is reached by a url; null for a program. */
  readonly address: ServerAddress | null;
}

export interface ServerAddress {
  /** With its variables filled in: some may bring secrets. */
  readonly url: string;
  /** The same for people: what variables brought is masked. */
  readonly shown: string;
  /** The entry has an `Authorization` header: that is what is sent, whoever is signed in. */
  readonly ownAuthorization: boolean;
}

/** An entry that another one of higher precedence replaces, or that is switched off. */
export interface UnusedServer {
  readonly name: string;
  readonly origin: ConfigOrigin;
  readonly path: string;
  readonly line: number;
  /** The entry that stands in its place, or null when it is only switched off. */
  readonly by: { readonly name: string; readonly path: string } | null;
}

/** A finding about a configuration file. */
export interface ConfigurationProblem {
  readonly path: string;
  /** The entry it is about, or null when it is about the file. */
  readonly server: string | null;
  readonly problem: Problem;
}

export interface ServerPlan {
  readonly workspace: Workspace;
  /** In the order of precedence, lowest first, then as written. */
  readonly servers: readonly PlannedServer[];
  readonly shadowed: readonly UnusedServer[];
  readonly disabled: readonly UnusedServer[];
  readonly problems: readonly ConfigurationProblem[];
  /**
   * `ApprovedServer.launch` of those that run, for `approve`: nothing is started there, so nothing is
   * asked, though a file that such a server names has changed since. None when absent.
   */
  readonly running?: ReadonlySet<string>;
}

export interface ServerPlans {
  /** Reads the files of all levels and says how each server stands. Starts and asks nothing. */
  read(workspace: Workspace): Promise<ServerPlan>;
  /** Asks where needed, one card after the other. Gives the servers that may start. */
  approve(plan: ServerPlan, ask: Ask, signal: AbortSignal): Promise<readonly ApprovedServer[]>;
  /**
   * To be called immediately before every start, first and later ones: compares the files that the
   * approval covers with what was approved. Null, or what changed, in a sentence; then it must not
   * start, and the next `read` asks. It can only refuse: what is launched stays the approved object.
   */
  changedSince(server: ApprovedServer): Promise<string | null>;
  /**
   * Takes back what was approved: these servers, or all. Gives back the names that were approved. Who
   * runs them stops them.
   */
  revoke(workspace: Workspace, names: readonly string[] | null): Promise<readonly string[]>;
  /** Forgets "not now" for these servers, or all: they are asked about again. */
  forgetDeclined(workspace: Workspace, names: readonly string[] | null): Promise<void>;
  /**
   * After a server that a card showed was written to the file at `path`: keeps that yes for the entry,
   * if it would start what the card showed, with the files as they were then. Null where it would not,
   * or the workspace is not trusted.
   */
  adopt(workspace: Workspace, path: string, shown: Launchable): Promise<ApprovedServer | null>;
  /** Findings in a configuration file as it stands in an editor, which may differ from the disk. */
  check(path: string, text: string): readonly Problem[];
}
