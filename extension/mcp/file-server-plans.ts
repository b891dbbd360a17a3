/**
 * Plans from the configuration files, the answers that were kept, and the questions that are due.
 *
 * How an approval is bound: what the card shows and what is launched are one frozen object, made
 * when the plan was read. No file is read, no program looked up and no variable filled in again to
 * make it. The disk is looked at again twice, after the answer and right before every start, and
 * both looks can only refuse: when a covered file, a link or the folder is no longer what the
 * fingerprint says, the user is asked about what is there now, or the start fails.
 */
import { posix, win32 } from 'node:path';
import type { Workspace } from '../agent/contributor.ts';
import { shownName } from '../agent/folder-names.ts';
import type { Settings } from '../agent/settings.ts';
import type { Ask } from '../agent/tool.ts';
import type { Card, ConfiguredServer, Core, IdleEntry, Problem } from '../core.ts';
import { day } from '../day.ts';
import { CONSENT_ROUNDS } from '../limits.ts';
import type { Log } from '../log.ts';
import { never } from '../never.ts';
import type { StateFolder } from '../state.ts';
import { readConfigFiles, userFiles } from './config-files.ts';
import type { CoveredFiles } from './covered-files.ts';
import { realDisk, type Disk } from './find-program.ts';
import {
  approvedFrom,
  foldersOf,
  Launchables,
  sameFiles,
  sameStart,
  type Folders,
  type Launchable,
} from './launchable.ts';
import type {
  ApprovedServer,
  PlannedServer,
  ServerAddress,
  ServerPlan,
  ServerPlans,
  Standing,
  UnusedServer,
} from './plans.ts';
import { hasAuthorization } from './secrets.ts';
import { ServerConsents, type Answered, type ConsentPlace } from './server-consents.ts';

export interface ServerPlansParts {
  readonly core: Core;
  readonly settings: () => Settings;
  readonly state: StateFolder;
  readonly log: Log;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly userHome: string;
  readonly now?: () => Date;
  readonly disk?: Disk;
}

/** What a planned server was read as; none where it cannot start. */
interface Candidate {
  readonly folders: Folders;
  readonly place: ConsentPlace;
  readonly launchable: Launchable | null;
}

export class FileServerPlans implements ServerPlans {
  readonly #parts: ServerPlansParts;
  readonly #consents: ServerConsents;
  readonly #now: () => Date;
  readonly #look: Launchables;
  readonly #candidates = new WeakMap<PlannedServer, Candidate>();
  readonly #approved = new WeakMap<ApprovedServer, { candidate: Candidate; from: Launchable }>();
  /** What is approved for each entry and launch, while this object lives; revoking takes it out. */
  readonly #launches = new Map<string, ApprovedServer>();
  #asking: Promise<unknown> = Promise.resolve();

