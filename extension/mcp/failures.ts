/**
 * Why a server does not run, in words: the fact, then what to do. The code is stable.
 */
import type { Failure } from '../core.ts';
import { TELLING_LINE_CHARACTERS } from '../limits.ts';
import { never } from '../never.ts';
import type { ConnectionEnd } from './connection.ts';
import { httpFailure, type HttpWords } from './http-failures.ts';
import type { ApprovedServer } from './plans.ts';
import type { ProcessEnd, StartProblem } from './process.ts';

export interface ServerFailure {
  readonly code:
    | 'program-missing'
    | 'folder-missing'
    | 'not-allowed'
    | 'not-started'
    | 'timed-out'
    | 'refused'
    | 'unknown-version'
    | 'broken-handshake'
    | 'content-length'
    | 'exited'
    | 'exits-often'
    | 'internal'
    | HttpWords['code'];
  /** One sentence about the server, without its name. */
  readonly fact: string;
  readonly remedy: string;
  /** The end of what it wrote to stderr; may be empty. */
  readonly stderr: string;
}

/** How a server that was ready ended. */
export type ServerEnd =
  | ProcessEnd
  /** It is no process of ours: its connection ended. */
  | { readonly kind: 'disconnected' }
  /** It failed before, which is forgotten. */
  | { readonly kind: 'forgotten' };

export function serverEnd(end: ConnectionEnd, server: ApprovedServer): ServerEnd {
  if (end.kind === 'exited') return end.exit;
  return server.kind === 'address'
    ? { kind: 'disconnected' }
    : { kind: 'exited', code: null, signal: null };
}

/** How a process ended, for a sentence that begins with "It". */
function exitWords(exit: ProcessEnd | null): string {
  if (exit === null) return 'exited';
  if (exit.signal !== null) return `was ended by ${exit.signal}`;
  return `exited with code ${exit.code ?? 'unknown'}`;
}

/** The failure that an end before `ready` is. `null` when we ended it ourselves. */
export function failureOf(
  end: ConnectionEnd,
  server: ApprovedServer,
  stderr: string,
): ServerFailure | null {
  switch (end.kind) {
    case 'notStarted':
      return { ...startFailure(end.problem, server), stderr };
    case 'handshake':
      return { ...handshakeFailure(end.failure, end.exit, server), stderr };
    case 'exited':
      return { ...earlyExit(end.exit, server), stderr };
    case 'lost':
      return {
        code: 'internal',
        fact: 'GBS Agent failed inside while it started, twice.',
        remedy: 'Start it again. If it happens again, report it.',
        stderr,
      };
    case 'internal':
      return {
        code: 'internal',
        fact: `The connection broke inside GBS Agent: ${end.message}.`,
        remedy: 'Start it again. If it happens again, report it.',
        stderr,
      };
    case 'stopped':
      return null;
    default:
      return never(end);
  }
}

/** It ran, and ends again and again. */
export function endsOften(end: ServerEnd, times: number, stderr: string): ServerFailure {
  return {
    code: 'exits-often',
    fact:
      end.kind === 'exited'
        ? `It exited ${times} times within 5 minutes; the last time it ${exitWords(end)}.`
        : `Its connection ended ${times} times within 5 minutes.`,
    remedy: 'Start it again once the cause is gone.',
    stderr,
  };
}

type Words = Omit<ServerFailure, 'stderr'>;

function startFailure(problem: StartProblem, server: ApprovedServer): Words {
  switch (problem.kind) {
    case 'programMissing':
      return {
        code: 'program-missing',
        fact: `The program ${problem.file} is not there.`,
        remedy: `Install it, or correct "command" in ${server.path}.`,
      };
    case 'folderMissing':
      return {
        code: 'folder-missing',
        fact: `Its working folder ${problem.folder} is not there.`,
        remedy: `Create the folder, or correct "cwd" in ${server.path}.`,
      };
    case 'notAllowed':
      return {
        code: 'not-allowed',
        fact: `The file ${problem.file} cannot be executed.`,
        remedy: `Make it executable, or correct "command" in ${server.path}.`,
      };
    case 'other':
      return {
        code: 'not-started',
        fact: `It could not be started: ${problem.message}.`,
        remedy: `Check its entry in ${server.path}.`,
      };
    default:
      return never(problem);
  }
}

function earlyExit(exit: ProcessEnd | null, server: ApprovedServer): Words {
  return {
    code: 'exited',
    fact: `It ${exitWords(exit)} before it was ready.`,
    remedy: `Check the command and its arguments in ${server.path}.`,
  };
}

function handshakeFailure(
  failure: Failure,
  exit: ProcessEnd | null,
  server: ApprovedServer,
): Words {
  switch (failure.kind) {
    case 'startTimedOut':
      return {
        code: 'timed-out',
        fact: `No answer within ${failure.ms / 1000} s.`,
        remedy:
          'If it downloads something first, start it again; for slow starts raise gbsAgent.mcp.startTimeoutSeconds.',
      };
    case 'refused':
      return {
        code: 'refused',
        fact: `It refused the connection: "${failure.message}" (${failure.code}).`,
        remedy: `Check its entry in ${server.path}; it may want a variable or a key.`,
      };
    case 'unknownVersion':
      return {
        code: 'unknown-version',
        fact: `It speaks version "${failure.version}" of the protocol, which GBS Agent does not.`,
        remedy: 'Update the server or GBS Agent.',
      };
    case 'brokenHandshake':
      return {
        code: 'broken-handshake',
        fact: 'Its answer to the handshake cannot be read.',
        remedy: 'Update the server.',
      };
    case 'contentLength':
      return {
        code: 'content-length',
        fact: 'It frames its messages with Content-Length headers, as language servers do.',
        remedy: 'MCP over stdio is one message a line. Use a version of the server that does this.',
      };
    case 'ended':
      return earlyExit(exit, server);
    case 'unreached':
    case 'dropped':
    case 'status':
    case 'notMcp':
    case 'redirected':
      // Only a server with an address fails so.
      return server.kind === 'address' ? httpFailure(failure, server) : earlyExit(exit, server);
    default:
      return never(failure);
  }
}

/** What errors look like in Node, Python, Go, Rust and shells; the line that names one. */
const named = /^(?:uncaught )?(?:[\w.]*(?:error|exception|exit)|panic|fatal)\b[^:]*:\s*\S/i;
/** Lines that say nothing of the cause: stack frames, braces, the version that Node ends with. */
const noise = /^(?:\s|[{}()[\]^~-]*$|at |Node\.js v|note: )/;

/**
 * The one line of what a failed server wrote that says most: the last that names an error, else the
 * last that is no part of a stack, cut to what fits a sentence. Empty when there is none.
 */
export function tellingLine(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter((line) => !noise.test(line));
  const line = lines.findLast((each) => named.test(each)) ?? lines.at(-1) ?? '';
  return line.length > TELLING_LINE_CHARACTERS
    ? `${line.slice(0, TELLING_LINE_CHARACTERS - 1)}…`
    : line;
}
