/** `run_command`: a command in the user's shell, with a time limit, its whole process tree ended. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  COMMAND_SECONDS,
  DRAIN_MS,
  KILL_AFTER_MS,
  PROGRESS_CHARS,
  SAVED_OUTPUT_BYTES,
  STOP_KILL_AFTER_MS,
} from '../../limits.ts';
import { childEnvironment } from '../child-environment.ts';
import { headAndTail } from '../limited-text.ts';
import { endMarked, MARK } from '../marked.ts';
import { endTree } from '../process-tree.ts';
import { shellOf, type Shell } from '../shell.ts';
import { terminalText } from '../terminal-text.ts';
import { ToolRefusal, type Arguments, type Tool, type ToolContext } from '../tool.ts';
import { repositoryNamesPrograms } from './git-programs.ts';
import { numberArgument, parametersOf, requiredText, textArgument } from './parameters.ts';
import type { Workbench } from './workbench.ts';

interface Ended {
  readonly output: string;
  /** Null when it was ended. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly seconds: number;
}

export function runCommandTool(bench: Workbench): Tool {
  const { files, settings } = bench;
  const shell = (): Shell => shellOf(settings().shell, bench.environment, bench.platform);
  return {
    name: 'run_command',
    description:
      'Run a command in the shell and get its output. It gets no input; what it leaves running is ended.',
    parameters: parametersOf(
      {
        command: { type: 'string' },
        folder: { type: 'string' },
        timeout_seconds: { type: 'integer' },
      },
      ['command'],
    ),
    origin: { kind: 'builtin' },
    parallel: false,
    readOnly: false,
    line: (args) => ({ icon: 'command', verb: 'Ran', object: String(args['command'] ?? '') }),
    subject: async (args) => {
      const line = requiredText(args, 'command');
      const cwd = await folder(args);
      const environment = childEnvironment(bench.environment, bench.platform);
      const repositoryPrograms =
        /^\s*git\b/u.test(line) && (await repositoryNamesPrograms(cwd, environment));
      return {
        kind: 'command',
        command: {
          line,
          shell: shell().kind,
          folder: cwd,
          timeoutSeconds: seconds(args),
          repositoryPrograms,
        },
      };
    },
    run: async (args, context) => {
      const cwd = await folder(args);
      const ended = await run(requiredText(args, 'command'), cwd, seconds(args) * 1_000, context);
      return result(ended, context);
    },
  };

  async function folder(args: Arguments): Promise<string> {
    const place = await files.place(textArgument(args, 'folder') ?? '.', 'write');
    if (place.kind !== 'folder') throw new ToolRefusal(`There is no folder ${place.shown}.`);
    return place.path;
  }

  function seconds(args: Arguments): number {
    const asked = numberArgument(args, 'timeout_seconds', 1);
    const { commandTimeoutSeconds } = settings();
    return Math.min(
      asked ?? commandTimeoutSeconds,
      Math.max(commandTimeoutSeconds, COMMAND_SECONDS),
    );
  }

  function run(line: string, cwd: string, limitMs: number, context: ToolContext): Promise<Ended> {
    const { file, argv, verbatim } = shell();
    const started = performance.now();
    const output = new Output();
    const mark = randomUUID();
    return new Promise((resolve, reject) => {
      const child = spawn(file, [...argv(line)], {
        cwd,
        env: { ...childEnvironment(bench.environment, bench.platform), [MARK]: mark },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: bench.platform !== 'win32',
        windowsHide: true,
        windowsVerbatimArguments: verbatim,
      });
      let timedOut = false;
      const end = (grace: number): void => {
        endTree(child, bench.platform, grace)
          .then(() => endMarked(mark, grace))
          .catch(reject);
      };
      const timer = setTimeout(() => {
        timedOut = true;
        end(KILL_AFTER_MS);
      }, limitMs);
      const stopped = (): void => {
        end(STOP_KILL_AFTER_MS);
      };
      context.signal.addEventListener('abort', stopped, { once: true });
      if (context.signal.aborted) stopped();
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (data: Buffer) => {
          const last = output.add(data);
          if (last !== '') context.progress(last);
        });
      }
      let code: number | null = null;
      let signal: NodeJS.Signals | null = null;
      child.once('error', (error) => {
        clearTimeout(timer);
        context.signal.removeEventListener('abort', stopped);
        reject(new ToolRefusal(`The shell ${file} could not be started: ${error.message}`));
      });
      child.once('exit', (exitCode, exitSignal) => {
        [code, signal] = [exitCode, exitSignal];
        // What it left running may hold the output open; it is ended with it.
        setTimeout(() => {
          end(KILL_AFTER_MS);
        }, DRAIN_MS).unref();
      });
      child.once('close', () => {
        clearTimeout(timer);
        context.signal.removeEventListener('abort', stopped);
        // A child that closed its output may still run.
        end(KILL_AFTER_MS);
        const seconds = (performance.now() - started) / 1_000;
        resolve({ output: output.text(), code, signal, timedOut, seconds });
      });
    });
  }

  async function result(ended: Ended, context: ToolContext): ReturnType<Tool['run']> {
    const limit = bench.resultChars();
    const time = `${ended.seconds.toFixed(1)} s`;
    const fact = ended.timedOut
      ? `ended after ${time}, the time limit`
      : ended.code === null
        ? `ended by ${ended.signal ?? 'a signal'} after ${time}`
        : `exit ${ended.code}, ${time}`;
    const output = ended.output.trimEnd();
    const cut = output.length > limit;
    const saved = cut ? await context.save(ended.output, '.txt') : null;
    const shown = headAndTail(output, limit);
    const where = saved === null ? '' : `\n[The whole output: read_file ${saved}]`;
    // Without the time: the same outcome is the same text.
    const outcome = ended.code === null ? fact : `exit code ${ended.code}`;
    return {
      text: `${outcome}\n${shown === '' ? 'No output.' : shown}${where}`,
      isError: ended.code !== 0,
      measure: ended.code === 0 ? time : fact,
      shown: { kind: 'text', text: shown },
    };
  }
}

/** The output of both streams as it came, without what only a terminal understands. */
class Output {
  readonly #head: Buffer[] = [];
  readonly #tail: Buffer[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #lost = 0;

  /** Keeps a piece; gives its last line, for the progress. */
  add(data: Buffer): string {
    if (this.#headBytes < SAVED_OUTPUT_BYTES / 2) {
      this.#head.push(data);
      this.#headBytes += data.length;
    } else {
      this.#tail.push(data);
      this.#tailBytes += data.length;
      while (this.#tailBytes > SAVED_OUTPUT_BYTES / 2) {
        const first = this.#tail.shift()?.length ?? 0;
        this.#tailBytes -= first;
        this.#lost += first;
      }
    }
    return (
      terminalText(data.toString('utf8')).trimEnd().split('\n').at(-1)?.slice(0, PROGRESS_CHARS) ??
      ''
    );
  }

  text(): string {
    const lost = this.#lost > 0 ? [Buffer.from(`\n[${this.#lost} bytes not kept]\n`)] : [];
    return terminalText(Buffer.concat([...this.#head, ...lost, ...this.#tail]).toString('utf8'));
  }
}