  constructor(parts: ServerPlansParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => new Date());
    this.#consents = new ServerConsents(parts.state, this.#now);
    const { core, environment, platform, disk = realDisk } = parts;
    this.#look = new Launchables({
      core,
      environment,
      platform,
      disk,
      salt: (server) => this.#consents.salt(this.#place(server).folder),
    });
  }

  async read(workspace: Workspace): Promise<ServerPlan> {
    const { core, settings, userHome, platform } = this.#parts;
    const files = await readConfigFiles({
      folders: workspace.folders,
      setting: settings().mcpServers,
      userHome,
      platform,
    });
    const plan = core.planServers([...files.sources], this.#options(workspace.folders[0] ?? ''));
    const folders = await foldersOf(workspace.folders);
    const covered = this.#look.coveredFiles(folders);
    const servers: PlannedServer[] = [];
    for (const server of plan.servers) {
      servers.push(await this.#planned(server, workspace, folders, covered));
    }
    return {
      workspace,
      servers,
      shadowed: plan.shadowed.map(unused),
      disabled: plan.disabled.map(unused),
      problems: [...files.problems, ...plan.problems],
    };
  }

  approve(plan: ServerPlan, ask: Ask, signal: AbortSignal): Promise<readonly ApprovedServer[]> {
    // One after the other, whoever asks: the second then finds the answer to the first.
    const approved = this.#asking.then(async () => {
      const servers: ApprovedServer[] = [];
      if (!plan.workspace.trusted) return servers;
      for (const planned of plan.servers) {
        const candidate = this.#candidates.get(planned);
        if (candidate === undefined) continue;
        const server = await this.#approveOne(candidate, plan.running, ask, signal);
        if (server !== null) servers.push(server);
      }
      return servers;
    });
    this.#asking = approved.catch(() => null);
    return approved;
  }

  async adopt(
    workspace: Workspace,
    path: string,
    shown: Launchable,
  ): Promise<ApprovedServer | null> {
    const { servers } = await this.read(workspace);
    const planned = servers.find(
      (server) => server.path === path && server.name === shown.server.name,
    );
    const candidate = planned === undefined ? undefined : this.#candidates.get(planned);
    if (!workspace.trusted || candidate?.launchable == null) return null;
    const { launchable } = candidate;
    if (!sameStart(launchable, shown)) return null;
    // The user's own entries cover no files, but the yes to the card did.
    const isUsers = launchable.server.origin === 'user';
    const there = isUsers ? await this.#look.again(shown, candidate.folders) : launchable;
    if (!sameFiles(there, shown)) return null;
    const free = isFree(launchable.server);
    return this.#approvedServer(
      candidate,
      free ? launchable : await this.#keep(candidate, launchable),
    );
  }

  async changedSince(server: ApprovedServer): Promise<string | null> {
    const known = this.#approved.get(server);
    if (known === undefined) return 'It was not approved here.';
    if (!this.#launches.has(launchKey(known.candidate.place, server.launch))) {
      return 'You took its approval back.';
    }
    const now = await this.#look.again(known.from, known.candidate.folders);
    const { core } = this.#parts;
    const { changed } = core.compareConsent(known.from.consent, now.consent);
    if (changed.length === 0) return null;
    const lines = changed.flatMap(({ rows }) => rows.map(({ text }) => text));
    return `What it names changed since you approved it: ${lines.join(', ')}.`;
  }

  async revoke(workspace: Workspace, names: readonly string[] | null): Promise<readonly string[]> {
    const revoked = new Set<string>();
    for (const folder of this.#consentFolders(workspace)) {
      for (const key of await this.#consents.revoke(folder, chosen(names))) {
        revoked.add(nameOf(key));
      }
    }
    for (const [key, server] of this.#launches) {
      const from = this.#approved.get(server)?.from;
      const needsNone = from !== undefined && isFree(from.server);
      if (!needsNone && (names === null || names.includes(server.name))) this.#launches.delete(key);
    }
    return [...revoked].sort();
  }

  async forgetDeclined(workspace: Workspace, names: readonly string[] | null): Promise<void> {
    for (const folder of this.#consentFolders(workspace)) {
      await this.#consents.forgetDeclined(folder, chosen(names));
    }
  }

  check(path: string, text: string): readonly Problem[] {
    const { core, userHome, platform } = this.#parts;
    const { dirname, basename } = platform === 'win32' ? win32 : posix;
    const own = userFiles(userHome, platform).includes(path);
    const beside = dirname(path);
    const folder = basename(beside) === '.gbs' ? dirname(beside) : beside;
    const origin = own ? 'user' : 'repository';
    const plan = core.planServers([{ origin, path, text, folder }], this.#options(folder));
    return plan.problems.map(({ problem }) => problem);
  }

  /** The card as `approve` would ask it; null for a server that cannot start. */
  async card(planned: PlannedServer): Promise<Card | null> {
    const candidate = this.#candidates.get(planned);
    if (candidate?.launchable == null) return null;
    const { approved } = await this.#consents.answered(candidate.place);
    return this.#card(candidate.launchable, approved, candidate.folders);
  }

  /** What would be started; null for a server that cannot. */
  launchable(planned: PlannedServer): Launchable | null {
    return this.#candidates.get(planned)?.launchable ?? null;
  }

  #options(workspaceFolder: string): Parameters<Core['planServers']>[1] {
    const { environment, platform, userHome } = this.#parts;
    return { environment: { ...environment }, platform, workspaceFolder, userHome };
  }

  #consentFolders(workspace: Workspace): string[] {
    return [...new Set([...workspace.folders, this.#parts.userHome])];
  }

  async #planned(
    server: ConfiguredServer,
    workspace: Workspace,
    folders: Folders,
    covered: CoveredFiles,
  ): Promise<PlannedServer> {
    const place = this.#place(server);
    const found = await this.#look.find(server, covered);
    const candidate = { folders, place, launchable: 'launch' in found ? found : null };
    const planned: PlannedServer = {
      name: server.name,
      origin: server.origin,
      path: server.path,
      line: server.place.line,
      description: server.description,
      standing: await this.#standing(candidate, found, workspace.trusted),
      address: addressOf(server),
    };
    this.#candidates.set(planned, candidate);
    return planned;
  }

  async #standing(
    { place }: Candidate,
    found: Launchable | Standing,
    trusted: boolean,
  ): Promise<Standing> {
    if (!('launch' in found)) return found;
    if (!trusted) return { kind: 'untrusted' };
    return standingOf(found, await this.#consents.answered(place));
  }

  #place(server: ConfiguredServer): ConsentPlace {
    const { platform, userHome } = this.#parts;
    const { relative } = platform === 'win32' ? win32 : posix;
    switch (server.origin) {
      case 'repository': {
        const path = relative(server.workspaceFolder, server.path);
        return { folder: server.workspaceFolder, key: keyOf(path, server.name) };
      }
      case 'user':
      case 'agent':
        return { folder: userHome, key: keyOf(server.path, server.name) };
      default:
        return never(server.origin);
    }
  }

  async #approveOne(
    candidate: Candidate,
    running: ReadonlySet<string> | undefined,
    ask: Ask,
    signal: AbortSignal,
  ): Promise<ApprovedServer | null> {
    const { launchable, place } = candidate;
    if (launchable === null) return null;
    const kept = this.#launches.get(launchKey(place, launchable.launch));
    if (kept !== undefined && running?.has(kept.launch) === true) return kept;
    const standing = standingOf(launchable, await this.#consents.answered(place));
    switch (standing.kind) {
      case 'ready':
        return this.#approvedServer(candidate, launchable);
      case 'asks':
        return this.#ask(candidate, launchable, ask, signal);
      case 'declined':
      case 'unavailable':
      case 'untrusted':
        return null;
      default:
        return never(standing);
    }
  }

  /** Asks until the answer is about what is on the disk. */
  async #ask(
    candidate: Candidate,
    first: Launchable,
    ask: Ask,
    signal: AbortSignal,
  ): Promise<ApprovedServer | null> {
    let { approved } = await this.#consents.answered(candidate.place);
    let shown = first;
    for (let round = 0; round < CONSENT_ROUNDS; round++) {
      if (signal.aborted) return null;
      const { answer } = await ask(this.#card(shown, approved, candidate.folders), signal);
      if (answer === 'notNow' && !signal.aborted) await this.#decline(candidate.place, shown);
      if (answer !== 'allow' && answer !== 'allowSession') return null;
      const now = await this.#look.again(shown, candidate.folders);
      if (now.consent.fingerprint === shown.consent.fingerprint) {
        return this.#approvedServer(candidate, await this.#keep(candidate, shown));
      }
      // The next card shows what changed since this one.
      approved = { consent: shown.consent, at: '' };
      shown = now;
    }
    const { name } = first.server;
    this.#parts.log.warn(`${name} is not started: its files change while it is asked about.`);
    return null;
  }

  #card(launchable: Launchable, approved: Answered['approved'], folders: Folders): Card {
    const { core, platform } = this.#parts;
    const { server, facts } = launchable;
    return core.serverCard({
      server,
      facts,
      platform,
      before: approved?.consent ?? null,
      approvedOn: approved === null || approved.at === '' ? '' : day(approved.at, this.#now()),
      folderName: shownName(server.workspaceFolder, folders.named),
    });
  }

  /** Keeps a yes; gives the form that was kept. */
  async #keep(candidate: Candidate, shown: Launchable): Promise<Launchable> {
    const { place } = candidate;
    const kept = await this.#store(shown, () =>
      this.#consents.approve(place, shown.facts.salt, shown.consent),
    );
    if (kept) return shown;
    // Another window made the salt of this workspace; the same form is made with that one.
    const salted = await this.#look.again(shown, candidate.folders);
    await this.#store(salted, () =>
      this.#consents.approve(place, salted.facts.salt, salted.consent),
    );
    return salted;
  }

  async #decline(place: ConsentPlace, shown: Launchable): Promise<void> {
    await this.#store(shown, () => this.#consents.decline(place, shown.facts.salt, shown.consent));
  }

  /** An answer that cannot be kept holds for this time, and is asked again. */
  async #store({ server }: Launchable, keep: () => Promise<boolean>): Promise<boolean> {
    try {
      return await keep();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#parts.log.error(`The answer about ${server.name} could not be kept: ${why}`);
      return true;
    }
  }

  #approvedServer(candidate: Candidate, from: Launchable): ApprovedServer {
    const approved = approvedFrom(from, this.#parts.settings());
    this.#approved.set(approved, { candidate, from });
    this.#launches.set(launchKey(candidate.place, from.launch), approved);
    return approved;
  }
}

