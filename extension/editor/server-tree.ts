/**
 * The Servers view, as data: every entry of every file with its state and reason first, what runs
 * with its tools, what does not with what to do. "Why is a tool missing" is answered by the rows:
 * a tool is ready, or withheld with the reason; a server runs, or says why not.
 */
import type { ToolDefinition } from '../core.ts';
import type { LoggedLine } from '../mcp/server-log.ts';
import type { Need } from '../mcp/oauth/sign-ins.ts';
import type { ToolStanding } from '../mcp/tool-standings.ts';
import type { PlannedServer, ServerPlan, UnusedServer } from '../mcp/plans.ts';
import type { ServerState } from '../mcp/servers.ts';
import { never } from '../never.ts';
import { color, node, type TreeNode } from './tree-node.ts';
import { SESSION } from '../mcp/session-servers.ts';

export interface ServerTreeParts {
  /** Draws hidden characters as marks. */
  visible(text: string): string;
  /** Fills `{0}` … of one of our sentences, in the user's language. */
  say(text: string, ...values: (string | number)[]): string;
  /** A path as people know it: relative to its folder, below the home by `~`. */
  shortPath(path: string): string;
  /** How a server stands that was needed before; null for one that was not. */
  state(name: string): ServerState | null;
  lines(name: string): readonly LoggedLine[];
  /** Its tools as the last run got them; empty before the first. */
  standings(name: string): readonly ToolStanding[];
  /** Why somebody has to sign in to it; null for no reason. */
  need(server: PlannedServer): Need | null;
  isSignedIn(server: PlannedServer): boolean;
}

/** What a server looks like in one row, and in the chat's list. */
export interface ServerLook {
  readonly kind: 'stopped' | 'starting' | 'running' | 'failed' | 'waits' | 'off';
  /** State and reason, such as `failed: it exited with code 1`. */
  readonly text: string;
}

export function serverTree(plan: ServerPlan, parts: ServerTreeParts): readonly TreeNode[] {
  return [
    ...brokenFiles(plan, parts),
    ...plan.servers.map((server) => planned(server, plan, parts)),
    ...plan.shadowed.map((server) => unused(server, parts)),
    ...plan.disabled.map((server) => unused(server, parts)),
  ];
}

export function lookOf(server: PlannedServer, parts: ServerTreeParts): ServerLook {
  const { say } = parts;
  const state = parts.state(server.name);
  // What the plan says now wins over what still runs by an older approval.
  const { standing } = server;
  if (state === null || standing.kind !== 'ready') return standingLook(server, parts);
  const need = parts.need(server);
  if (need !== null && state.kind !== 'starting') return needLook(need, state, parts);
  switch (state.kind) {
    case 'starting':
      return { kind: 'starting', text: say('starting') };
    case 'running': {
      const { length } = state.offer.tools;
      const waiting = withheldOf(parts.standings(server.name)).length;
      if (waiting > 0) {
        return {
          kind: 'running',
          text: say('running, {0} of {1} tools', length - waiting, length),
        };
      }
      return {
        kind: 'running',
        text: length === 1 ? say('running, 1 tool') : say('running, {0} tools', length),
      };
    }
    case 'exited':
      return { kind: 'stopped', text: say('not running, starts when it is needed') };
    case 'failed':
      return {
        kind: 'failed',
        text: say('failed: {0}', lowered(parts.visible(state.failure.fact))),
      };
    case 'waits':
      return {
        kind: 'waits',
        text: say('waits for you: {0}', lowered(parts.visible(state.reason))),
      };
    case 'stopped':
      return { kind: 'stopped', text: say('stopped by you') };
    default:
      return never(state);
  }
}

function needLook(need: Need, state: ServerState, { say }: ServerTreeParts): ServerLook {
  switch (need) {
    case 'signedOut':
      return { kind: 'waits', text: say('needs sign-in') };
    case 'ended':
      return { kind: 'waits', text: say('needs sign-in again') };
    case 'scopes':
      return {
        kind: state.kind === 'running' ? 'running' : 'waits',
        text: say('needs sign-in: a call wants more than you gave'),
      };
    default:
      return never(need);
  }
}

function standingLook({ standing }: PlannedServer, { say, visible }: ServerTreeParts): ServerLook {
  switch (standing.kind) {
    case 'ready':
      return { kind: 'stopped', text: say('starts when it is needed') };
    case 'asks':
      return { kind: 'waits', text: askWords(standing.why, say) };
    case 'declined':
      return { kind: 'waits', text: say('not now, as you said') };
    case 'unavailable':
      return { kind: 'failed', text: say('cannot start: {0}', lowered(visible(standing.message))) };
    case 'untrusted':
      return { kind: 'off', text: say('not started: you have not trusted this folder') };
    default:
      return never(standing);
  }
}

