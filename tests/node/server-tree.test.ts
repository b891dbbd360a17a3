/** The Servers view: state and reason first, what waits says why, what failed says what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverTree, type ServerTreeParts } from '../../extension/editor/server-tree.ts';
import type { TreeNode } from '../../extension/editor/tree-node.ts';
import type { Need } from '../../extension/mcp/oauth/sign-ins.ts';
import type { PlannedServer, ServerPlan, Standing } from '../../extension/mcp/plans.ts';
import type { ServerState } from '../../extension/mcp/servers.ts';

function planned(name: string, standing: Standing): PlannedServer {
  const path = '/w/.mcp.json';
  return { name, origin: 'repository', path, line: 3, description: '', standing, address: null };
}

function plan(parts: Partial<ServerPlan>): ServerPlan {
  return {
    workspace: { folders: ['/w'], trusted: true, openFile: null },
    servers: [],
    shadowed: [],
    disabled: [],
    problems: [],
    ...parts,
  };
}

const running: ServerState = {
  kind: 'running',
  pid: 1,
  offer: {
    peer: {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      name: '',
      version: '',
      instructions: '',
      capabilities: '{}',
      tellsChanges: false,
    },
    tools: ['read', 'write'].map((name) => ({
      name,
      title: '',
      description: 'D',
      inputSchema: '{}',
      hints: {
        readOnly: name === 'read',
        destructive: null,
        idempotent: null,
        openWorld: null,
      },
    })),
    problems: [],
  },
};

/** A row as one line: icon, label, description, what its menu offers; children below, indented. */
function drawn(nodes: readonly TreeNode[], indent = ''): string[] {
  return nodes.flatMap((node) => [
    `${indent}${node.icon} ${node.label} | ${node.description}${node.context ? ` [${node.context}]` : ''}`,
    ...drawn(node.children, `${indent}  `),
  ]);
}

function check(
  of: ServerPlan,
  expected: readonly string[],
  states: Readonly<Record<string, ServerState>> = {},
  more: Partial<ServerTreeParts> = {},
): void {
  const nodes = serverTree(of, {
    visible: (text) => text.replaceAll('\u202e', '\\u{202e}'),
    say: (text, ...values) =>
      text.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
    shortPath: (path) => path.replace('/w/', ''),
    state: (name) => states[name] ?? null,
    lines: () => [],
    standings: () => [],
    need: () => null,
    isSignedIn: () => false,
    ...more,
  });
  assert.deepEqual(drawn(nodes), expected);
}

test('a server that was never needed says how it stands', () =>
  check(
    plan({
      servers: [
        planned('ready', { kind: 'ready' }),
        planned('new', { kind: 'asks', why: 'new' }),
        planned('changed', { kind: 'asks', why: 'changed' }),
        planned('later', { kind: 'declined' }),
        planned('gone', {
          kind: 'unavailable',
          code: 'not-found',
          message: 'Its program uvx is not on the PATH.',
          remedy: 'Install uv.',
        }),
      ],
    }),
    [
      'server ready | starts when it is needed, .mcp.json [server stopped revoke]',
      'lock new | not approved, .mcp.json [server approve]',
      'lock changed | changed since you approved it, .mcp.json [server approve]',
      'lock later | not now, as you said, .mcp.json [server approve]',
      'error gone | cannot start: its program uvx is not on the PATH, .mcp.json [server]',
      '  arrow-right Install uv. | ',
    ],
  ));

test('a server that wants a sign-in says so, and its menu offers it', () => {
  const failed: ServerState = {
    kind: 'failed',
    failure: { code: 'internal', fact: 'It refused.', remedy: 'Sign in.', stderr: '' },
  };
  const servers = [
    planned('new', { kind: 'ready' }),
    planned('old', { kind: 'ready' }),
    planned('more', { kind: 'ready' }),
    planned('in', { kind: 'ready' }),
    planned('asks', { kind: 'asks', why: 'changed' }),
  ];
  const needs: Readonly<Record<string, Need>> = {
    new: 'signedOut',
    old: 'ended',
    more: 'scopes',
    asks: 'ended',
  };
  check(
    plan({ servers }),
    [
      'lock new | needs sign-in, .mcp.json [server signIn revoke]',
      '  arrow-right Sign in. | ',
      'lock old | needs sign-in again, .mcp.json [server signIn signOut revoke]',
      '  arrow-right Sign in. | ',
      'server more | needs sign-in: a call wants more than you gave, .mcp.json [server running signIn revoke]',
      '  tools Ready | 2 tools',
      '    symbol-method read | says it only reads [tool]',
      '    symbol-method write |  [tool]',
      'server in | starts when it is needed, .mcp.json [server stopped signOut revoke]',
      'lock asks | changed since you approved it, .mcp.json [server approve]',
    ],
    { new: failed, old: failed, more: running },
    {
      need: ({ name }) => needs[name] ?? null,
      isSignedIn: ({ name }) => name === 'old' || name === 'in',
    },
  );
});

