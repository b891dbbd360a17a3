/**
 * Where the skills of the server come from: an object of five methods. A folder on this machine and a
 * git repository are two of them; `createSkillsServer({ provider })` takes any other.
 *
 * A provider is asked with valid ids and names alone (`ids.ts`) and answers null for what is not
 * there. What it throws ends the one call, with a warning.
 */

/** Differs whenever the file was changed. */
export interface Stamp {
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Bytes. */
  readonly size: number;
}

/** A file or folder in a skill. */
export interface SubdirEntry extends Stamp {
  /** One segment of a path. */
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

/** The bytes of a file; of one that has more than was asked for its size. */
export type FileBytes = Uint8Array | { readonly size: number };

export interface SkillProvider {
  /** The ids of all skills, in any order. An id is a folder's name. */
  list(): Promise<readonly string[]>;
  /** When the skill's SKILL.md changed last. It is asked before each read. */
  stat(id: string): Promise<Stamp | null>;
  /** The skill's SKILL.md, of at most `limit` bytes. */
  read(id: string, limit: number): Promise<FileBytes | null>;
  /**
   * What stands in a folder of the skill: `references`, `scripts` or `assets`, or any path below them
   * with `/`; empty for the skill's own folder.
   */
  listSubdir(id: string, folder: string): Promise<readonly SubdirEntry[] | null>;
  /** One file in such a folder, of at most `limit` bytes. */
  readSubfile(id: string, folder: string, name: string, limit: number): Promise<FileBytes | null>;
  /** Calls `changed` when something may have changed, until what it gives back is called. */
  watch?(changed: () => void): () => void;
  /** Ends what it holds. */
  close?(): Promise<void>;
}

/** The three folders of the format that the tools serve. */
export const subdirs = ['references', 'scripts', 'assets'] as const;
export type Subdir = (typeof subdirs)[number];
