/**
 * Servers that the agent asks for and no file names: they last for the session.
 *
 * In: the arguments of `mcp_connect`. Out: the question about it, and after a yes the frozen server
 * that is launched. What the question shows, what is approved and what is launched are one object.
 * Deliberately not here: running it, and keeping it in a file.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Workspace } from '../agent/contributor.ts';
import type { Settings } from '../agent/settings.ts';
import { ToolRefusal, type Arguments } from '../agent/tool.ts';
import type { Core, ServerQuestion } from '../core.ts';
import { tildePath } from '../skills/sources.ts';
import { readConfigFiles } from './config-files.ts';
import { realDisk, type Disk } from './find-program.ts';
import {
  approvedFrom,
  foldersOf,
  Launchables,
  type Folders,
  type Launchable,
} from './launchable.ts';
import type { ApprovedServer } from './plans.ts';

export interface SessionServersParts {
  readonly core: Core;
  readonly settings: () => Settings;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly workspace: () => Workspace;
  readonly disk?: Disk;
}

/** Where such a server is said to come from. */
export const SESSION = 'this session';

/** The files that a server can be kept in, absolute. */
export interface KeepFiles {
  readonly user: string;
  readonly project: string;
  /** Of the project's file. */
  readonly folder: string;
}

/** A server that may be asked about. */
export interface Proposal {
  readonly question: ServerQuestion;
  readonly shown: Launchable;
  readonly folders: Folders;
  /** The entry as a file would hold it. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Null where a file would not mean the same. */
  readonly keep: KeepFiles | null;
}

export class SessionServers {
  readonly #parts: SessionServersParts;
  readonly #look: Launchables;
  readonly #salt = randomBytes(32).toString('hex');
  readonly #granted = new Map<
    string,
    { readonly server: ApprovedServer; readonly from: Proposal }
  >();

  constructor(parts: SessionServersParts) {
    this.#parts = parts;
    const { core, environment, platform, disk = realDisk } = parts;
    const salt = (): Promise<string> => Promise.resolve(this.#salt);
    this.#look = new Launchables({ core, environment, platform, disk, salt });
  }

  /** What would be started. Throws `ToolRefusal`, with words for the model. */
  async propose(name: string, args: Arguments): Promise<Proposal> {
    const { core, environment, platform, userHome, settings } = this.#parts;
    const workspace = this.#parts.workspace();
    if (!workspace.trusted) {
      throw new ToolRefusal('The user has not trusted this workspace, so no server starts here.');
    }
    if (this.#granted.has(name)) throw new ToolRefusal(taken(name, 'by a server of this session'));
    const entry = entryOf(args);
    const [folder = ''] = workspace.folders;
    const text = `{"mcpServers":{${JSON.stringify(name)}:${JSON.stringify(entry)}}}`;
    const asked = { origin: 'agent' as const, path: SESSION, text, folder };
    const { folders: named } = workspace;
    const setting = settings().mcpServers;
    const { sources } = await readConfigFiles({ folders: named, setting, userHome, platform });
    const options = {
      environment: { ...environment },
      platform,
      workspaceFolder: folder,
      userHome,
    };
    const plan = core.planServers([asked, ...sources], options);
    const shadowed = plan.shadowed.find(({ path }) => path === SESSION);
    if (shadowed !== undefined)
      throw new ToolRefusal(taken(name, `by one in ${shadowed.byPath ?? ''}`));
    const server = plan.servers.find(({ path }) => path === SESSION);
    if (server === undefined) {
      const found = plan.problems.filter(({ path }) => path === SESSION);
      const words = found.map(({ problem }) => problem.message).join(' ');
      throw new ToolRefusal(words === '' ? 'This is not a server.' : words);
    }
    const folders = await foldersOf(named);
    const shown = await this.#look.find(server, this.#look.coveredFiles(folders));
    if (!('launch' in shown)) throw new ToolRefusal(`${shown.message} ${shown.remedy}`);
    const keep = keepFiles(entry, folder, userHome);
    const question: ServerQuestion = {
      server: shown.server,
      facts: shown.facts,
      platform,
      before: null,
      approvedOn: '',
      keep:
        keep === null
          ? null
          : {
              user: tildePath(keep.user, userHome),
              project: keep.project.slice(folder.length + 1),
            },
    };
    return { question, shown, folders, entry, keep };
  }

  /** After a yes: it may start, until it is taken away. */
  grant(from: Proposal): ApprovedServer {
    const server = approvedFrom(from.shown, this.#parts.settings());
    this.#granted.set(server.name, { server, from });
    return server;
  }

  /** False when there was none. */
  remove(name: string): boolean {
    return this.#granted.delete(name);
  }

  /** Takes the yes to these servers back, or to all; the names of those that had one. */
  revoke(names: readonly string[] | null): readonly string[] {
    const granted = [...this.#granted.keys()];
    return granted.filter((name) => (names === null || names.includes(name)) && this.remove(name));
  }

  /** In the order in which they were allowed. */
  list(): readonly ApprovedServer[] {
    return [...this.#granted.values()].map(({ server }) => server);
  }

  get(name: string): ApprovedServer | null {
    return this.#granted.get(name)?.server ?? null;
  }

  /** See `ServerPlans.changedSince`. */
  async changedSince(server: ApprovedServer): Promise<string | null> {
    const known = this.#granted.get(server.name);
    if (known?.server !== server) return 'It was disconnected.';
    if (!this.#parts.workspace().trusted) return 'You have not trusted this folder.';
    const { shown, folders } = known.from;
    const now = await this.#look.again(shown, folders);
    return now.consent.fingerprint === shown.consent.fingerprint
      ? null
      : 'What it names changed since you allowed it.';
  }
}

function taken(name: string, where: string): string {
  return `The name ${JSON.stringify(name)} is taken ${where}. Give the name alone to start that server, or choose another name.`;
}

/** What a file would hold of the call: nothing but what says how it is started. */
function entryOf(args: Arguments): Readonly<Record<string, unknown>> {
  const fields = ['command', 'args', 'env', 'cwd', 'url', 'headers'].filter(
    (field) => !isAbsent(args[field]),
  );
  return Object.fromEntries(fields.map((field) => [field, args[field]]));
}

/** Small models fill in every field that they see. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** In a file `${…}` and `$<…>` are filled in, and here they are not. */
function keepFiles(
  entry: Readonly<Record<string, unknown>>,
  folder: string,
  userHome: string,
): KeepFiles | null {
  if (folder === '' || /\$[{<]/u.test(JSON.stringify(entry))) return null;
  const own = join(folder, '.gbs', 'mcp.json');
  return {
    user: join(userHome, '.gbs', 'mcp.json'),
    project: existsSync(own) ? own : join(folder, '.mcp.json'),
    folder,
  };
}
