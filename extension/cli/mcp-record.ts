/**
 * `gbs mcp record`: stands between a client and a configured server and writes down what they say;
 * `gbs mcp replay`: a server made of such a file, to be named as a `command`.
 */
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { errorCode } from '../error-code.ts';
import { failureOf } from '../mcp/failures.ts';
import { ServerProcess, StartError } from '../mcp/process.ts';
import { readRecording, Recorder, RecordingError, Replay } from '../mcp/recording.ts';
import { Watcher } from '../mcp/watcher.ts';
import { onStop } from '../on-stop.ts';
import { tellUnknownServers } from './flag-names.ts';
import { addAnswerFlag, askFor, type AnswerFlag } from './mcp-answers.ts';
import { chosen, mcpCommand, plansOf } from './mcp-parts.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';
import { asTyped } from './settings.ts';

export function register(program: Command, parts: CliParts): void {
  const mcp = mcpCommand(program);
  addAnswerFlag(mcp.command('record <server>'))
    .description('Be this server for a client on stdin and stdout, and write down what they say')
    .requiredOption('--out <file>', 'the recording, with secrets masked; must not be there yet')
    .action((server: string, flags: AnswerFlag & { readonly out: string }) =>
      record(server, flags, parts),
    );
  mcp
    .command('replay <file>')
    .description('Be the server of a recording, on stdin and stdout')
    .action((file: string) => replay(file, parts));
}

async function record(
  name: string,
  flags: AnswerFlag & { readonly out: string },
  parts: CliParts,
): Promise<void> {
  const plans = plansOf(parts);
  const plan = await plans.read(parts.workspace());
  const servers = chosen(plan, [name], parts);
  tellUnknownServers(flags.yesMcp ?? [], plan, parts);
  const ask = askFor(parts, flags, () => undefined);
  const [server] = await plans.approve({ ...plan, servers }, ask, parts.signal);
  if (server === undefined) {
    throw new CliFailure(3, `needs approval: ${oneLine(parts, name)}. See: gbs mcp approve`);
  }
  if (server.kind === 'address') {
    throw new CliFailure(2, `${oneLine(parts, name)} is an address: only programs are recorded`);
  }
  const reason = await plans.changedSince(server);
  if (reason !== null) throw new CliFailure(3, oneLine(parts, reason));
  const file = createWriteStream(flags.out, { flags: 'wx', mode: 0o600 });
  await new Promise<void>((resolve, reject) => {
    file.once('open', () => resolve());
    file.once('error', reject);
  }).catch((error: unknown) => {
    const code = errorCode(error) ?? String(error);
    const why =
      code === 'EEXIST'
        ? 'is already there. Name another file with --out'
        : `cannot be written (${code})`;
    throw new CliFailure(1, `${flags.out} ${why}`);
  });
  const recorder = new Recorder(server.env);
  const write = (from: 'client' | 'server', text: string): void => {
    const line = recorder.line(from, text);
    if (line !== null) file.write(line);
  };
  const watch = new Watcher(parts.log);
  let half = '';
  const decoder = new TextDecoder();
  try {
    const ended = new Promise<void>((resolve, reject) => {
      ServerProcess.start(
        server,
        {
          stdout: (bytes) => {
            process.stdout.write(bytes);
            const lines = (half + decoder.decode(bytes, { stream: true })).split('\n');
            half = lines.pop() ?? '';
            for (const line of lines) write('server', line);
          },
          stderr: (line) => process.stderr.write(`${line}\n`),
          exited: () => resolve(),
        },
        watch,
      ).then((child) => {
        const stop = (): void => {
          child.stop().then(resolve, reject);
        };
        onStop(parts.signal, stop);
        createInterface({ input: process.stdin })
          .on('line', (line) => {
            write('client', line);
            child.write(`${line}\n`);
          })
          .on('close', stop);
      }, reject);
    });
    await ended;
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const failure = failureOf({ kind: 'notStarted', problem: error.problem }, server, '');
    const words = failure === null ? '' : `${failure.fact} ${asTyped(failure.remedy)}`;
    // What has no words of its own says already that it could not be started.
    const lead = error.problem.kind === 'other' ? `${name}:` : `${name} cannot be started.`;
    throw new CliFailure(1, oneLine(parts, `${lead} ${words}`));
  } finally {
    watch.dispose();
    await new Promise<void>((resolve) => file.end(() => resolve()));
  }
}

async function replay(path: string, parts: CliParts): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CliFailure(1, oneLine(parts, `${path} cannot be read (${errorCode(error) ?? ''})`));
  });
  let server: Replay;
  try {
    server = new Replay(readRecording(text));
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    throw new CliFailure(1, oneLine(parts, `${path}: ${error.message}`));
  }
  for await (const line of createInterface({ input: process.stdin })) {
    for (const answer of server.lines(line)) process.stdout.write(answer);
  }
}
