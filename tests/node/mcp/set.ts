/** What the tests of running servers share: a set of servers, calls, and a look at the processes. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createCore, type Core, type Era, type Root } from '../../../extension/core.ts';
import {
  noAuthorization,
  type HttpAuthorization,
} from '../../../extension/mcp/http-authorization.ts';
import type {
  ApprovedAddress,
  ApprovedProgram,
  ApprovedServer,
} from '../../../extension/mcp/plans.ts';
import { ServerSet, type CallEnd, type ServerState } from '../../../extension/mcp/servers.ts';

export const misbehaving = join(import.meta.dirname, '../../servers/misbehaving.mjs');
export const root = join(import.meta.dirname, '../../..');

/** A file of a package among the dependencies. */
export function packageFile(specifier: string): string {
  return createRequire(join(root, 'package.json')).resolve(specifier);
}

/** What a process needs to run, and nothing of this one's. */
export const smallEnvironment: Record<string, string> = { PATH: process.env.PATH ?? '' };

/** As what the plan makes: another server, another one. */
function digestOf(name: string, reached: string | readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([name, reached]))
    .digest('hex');
}

export function approved(
  name: string,
  argv: readonly string[],
  more: Partial<ApprovedProgram> = {},
): ApprovedProgram {
  const digest = digestOf(name, argv);
  return {
    kind: 'program',
    name,
    origin: 'repository',
    path: '/repo/.mcp.json',
    command: { file: process.execPath, argv, windowsVerbatim: false },
    cwd: root,
    env: smallEnvironment,
    startTimeoutMs: 45_000,
    callTimeoutMs: 45_000,
    fingerprint: digest,
    launch: digest,
    roots: false,
    ...more,
  };
}

/** A server at an address. */
export function approvedAddress(
  name: string,
  url: string,
  more: Partial<ApprovedAddress> = {},
): ApprovedAddress {
  const digest = digestOf(name, url);
  return {
    kind: 'address',
    name,
    origin: 'repository',
    path: '/repo/.mcp.json',
    url,
    shown: url,
    headers: [],
    secrets: [],
    sse: false,
    startTimeoutMs: 45_000,
    callTimeoutMs: 45_000,
    fingerprint: digest,
    launch: digest,
    roots: false,
    ...more,
  };
}

/** The misbehaving server in one of its modes. */
export function inMode(
  mode: string,
  more: Partial<ApprovedProgram> = {},
  flags: readonly string[] = [],
): ApprovedProgram {
  return approved(mode, [misbehaving, '--mode', mode, ...flags], more);
}

export interface TestSet {
  readonly core: Core;
  readonly set: ServerSet;
  readonly eras: Map<string, Era>;
  /** Starts these and gives the state of the first. */
  start(...servers: ApprovedServer[]): Promise<ServerState | null>;
  call(server: string, tool: string, args?: object, signal?: AbortSignal): Promise<CallEnd>;
  /** The text of a call that went well; else its end as JSON. */
  text(server: string, tool: string, args?: object): Promise<string>;
  readonly progress: string[];
  /** The folders that servers are told of; after a change `set.rootsChanged()`. */
  readonly roots: Root[];
}

export const never = new AbortController().signal;

/** A set for one test; ended with it. */
export function testSet(
  context: { after(act: () => Promise<void>): void },
  changedSince: (server: ApprovedServer) => Promise<string | null> = () => Promise.resolve(null),
  core: Core = createCore(),
  now: () => number = () => performance.now(),
  elicitation = false,
  authorization: HttpAuthorization = noAuthorization,
): TestSet {
  const eras = new Map<string, Era>();
  const progress: string[] = [];
  const roots: Root[] = [{ uri: 'file:///work', name: 'work' }];
  const set = new ServerSet({
    core,
    client: { name: 'gbs-agent', version: '0.1.0' },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    roots: () => roots,
    eras: {
      read: ({ fingerprint }) => Promise.resolve(eras.get(fingerprint) ?? null),
      write: ({ fingerprint }, era) => {
        eras.set(fingerprint, era);
        return Promise.resolve();
      },
    },
    changedSince,
    now,
    elicitation,
    authorization,
  });
  context.after(() => set.dispose());
  const call: TestSet['call'] = (server, tool, args = {}, signal = never) =>
    set.call(server, tool, JSON.stringify(args), {
      signal,
      progress: (words) => progress.push(words),
    });
  return {
    core,
    set,
    eras,
    progress,
    roots,
    call,
    start: async (...servers) => {
      await set.ensure(servers, never);
      return set.state(servers[0]?.name ?? '');
    },
    text: async (server, tool, args) => {
      const end = await call(server, tool, args);
      if (end.kind !== 'result') return JSON.stringify(end);
      return core.toolOutput(end.text, { server, tool, maxCharacters: 1 << 30 }).shown;
    },
  };
}

/** Processes whose environment says that they belong to a test; zombies are gone. */
export function processesOf(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(mark))
    .map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    // It ended meanwhile, or is somebody else's.
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}

export function alive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** What the tests need of `WebAssembly`, of which this project has no types. */
interface Wasm {
  Instance: new (...args: unknown[]) => {
    readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } };
  };
}

/** A core, and the bytes of its module's memory, which the package does not show. */
export function watched(): { readonly core: Core; readonly memory: () => number } {
  const wasm = Reflect.get(globalThis, 'WebAssembly') as Wasm;
  const { Instance } = wasm;
  const made: InstanceType<Wasm['Instance']>[] = [];
  wasm.Instance = new Proxy(Instance, {
    construct(target, args: unknown[]) {
      const instance = new target(...args);
      made.push(instance);
      return instance;
    },
  });
  const core = createCore();
  wasm.Instance = Instance;
  return { core, memory: () => made[0]?.exports.memory.buffer.byteLength ?? NaN };
}
