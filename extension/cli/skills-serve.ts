/** `gbs skills serve`, which is also the command `gbs-skills-mcp`: skills for any MCP client. */
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { SkillsServer } from '../catalogue/create.ts';
import { GitProvider, GitRefusal, gitSource, type GitSource } from '../catalogue/git-provider.ts';
import type { SkillProvider } from '../catalogue/provider.ts';
import type { EmbeddingsOptions } from '../catalogue/semantic.ts';
import type { SmokeLine } from '../catalogue/smoke.ts';
import { createCore, type Core } from '../core.ts';
import { CliFailure, collect } from './parts.ts';

export interface ServeParts {
  /** Fires at Ctrl-C, SIGTERM and a closed terminal. */
  readonly signal: AbortSignal;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface ServeFlags {
  readonly skillsRoot: readonly string[];
  readonly git: readonly GitSource[];
  readonly gitRefresh: number;
  readonly transport: 'stdio' | 'streamable-http';
  readonly host: string;
  readonly port: number;
  readonly tokenEnv?: string;
  readonly allowHost: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly embeddingsUrl?: string;
  readonly embeddingsModel?: string;
  readonly embeddingsKeyEnv?: string;
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
    .option(
      '--git <url[#ref]>',
      'a git repository of skills; may be repeated',
      (text: string, before: readonly GitSource[]) => [...before, gitFlag(text)],
      [],
    )
    .option(
      '--git-refresh <seconds>',
      'how often its remote is looked at; 0 for once',
      seconds,
      300,
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
    .option('--embeddings-url <url>', 'search by meaning, too: an OpenAI-compatible server')
    .option('--embeddings-model <id>', 'its model')
    .option('--embeddings-key-env <name>', 'the variable that holds its key')
    .option('--smoke-test', 'call everything once in this process, say what came, and end')
    .action((flags: ServeFlags) => serve(flags, parts));
}

async function serve(flags: ServeFlags, parts: ServeParts): Promise<void> {
  const { createSkillsServer, Embeddings, missingFolder, semanticTool } =
    await import('../catalogue/create.ts');
  const embeddings = embeddingsOf(flags, parts);
  const log = new StructuredLog((line) => process.stderr.write(line));
  const core = createCore();
  const server = createSkillsServer({
    core,
    skillsRoot: folders(flags, missingFolder),
    moreTools: embeddings === null ? [] : [semanticTool(new Embeddings(embeddings))],
    provider: repositories(flags, core, log, parts.environment),
    onWarning: ({ skill, message }) =>
      log.warn('skill', { ...(skill !== '' && { skill }), message }),
    onError: ({ message }) => log.warn('connection', { message }),
  });
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

/** `./skills` only when nothing else is named. Of several folders those that are there are enough. */
function folders(
  { skillsRoot, git }: ServeFlags,
  missingFolder: (root: string) => string | null,
): readonly string[] {
  const named = skillsRoot.length === 0 && git.length === 0 ? ['skills'] : skillsRoot;
  const missing = named.flatMap((root) => missingFolder(root) ?? []);
  if (missing.length > 0 && missing.length === named.length && git.length === 0) {
    throw new CliFailure(
      2,
      `${missing.join('; ')}. Name a folder of skills that is there, and can be read, by --skills-root`,
    );
  }
  return named;
}

function repositories(
  { git, gitRefresh }: ServeFlags,
  core: Core,
  log: StructuredLog,
  environment: ServeParts['environment'],
): readonly SkillProvider[] {
  const base = environment['XDG_CACHE_HOME'] ?? '';
  // The base directory specification: a path that is not absolute is ignored.
  const cache = join(isAbsolute(base) ? base : join(homedir(), '.cache'), 'gbs-agent', 'skills');
  return git.map(
    (source) =>
      new GitProvider({
        core,
        source,
        cache,
        refreshMs: gitRefresh * 1000,
        onProblem: (message) => {
          if (message !== null) log.warn('git', { message });
        },
      }),
  );
}

function gitFlag(text: string): GitSource {
  try {
    return gitSource(text);
  } catch (error) {
    if (error instanceof GitRefusal) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

function seconds(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a whole number of seconds.');
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
  return tokenEnv === undefined ? null : held(tokenEnv, '--token-env', environment);
}

/** Null when no search by meaning is wanted. */
function embeddingsOf(flags: ServeFlags, { environment }: ServeParts): EmbeddingsOptions | null {
  const { embeddingsUrl: url, embeddingsModel: model, embeddingsKeyEnv: name } = flags;
  if (url === undefined && model === undefined) return null;
  if (url === undefined || model === undefined) {
    throw new CliFailure(2, 'search by meaning takes both --embeddings-url and --embeddings-model');
  }
  if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw new CliFailure(2, `--embeddings-url takes an address, not ${JSON.stringify(url)}`);
  }
  const key = name === undefined ? null : held(name, '--embeddings-key-env', environment);
  return { url, model, key };
}

function held(name: string, flag: string, environment: ServeParts['environment']): string {
  const value = environment[name] ?? '';
  if (value === '') throw new CliFailure(2, `${flag} names ${name}, which is not set or empty`);
  return value;
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
