/** The two clients under comparison, each as the same three things: start, call, end. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Core, Era } from '../../extension/core.ts';
import type { ApprovedServer } from '../../extension/mcp/plans.ts';
import { ServerSet } from '../../extension/mcp/servers.ts';

/** The repository: the bench runs in it. */
const root = process.cwd();

/** Script and arguments of each server that is measured against. */
export const scripts = {
  everything: [publicServer('everything'), 'stdio'],
  filesystem: [publicServer('filesystem'), root],
  memory: [publicServer('memory')],
  thinking: [publicServer('sequential-thinking')],
  small: [join(root, 'tests', 'servers', 'misbehaving.mjs')],
} as const;

export type ServerName = keyof typeof scripts;

function publicServer(name: string): string {
  const file = `@modelcontextprotocol/server-${name}/dist/index.js`;
  return createRequire(join(root, 'package.json')).resolve(file);
}

/** What every server of the bench gets: the same for both clients. */
const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** A client with one server connected, whose tools it has listed. */
export interface Connected {
  /** Calls a tool; resolves with its result as a value. */
  call(tool: string, args: object): Promise<unknown>;
  end(): Promise<void>;
}

export type Connect = (server: ServerName) => Promise<Connected>;

const unstopped = new AbortController().signal;
const none = (): void => undefined;

/** `eras` as the agent keeps it: a server that was there before is not probed again. */
function emptySet(core: Core, eras: Map<string, Era>): ServerSet {
  return new ServerSet({
    core,
    client: { name: 'bench', version: '1' },
    log: { info: none, warn: none, error: none },
    roots: () => [],
    eras: {
      read: ({ fingerprint }) => Promise.resolve(eras.get(fingerprint) ?? null),
      write: ({ fingerprint }, era) => {
        eras.set(fingerprint, era);
        return Promise.resolve();
      },
    },
    changedSince: () => Promise.resolve(null),
  });
}

function approved(server: ServerName, name: string): ApprovedServer {
  const argv = scripts[server];
  const digest = createHash('sha256').update(JSON.stringify(argv)).digest('hex');
  return {
    name,
    kind: 'program',
    origin: 'user',
    path: 'bench',
    command: { file: process.execPath, argv, windowsVerbatim: false },
    cwd: root,
    env: environment,
    startTimeoutMs: 60_000,
    callTimeoutMs: 60_000,
    fingerprint: digest,
    launch: digest,
    roots: false,
  };
}

/** As the agent does it. */
export function ours(core: Core): Connect {
  const eras = new Map<string, Era>();
  return async (server) => {
    const set = emptySet(core, eras);
    await set.ensure([approved(server, server)], unstopped);
    const state = set.state(server);
    if (state?.kind !== 'running') throw new Error(JSON.stringify(state));
    return {
      call: async (tool, args) => {
        const options = { signal: unstopped, progress: none };
        const end = await set.call(server, tool, JSON.stringify(args), options);
        if (end.kind !== 'result') throw new Error(end.kind);
        return JSON.parse(end.text) as unknown;
      },
      end: () => set.dispose(),
    };
  };
}

/** The same program at the head of a session of its own, where there is a way to ask for it. */
function ownSession(
  file: string,
  argv: readonly string[],
): { readonly file: string; readonly argv: readonly string[] } {
  const setsid = '/usr/bin/setsid';
  return existsSync(setsid) ? { file: setsid, argv: [file, ...argv] } : { file, argv };
}

/**
 * Ours shows the progress of each call, which begins its time anew: so does this one. A server of the
 * SDK works longer on a call that asks for progress.
 */
const asTheAgent = {
  onprogress: none,
  resetTimeoutOnProgress: true,
  timeout: 60_000,
  maxTotalTimeout: 600_000,
};

export const sdk: Connect = async (server) => {
  const client = new Client({ name: 'bench', version: '1' });
  // Ours lead a session each, which a scheduler may treat as one party: so does this one.
  const { file, argv } = ownSession(process.execPath, scripts[server]);
  const transport = new StdioClientTransport({
    command: file,
    args: [...argv],
    env: environment,
    cwd: root,
    stderr: 'ignore',
  });
  await client.connect(transport);
  await client.listTools();
  return {
    call: (tool, args) =>
      client.callTool({ name: tool, arguments: { ...args } }, undefined, asTheAgent),
    end: () => client.close(),
  };
};
