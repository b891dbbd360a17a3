/**
 * The skills MCP server as a function, `require('gbs-agent/skills-server')`: serves folders of skills, or
 * any other place that an object of five methods gives, to any MCP client.
 *
 * `create.ts` is held to these declarations by the compiler.
 */

/** When a file changed last, and how long it is. Differs whenever the file was changed. */
export interface Stamp {
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Bytes. */
  readonly size: number;
}

/** A file or a folder in a skill. */
export interface SubdirEntry extends Stamp {
  /** One segment of a path. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** The bytes of a file; of one that has more than was asked for, its size alone. */
export type FileBytes = Uint8Array | { readonly size: number };

/**
 * A place that skills come from. It is asked with valid ids and names alone and gives `null` for what is
 * not there. What it throws ends the one call, with a warning.
 */
export interface SkillProvider {
  /** The ids of all skills, in any order. An id is what a folder would be called. */
  list(): Promise<readonly string[]>;
  /** When the skill's SKILL.md changed last. It is asked before each read. */
  stat(id: string): Promise<Stamp | null>;
  /** The skill's SKILL.md, of at most `limit` bytes. */
  read(id: string, limit: number): Promise<FileBytes | null>;
  /** What stands in a folder of the skill, a path with `/`; empty for the skill's own folder. */
  listSubdir(id: string, folder: string): Promise<readonly SubdirEntry[] | null>;
  /** One file in such a folder, of at most `limit` bytes. */
  readSubfile(id: string, folder: string, name: string, limit: number): Promise<FileBytes | null>;
  /** Calls `changed` when something may have changed, until what it gives back is called. */
  watch?(changed: () => void): () => void;
  /** Ends what it holds. */
  close?(): Promise<void>;
}

/** Why something cannot be served, in a sentence or two. */
export interface SkillWarning {
  /** The skill's id; empty when it is about a whole provider. */
  readonly skill: string;
  readonly message: string;
}

export interface SkillsServerOptions {
  /** Folders of skills, first ones first. */
  readonly skillsRoot?: string | readonly string[];
  /** Other places skills come from; they come after the folders. */
  readonly provider?: SkillProvider | readonly SkillProvider[];
  /** Told once of each skill that cannot be served, and why. */
  readonly onWarning?: (warning: SkillWarning) => void;
  /** Told of what failed inside a connection; the connection itself goes on where it can. */
  readonly onError?: (error: Error) => void;
}

/** One client over this process's stdin and stdout; nothing else may be written to stdout then. */
export interface StdioOptions {
  readonly transport?: 'stdio';
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/** Any number of clients over HTTP, at the path `/mcp`. */
export interface HttpOptions {
  readonly transport: 'streamable-http';
  /** 127.0.0.1 unless told. */
  readonly host?: string;
  /** 8080 unless told; 0 for any that is free. */
  readonly port?: number;
  /** What clients send as `Authorization: Bearer …`; nobody is asked for one when missing. */
  readonly token?: string;
  /** Further values of `Host` that are served, beside this machine's own. */
  readonly allowHosts?: readonly string[];
  /** Further values of `Origin` that are served, beside this machine's own. */
  readonly allowOrigins?: readonly string[];
  /** Ends it: requests that run come to their end. */
  readonly signal?: AbortSignal;
  /** Called once clients can connect. */
  readonly onListening?: (url: string) => void;
}

export interface SkillsServer {
  /** Serves until the client ends (stdio) or the signal fires. A server runs once. */
  run(options?: StdioOptions | HttpOptions): Promise<void>;
}

/** Makes a server; nothing is read before it runs. */
export declare function createSkillsServer(options: SkillsServerOptions): SkillsServer;
