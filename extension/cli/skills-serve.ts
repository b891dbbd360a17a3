/** `gbs skills serve`, which is also the command `gbs-skills-mcp`: skills for any MCP client. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { SkillsServer, SkillsServerOptions } from '../catalogue/create.ts';
import type { SmokeLine } from '../catalogue/smoke.ts';
import { CliFailure, collect } from './parts.ts';

export interface ServeParts {
  /** Fires at Ctrl-C, SIGTERM and a closed terminal. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface ServeFlags {
  readonly skillsRoot: readonly string[];
  readonly transport: 'stdio' | 'streamable-http';
  readonly host: string;
  readonly port: number;
  readonly tokenEnv?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly smokeTest?: true;
}

/** Adds the flags and the action to a command. */
export function serveCommand(command: Command, parts: ServeParts): Command {
  return command
    .option(
      '--skills-root <dir>',
      'a folder of skills (default: ./skills); may be repeated',
      collect,
      [],
    )
    .addOption(
      new Option('--transport <kind>', 'how clients connect')
        .choices(['stdio', 'streamable-http'])
        .default('stdio'),
    )
    .option('--host <address>', 'over HTTP: the address to listen at', '127.0.0.1')
    .option('--port <n>', 'over HTTP: the port', portNumber, 8080)
    .option('--token-env <name>', 'over HTTP: clients must send what this variable holds')
    .option(
      '--allow-host <name>',
      'over HTTP: a name clients use for it; may be repeated',
      collect,
      [],
    )
    .option(
      '--allow-origin <host>',
      'over HTTP: a web page that may call it; may be repeated',
      collect,
      [],
    )
    .option('--smoke-test', 'call everything once in this process, say what came, and end')
    .action((flags: ServeFlags) => serve(flags, parts));
}

async function serve(flags: ServeFlags, parts: ServeParts): Promise<void> {
  const { createSkillsServer } = await import('../catalogue/create.ts');
  const log = new StructuredLog((line) => process.stderr.write(line));
  const server = createSkillsServer({ ...sources(flags), ...watching(log) });
  if (flags.smokeTest === true) return smoke(server);
  const { signal } = parts;
  if (flags.transport === 'stdio') {
    log.info('serving', { transport: 'stdio' });
    await server.run({ signal });
  } else {
    const token = tokenOf(flags, parts);
    await server.run({
      transport: 'streamable-http',
      host: flags.host,
      port: flags.port,
      ...(token !== null && { token }),
      allowHosts: flags.allowHost,
      allowOrigins: flags.allowOrigin,
      signal,
      onListening: (url) => log.info('serving', { transport: 'streamable-http', url }),
    });
  }
  log.info('ended', {});
}

function sources({ skillsRoot }: ServeFlags): SkillsServerOptions {
  const roots = (skillsRoot.length === 0 ? ['skills'] : skillsRoot).map((root) => resolve(root));
  const missing = roots.find(
    (root) => statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true,
  );
  if (missing !== undefined) {
    throw new CliFailure(2, `there is no folder ${missing}. Name one with --skills-root`);
  }
  return { skillsRoot: roots };
}

function watching(log: StructuredLog): SkillsServerOptions {
  return {
    onWarning: ({ skill, message }) =>
      log.warn('skill', { ...(skill !== '' && { skill }), message }),
    onError: ({ message }) => log.warn('connection', { message }),
  };
}

async function smoke(server: SkillsServer): Promise<void> {
  const { smokeTest } = await import('../catalogue/create.ts');
  const lines: readonly SmokeLine[] = await smokeTest(server);
  await server.catalogue.close();
  for (const { what, ok, saw } of lines) {
    process.stdout.write(`${ok ? 'ok    ' : 'failed'} ${what}: ${saw}\n`);
  }
  const failed = lines.filter(({ ok }) => !ok).length;
  if (failed > 0) throw new CliFailure(1, `${String(failed)} of ${String(lines.length)} failed`);
}

function tokenOf({ tokenEnv }: ServeFlags, { environment }: ServeParts): string | null {
  if (tokenEnv === undefined) return null;
  const token = environment[tokenEnv] ?? '';
  if (token === '')
    throw new CliFailure(2, `--token-env names ${tokenEnv}, which is not set or empty`);
  return token;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It takes a number from 0 (any that is free) to 65535.');
}

/** One JSON object a line: stdout belongs to the protocol, and logs are read by programs. */
class StructuredLog {
  readonly #write: (line: string) => void;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  info(event: string, more: Readonly<Record<string, unknown>>): void {
    this.#line('info', event, more);
  }

  warn(event: string, more: Readonly<Record<string, unknown>>): void {
    this.#line('warning', event, more);
  }

  #line(level: string, event: string, more: Readonly<Record<string, unknown>>): void {
    this.#write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...more })}\n`);
  }
}