function askWords(why: 'new' | 'changed' | 'uncovered', say: ServerTreeParts['say']): string {
  switch (why) {
    case 'new':
      return say('not approved');
    case 'changed':
      return say('changed since you approved it');
    case 'uncovered':
      return say('asks every time');
    default:
      return never(why);
  }
}

function planned(server: PlannedServer, plan: ServerPlan, parts: ServerTreeParts): TreeNode {
  const look = lookOf(server, parts);
  const state = parts.state(server.name);
  const hasProblem = plan.problems.some(
    ({ path, server: name }) => path === server.path && name === server.name,
  );
  const { icon, tint } = iconOf(look.kind);
  return node({
    // The editor keeps a row folded by its id; one that begins to fail shall open.
    id: `server:${server.name}${look.kind === 'failed' ? ':failed' : ''}`,
    label: parts.visible(server.name),
    description: `${look.text}, ${parts.shortPath(server.path)}`,
    tooltip: [parts.visible(server.name), look.text, parts.visible(server.description), server.path]
      .filter((part) => part !== '')
      .join('\n\n'),
    icon,
    color: tint,
    context: contextOf(server, look, parts),
    // The row of the file is opened by its command: choosing a row unfolds it.
    problems: hasProblem,
    open: look.kind === 'failed',
    subject: server.name,
    children: children(server, state, parts),
  });
}