test('a running server lists its tools; what is withheld says why', () => {
  const servers = [planned('docs', { kind: 'ready' })];
  check(
    plan({ servers }),
    [
      'server docs | running, 1 of 2 tools, .mcp.json [server running revoke]',
      '  tools Ready | 1 tool, 40 tokens',
      '    symbol-method read | says it only reads [tool]',
      '  lock Withheld | 1 tool',
      '    symbol-method write | its description changed [tool]',
    ],
    { docs: running },
    {
      standings: () => [
        { tool: 'read', state: 'ready', why: '', tokens: 40, readOnly: true },
        {
          tool: 'write',
          state: 'withheld',
          why: 'its description changed',
          tokens: 0,
          readOnly: false,
        },
      ],
    },
  );
});

test('before the first run all tools count as ready; deferred ones say so', () => {
  const servers = [planned('docs', { kind: 'ready' })];
  const head = 'server docs | running, 2 tools, .mcp.json [server running revoke]';
  const tools = [
    '    symbol-method read | says it only reads [tool]',
    '    symbol-method write |  [tool]',
  ];
  check(plan({ servers }), [head, '  tools Ready | 2 tools', ...tools], { docs: running });
  const deferred = { state: 'deferred', why: '', tokens: 30, readOnly: false } as const;
  check(
    plan({ servers }),
    [head, '  search Deferred | 2 tools, 60 tokens', ...tools],
    { docs: running },
    {
      standings: () => [
        { tool: 'read', ...deferred },
        { tool: 'write', ...deferred },
      ],
    },
  );
});

test('a server whose approval no longer holds waits, whatever still runs', () =>
  check(
    plan({ servers: [planned('docs', { kind: 'asks', why: 'changed' })] }),
    ['lock docs | changed since you approved it, .mcp.json [server approve]'],
    { docs: running },
  ));

test('a failed server says what to do and shows its last line', () =>
  check(
    plan({ servers: [planned('docs', { kind: 'ready' })] }),
    [
      'error docs | failed: it exited with code 1 before it was ready, .mcp.json [server stopped revoke log]',
      '  arrow-right Check it. | ',
      '  output The last it wrote | no such file [server log]',
    ],
    {
      docs: {
        kind: 'failed',
        failure: {
          code: 'exited',
          fact: 'It exited with code 1 before it was ready.',
          remedy: 'Check it.',
          stderr: 'no such file',
        },
      },
    },
    {
      lines: () => [
        { at: 0, level: 'error', from: 'stderr', text: 'no such file' },
        { at: 0, level: 'error', from: 'agent', text: 'It exited with code 1.' },
      ],
    },
  ));

test('entries that are not used, files that cannot be read, and hidden characters are shown', () => {
  const place = { line: 1, column: 1 };
  check(
    plan({
      servers: [planned('a\u202eb', { kind: 'untrusted' })],
      shadowed: [
        {
          name: 'docs',
          origin: 'repository',
          path: '/w/.mcp.json',
          line: 2,
          by: { name: 'docs', path: '/w/.gbs/mcp.json' },
        },
      ],
      disabled: [{ name: 'off', origin: 'repository', path: '/w/.mcp.json', line: 9, by: null }],
      problems: [
        {
          path: '/w/.gbs/mcp.json',
          server: null,
          problem: {
            code: 'syntax',
            severity: 'error',
            message: 'Not JSON.',
            start: place,
            end: place,
            fix: null,
          },
        },
      ],
    }),
    [
      'error .gbs/mcp.json | Not JSON.',
      'circle-slash a\\u{202e}b | not started: you have not trusted this folder, .mcp.json [server]',
      'circle-slash docs | shadowed by .gbs/mcp.json, .mcp.json [server]',
      'circle-slash off | turned off, .mcp.json [server]',
    ],
  );
});
