/**
 * Ends the servers' process groups when this process dies without ending them itself: when the
 * editor is killed, a server that ignores the end of its stdin would otherwise stay for ever.
 *
 * A small shell process in a session of its own holds a pipe from here. It is told the groups that
 * run; when the pipe ends it gives them a moment, terminates those that are left, and kills them.
 * On Windows there is no such process: there the end of stdin has to do.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Log } from '../log.ts';
import type { Watch } from './process.ts';

const SCRIPT = `groups=''
while read -r what group; do
  case "$what" in
    add) groups="$groups $group" ;;
    remove)
      left=''
      for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done
      groups=$left ;;
  esac
done
[ -n "$groups" ] || exit 0
sleep 1
for one in $groups; do kill -s TERM -- "-$one" 2>/dev/null; done
sleep 2
for one in $groups; do kill -s KILL -- "-$one" 2>/dev/null; done
exit 0`;

export class Watcher implements Watch {
  readonly #log: Log;
  readonly #groups = new Set<number>();
  #child: ChildProcess | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  add(group: number): void {
    this.#groups.add(group);
    if (process.platform === 'win32') return;
    if (this.#child !== null) this.#child.stdin?.write(`add ${group}\n`);
    else this.#start();
  }

  remove(group: number): void {
    this.#groups.delete(group);
    this.#child?.stdin?.write(`remove ${group}\n`);
  }

  /** The process that watches; none before the first group. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** With no group left to watch it ends at once. */
  dispose(): void {
    this.#child?.stdin?.end();
    this.#child = null;
  }

  /** Starts it and tells it all that runs: one that was lost may have known some of them. */
  #start(): void {
    const child = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const lost = (why: string): void => {
      if (this.#child === child) this.#child = null;
      this.#log.warn(`The process that ends servers after a crash is not there: ${why}`);
    };
    child.once('error', (error) => lost(error.message));
    child.once('exit', (code, signal) => {
      if (this.#child === child) lost(`it ended, ${signal ?? `code ${String(code)}`}`);
    });
    child.stdin.on('error', (error) => lost(error.message));
    child.unref();
    unref(child.stdin);
    this.#child = child;
    for (const group of this.#groups) child.stdin.write(`add ${group}\n`);
  }
}

/** A pipe to a child keeps this process alive unless told otherwise. */
function unref(stream: object): void {
  if ('unref' in stream && typeof stream.unref === 'function') stream.unref();
}
