/** `run_command`: what comes of a command, and that nothing of it is left running. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Arguments } from '../../../extension/agent/tool.ts';
import { ran, withTools, type ToolBed } from './support.ts';

const limit = { timeout: 60_000 };
const posix = process.platform === 'win32' ? { skip: 'POSIX' } : limit;

test('run_command: output, exit code, limits', posix, async () => {
  await withTools({ 'sub/a': '' }, async (bed) => {
    const check = async (args: Arguments, expected: string): Promise<void> => {
      assert.equal(await ran(bed, 'run_command', args), expected, JSON.stringify(args));
    };
    await check({ command: 'echo out; echo err >&2' }, 'exit code 0\nout\nerr');
    await check({ command: 'exit 3' }, 'exit code 3\nNo output.');
    await check({ command: 'pwd', folder: 'sub' }, 'exit code 0\n/w/sub');
    await check({ command: 'cat' }, 'exit code 0\nNo output.');
    await check(
      { command: "printf '\\033[31mred\\033[0m\\n10%%\\r20%%\\r100%%\\ndone'" },
      'exit code 0\nred\n100%\ndone',
    );
    await check({ command: 'echo $VSCODE_X$ELECTRON_RUN_AS_NODE-$KEPT' }, 'exit code 0\n-kept');
    assert.match(
      await ran(bed, 'run_command', { command: 'kill -9 $$' }),
      /^ended by SIGKILL after /u,
    );
    bed.chars = 1_000;
    const long = await ran(bed, 'run_command', { command: 'seq 1 5000' });
    assert.match(long, /^exit code 0\n1\n2\n/u);
    assert.match(long, /\n5000\n\[The whole output: read_file .*\]$/u);
    assert.ok(long.length < 1_300);
    assert.equal(bed.saved.at(-1)?.split('\n').length, 5_001);
  });
});

/** Numbers of seconds that no other run of this file sleeps. */
const mark = (n: number): string => `${n}${process.pid}`;

/** Is a process that sleeps for `seconds` there? */
async function alive(bed: ToolBed, seconds: string): Promise<boolean> {
  const text = await ran(bed, 'run_command', {
    command: `ps -A -o args= | grep -c '[s]leep ${seconds}' || true`,
  });
  return !text.endsWith('\n0');
}

/** A process that was killed is listed until the machine comes to it. */
async function gone(bed: ToolBed, seconds: string): Promise<void> {
  for (let left = 400; left > 0 && (await alive(bed, seconds)); left -= 1) await sleep(100);
  assert.equal(await alive(bed, seconds), false, seconds);
}

test(
  'run_command ends the whole tree: at the limit, at a stop, and after the shell',
  posix,
  async () => {
    await withTools({}, async (bed) => {
      const limited = await ran(bed, 'run_command', {
        command: `sh -c 'trap "" TERM; sleep ${mark(1)} & sleep ${mark(1)}'`,
        timeout_seconds: 1,
      });
      assert.match(limited, /^ended after \d+\.\d s, the time limit/u);
      await gone(bed, mark(1));
      const left = await ran(bed, 'run_command', { command: `sleep ${mark(2)} & echo started` });
      assert.equal(left, 'exit code 0\nstarted');
      await gone(bed, mark(2));
      const controller = new AbortController();
      const tool = bed.tools.find((t) => t.name === 'run_command');
      const running = tool?.run(
        { command: `sleep ${mark(3)}` },
        { ...bed.context(), signal: controller.signal },
      );
      for (let n = 800; n > 0 && !(await alive(bed, mark(3))); n -= 1) await sleep(50);
      assert.ok(await alive(bed, mark(3)), 'it runs before it is stopped');
      controller.abort();
      assert.equal((await running)?.isError, true);
      await gone(bed, mark(3));
    });
  },
);

const linux = process.platform === 'linux' ? limit : { skip: 'Linux' };

test('what left the group of its command is ended with it', linux, async () => {
  await withTools({}, async (bed) => {
    // The shell ends at once; what it started leads a session of its own and ignores the first signal.
    const command = `setsid sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done' >/dev/null 2>&1 & sleep 0.3`;
    assert.match(await ran(bed, 'run_command', { command }), /^exit code 0/u);
    const pid = Number(await bed.read('pid'));
    const ended = (): boolean => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    };
    for (let left = 400; left > 0 && !ended(); left -= 1) await sleep(100);
    assert.ok(ended());
  });
});

test('a shell that is not there is named', posix, async () => {
  await withTools({}, async (bed) => {
    bed.settings = { ...bed.settings, shell: '/no/such/shell' };
    assert.match(
      await ran(bed, 'run_command', { command: 'ls' }),
      /^refused: The shell \/no\/such\/shell could not be started/u,
    );
  });
});