/** The words that the manifest's menus look for. */
function contextOf(server: PlannedServer, look: ServerLook, parts: ServerTreeParts): string {
  const { kind } = server.standing;
  const canStart = kind === 'ready' && (look.kind === 'stopped' || look.kind === 'failed');
  const needsSignIn = kind === 'ready' && parts.need(server) !== null;
  const hasLog = parts.lines(server.name).length > 0;
  return [
    'server',
    look.kind === 'running' || look.kind === 'starting' ? look.kind : '',
    canStart ? 'stopped' : '',
    look.kind === 'waits' && !needsSignIn ? 'approve' : '',
    needsSignIn ? 'signIn' : '',
    parts.isSignedIn(server) ? 'signOut' : '',
    kind === 'ready' && server.origin === 'repository' ? 'revoke' : '',
    hasLog ? 'log' : '',
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function children(
  server: PlannedServer,
  state: ServerState | null,
  parts: ServerTreeParts,
): readonly TreeNode[] {
  const { say, visible } = parts;
  const id = server.name;
  const { standing } = server;
  if (standing.kind === 'unavailable') {
    return [note(`${id}:remedy`, 'arrow-right', visible(standing.remedy))];
  }
  if (standing.kind !== 'ready' || state === null) return [];
  if (state.kind === 'failed') {
    // What we did with it stands in the row itself.
    const last = parts.lines(id).findLast(({ from }) => from !== 'agent');
    return [
      note(`${id}:remedy`, 'arrow-right', visible(state.failure.remedy)),
      ...(last === undefined
        ? []
        : [
            node({
              id: `${id}:log`,
              label: say('The last it wrote'),
              description: visible(last.text),
              tooltip: visible(state.failure.stderr || last.text),
              icon: 'output',
              context: 'server log',
              subject: id,
            }),
          ]),
    ];
  }
  if (state.kind !== 'running') return [];
  return [
    ...toolGroups(id, state.offer.tools, parts),
    ...state.offer.problems.map((problem, index) =>
      note(`${id}:problem:${index}`, 'warning', visible(problem)),
    ),
  ];
}

type Group = ToolStanding['state'];

const groups: readonly Group[] = ['ready', 'deferred', 'withheld'];

/** The tools of a running server by how they stand; before the first run all count as ready. */
function toolGroups(
  server: string,
  tools: readonly ToolDefinition[],
  parts: ServerTreeParts,
): readonly TreeNode[] {
  const standings = new Map(parts.standings(server).map((each) => [each.tool, each]));
  return groups.flatMap((group) => {
    const members = tools.filter(({ name }) => (standings.get(name)?.state ?? 'ready') === group);
    if (members.length === 0) return [];
    const { label, icon, tint } = groupLook(group, parts.say);
    return [
      node({
        id: `${server}:${group}`,
        label,
        description: sizeOf(members, standings, parts.say),
        icon,
        color: tint,
        open: group === 'withheld',
        children: members.map((tool) =>
          node({
            id: `${server}:${group}:${tool.name}`,
            label: parts.visible(tool.name),
            description: toolWords(tool, standings.get(tool.name), parts),
            tooltip: [parts.visible(tool.title), parts.visible(tool.description)]
              .filter((part) => part !== '')
              .join('\n\n'),
            icon: 'symbol-method',
            color: tint,
            context: 'tool',
            subject: server,
          }),
        ),
      }),
    ];
  });
}

function groupLook(
  group: Group,
  say: ServerTreeParts['say'],
): { readonly label: string; readonly icon: string; readonly tint: string | null } {
  switch (group) {
    case 'ready':
      return { label: say('Ready'), icon: 'tools', tint: null };
    case 'deferred':
      return { label: say('Deferred'), icon: 'search', tint: null };
    case 'withheld':
      return { label: say('Withheld'), icon: 'lock', tint: color.waits };
    default:
      return never(group);
  }
}

/** Number of tools, and what they cost where that is known. */
function sizeOf(
  members: readonly ToolDefinition[],
  standings: ReadonlyMap<string, ToolStanding>,
  say: ServerTreeParts['say'],
): string {
  const count = members.length === 1 ? say('1 tool') : say('{0} tools', members.length);
  const tokens = members.reduce((sum, { name }) => sum + (standings.get(name)?.tokens ?? 0), 0);
  return tokens === 0 ? count : `${count}, ${say('{0} tokens', tokens)}`;
}

/** Why it waits, or what it claims: nothing is allowed by a claim. */
function toolWords(
  { hints }: ToolDefinition,
  standing: ToolStanding | undefined,
  { say, visible }: ServerTreeParts,
): string {
  if (standing?.state === 'withheld') return visible(standing.why);
  return hints.readOnly === true ? say('says it only reads') : '';
}

function withheldOf(standings: readonly ToolStanding[]): readonly ToolStanding[] {
  return standings.filter(({ state }) => state === 'withheld');
}

function unused(server: UnusedServer, parts: ServerTreeParts): TreeNode {
  const { say, visible, shortPath } = parts;
  const text =
    server.by === null ? say('turned off') : say('shadowed by {0}', shortPath(server.by.path));
  return node({
    id: `unused:${server.path}:${server.line}:${server.name}`,
    label: visible(server.name),
    description: `${text}, ${shortPath(server.path)}`,
    tooltip: `${text}\n\n${server.path}`,
    icon: 'circle-slash',
    color: color.muted,
    context: 'server',
    subject: server.name,
    place: fileOf(server),
  });
}

/** A file that cannot be read as a whole is a row: its servers would be missing without a word. */
function brokenFiles(plan: ServerPlan, parts: ServerTreeParts): readonly TreeNode[] {
  return plan.problems
    .filter(({ server, problem }) => server === null && problem.severity === 'error')
    .map(({ path, problem }) =>
      node({
        id: `file:${path}:${problem.code}:${problem.start.line}`,
        label: parts.shortPath(path),
        description: parts.visible(problem.message),
        tooltip: `${parts.visible(problem.message)}\n\n${path}`,
        icon: 'error',
        color: color.bad,
        place: fileOf({ path, line: problem.start.line }),
        problems: true,
      }),
    );
}

/** Null for what stands in a setting. */
export function fileOf(at: {
  readonly path: string;
  readonly line: number;
}): { readonly path: string; readonly line: number } | null {
  const noFile = at.path.startsWith('gbsAgent.') || at.path === SESSION;
  return noFile ? null : { path: at.path, line: at.line };
}

function note(id: string, icon: string, text: string): TreeNode {
  return node({ id, label: text, tooltip: text, icon });
}

function iconOf(kind: ServerLook['kind']): { readonly icon: string; readonly tint: string | null } {
  switch (kind) {
    case 'running':
      return { icon: 'server', tint: color.good };
    case 'starting':
      return { icon: 'loading~spin', tint: null };
    case 'failed':
      return { icon: 'error', tint: color.bad };
    case 'waits':
      return { icon: 'lock', tint: color.waits };
    case 'stopped':
      return { icon: 'server', tint: color.muted };
    case 'off':
      return { icon: 'circle-slash', tint: color.muted };
    default:
      return never(kind);
  }
}

/** A sentence of ours after a colon: a small letter, no full stop. */
function lowered(sentence: string): string {
  const plain = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
