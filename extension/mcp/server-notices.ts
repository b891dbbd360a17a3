/** What is said of servers that do not run, and of what is wrong with the plan. */
import type { Notice } from '../agent/events.ts';
import { tellingLine } from './failures.ts';
import { never } from '../never.ts';
import type { ServerPlan } from './plans.ts';
import type { ServerState } from './servers.ts';

export function failureNotice(
  name: string,
  failure: { readonly fact: string; readonly remedy: string; readonly stderr: string },
): Notice {
  const line = tellingLine(failure.stderr);
  const wrote = line === '' ? '' : ` It wrote: “${line}”`;
  return {
    code: 'server-failed',
    severity: 'error',
    fact: `The server ${name} does not run.`,
    cause: `${failure.fact}${wrote}`,
    remedy: failure.remedy,
    lasting: false,
    actions: [
      { id: 'showLog', label: 'Show log' },
      { id: 'reload', label: 'Start again' },
    ],
  };
}

/** What is wrong with the plan itself: files that cannot be read, servers that cannot start. */
export function planNotices(plan: ServerPlan): readonly Notice[] {
  const notice = (code: string, fact: string, cause: string, remedy: string): Notice => ({
    code,
    severity: 'warning',
    fact,
    cause,
    remedy,
    lasting: false,
    actions: [],
  });
  const problems = plan.problems
    .filter(({ problem }) => problem.severity === 'error')
    .map(({ path, server, problem }) =>
      notice(
        'server-configuration',
        server === null
          ? `${path}, line ${problem.start.line}, cannot be used.`
          : `The server ${server} in ${path}, line ${problem.start.line}, is left out.`,
        problem.message,
        '',
      ),
    );
  const unavailable = plan.servers.flatMap(({ name, standing }) =>
    standing.kind === 'unavailable'
      ? [
          notice(
            'server-unavailable',
            `The server ${name} cannot start.`,
            standing.message,
            standing.remedy,
          ),
        ]
      : [],
  );
  return [...problems, ...unavailable];
}

/** Why it cannot be called, for a model. */
export function notRunning(state: ServerState): string {
  switch (state.kind) {
    case 'failed':
      return state.failure.fact;
    case 'waits':
      return state.reason;
    case 'stopped':
      return 'The user stopped it.';
    case 'starting':
    case 'running':
    case 'exited':
      return 'It is not running.';
    default:
      return never(state);
  }
}
