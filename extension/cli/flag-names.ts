/**
 * Names in flags that answer beforehand, where nothing has such a name: a slip of the hand would else
 * look like an answer that was not heard. Each is told once, with what there is.
 */
import { NAMES_TOLD } from '../limits.ts';
import type { ServerPlan } from '../mcp/plans.ts';
import { type CliParts, oneLine } from './parts.ts';

type Told = Pick<CliParts, 'core' | 'log'>;

/** `what` the names are of, such as "server"; `there`: those that there are. */
export function tellUnknown(
  flag: string,
  given: readonly string[],
  what: string,
  there: readonly string[],
  parts: Told,
): void {
  for (const name of new Set(given)) {
    if (there.includes(name)) continue;
    const some = there.slice(0, NAMES_TOLD).join(', ');
    const those = `Known: ${some}${there.length > NAMES_TOLD ? ', …' : '.'}`;
    tell(
      `${flag} ${name} answers nothing: no ${what} has this name. ${there.length === 0 ? 'None is known.' : those}`,
      parts,
    );
  }
}

/** Of `--yes-mcp`. One that is switched off, or that cannot be used, is there all the same. */
export function tellUnknownServers(
  given: readonly string[],
  { servers, disabled, problems }: ServerPlan,
  parts: Told,
): void {
  const named = given.filter((name) => problems.every(({ server }) => server !== name));
  const there = [...servers, ...disabled].map(({ name }) => name);
  tellUnknown('--yes-mcp', named, 'server', there, parts);
}

/** Of `--yes-host`, which may well name the model server where nobody asks about it. */
export function tellUnknownHosts(given: readonly string[], host: string, parts: Told): void {
  for (const name of new Set(given)) {
    if (name !== host) {
      tell(`--yes-host ${name} answers nothing: the model server is ${host}.`, parts);
    }
  }
}

function tell(text: string, parts: Told): void {
  parts.log.warn(oneLine(parts, text));
}
