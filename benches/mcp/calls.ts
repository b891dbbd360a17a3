/**
 * Prints the milliseconds of calls, one by one and 50 at once, and of starts, of both clients by turns:
 * `calls.ts ROUNDS`.
 */
import { createCore } from '../../extension/core.ts';
import { callsByTurns, empty, timed, turn, type Side, type Times } from './by-turns.ts';
import { ours, sdk, type Connect, type Connected, type ServerName } from './clients.ts';

const rounds = Number(process.argv[2]);
const sides: Readonly<Record<Side, Connect>> = { ours: ours(createCore()), sdk };
const amount = { calls: rounds * 200, bursts: rounds * 10, warm: 4_000 };

async function calls(server: ServerName, tool: string, args: object): Promise<object> {
  const connected = { ours: await sides.ours(server), sdk: await sides.sdk(server) };
  return callsByTurns(connected, [tool, args], amount);
}

async function starts(server: ServerName): Promise<Times> {
  const times = empty();
  for (let round = -1; round < rounds; round += 1) {
    for (const side of turn(round)) {
      const made: Connected[] = [];
      const time = await timed(async () => made.push(await sides[side](server)));
      for (const one of made) await one.end();
      if (round >= 0) times[side].push(time);
    }
  }
  return times;
}

async function all(): Promise<object> {
  const text = 'What the gauge says this week. '.repeat(8);
  return {
    everything: await calls('everything', 'echo', { message: text }),
    small: await calls('small', 'echo', { text }),
    starts: { everything: await starts('everything'), small: await starts('small') },
  };
}

void all().then((measured) => process.stdout.write(JSON.stringify(measured)));