/** Nobody is asked about it: it is the user's own, in a place that only the user writes. */
function isFree({ origin, guarded }: ConfiguredServer): boolean {
  return origin === 'user' && !guarded;
}

function standingOf({ server, consent }: Launchable, { approved, declined }: Answered): Standing {
  if (isFree(server)) return { kind: 'ready' };
  if (approved?.consent.fingerprint === consent.fingerprint) {
    return consent.covered ? { kind: 'ready' } : { kind: 'asks', why: 'uncovered' };
  }
  if (declined === consent.fingerprint) return { kind: 'declined' };
  return { kind: 'asks', why: approved === null ? 'new' : 'changed' };
}

function unused({ name, origin, path, place, byName, byPath }: IdleEntry): UnusedServer {
  const by = byName === null || byPath === null ? null : { name: byName, path: byPath };
  return { name, origin, path, line: place.line, by };
}

/** No name holds a line break: the core refuses those. */
function keyOf(path: string, name: string): string {
  return `${path}\n${name}`;
}

function launchKey({ folder, key }: ConsentPlace, launch: string): string {
  return `${launch} ${folder}\n${key}`;
}

function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('\n') + 1);
}

function chosen(names: readonly string[] | null): (key: string) => boolean {
  return (key) => names === null || names.includes(nameOf(key));
}

function addressOf({ reach }: ConfiguredServer): ServerAddress | null {
  switch (reach.kind) {
    case 'program':
      return null;
    case 'address': {
      const { pieces } = reach.url;
      const shown = pieces.map(({ kind, text }) => (kind === 'brought' ? '••••••••' : text));
      return {
        url: pieces.map(({ text }) => text).join(''),
        shown: shown.join(''),
        ownAuthorization: hasAuthorization(reach.headers),
      };
    }
    default:
      return never(reach);
  }
}
