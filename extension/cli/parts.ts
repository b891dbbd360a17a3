/**
 * What every subcommand is handed: the core, settings, the state folder, the workspace, the screen.
 * Made once in `main.ts`; a subcommand reads it inside its action, when the flags are known.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Workspace } from '../agent/contributor.ts';
import { modes, type Settings } from '../agent/settings.ts';
import { createCore, type Core } from '../core.ts';
import type { Log } from '../log.ts';
import { StateFolder } from '../state.ts';
import { createScreen, type ColorChoice, type Screen } from './screen.ts';
import { readSettings } from './settings.ts';
import type { Stop } from './stop.ts';

/** Ends the command: 1 failed, 2 usage, 3 needs approval. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  constructor(
    readonly exitCode: 1 | 2 | 3,
    message: string,
  ) {
    super(message);
  }
}

export interface CliParts {
  readonly core: Core;
  readonly environment: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly userHome: string;
  readonly screen: Screen;
  /** Notes to stderr; `info` only with `--verbose`. */
  readonly log: Log;
  readonly state: StateFolder;
  /** Absolute folder for snapshots and saved outputs; made by who writes there. */
  readonly storage: string;
  /** `--json`: one JSON document on stdout (events: one a line), nothing else there. */
  readonly json: boolean;
  /** Fires at Ctrl-C, SIGTERM and a closed terminal. */
  readonly signal: AbortSignal;
  /** What Ctrl-C does, for who reads keys itself. */
  interrupt(): void;
  /** From now on Ctrl-C does this instead of ending the command; gives how to end that. */
  intercept(handler: () => void): () => void;
  settings(): Settings;
  /** True for a setting that a flag, the environment or the user's file sets. */
  named(key: keyof Settings): boolean;
  /** The folder of `--workspace`, else the current one. */
  workspace(): Workspace;
  /** The key for the model server, from the environment alone; empty for none. */
  apiKey(): string;
  /** Prints a value as JSON on stdout. */
  printJson(value: unknown): void;
}

interface GlobalFlags {
  readonly workspace?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly mode?: string;
  readonly set?: readonly string[];
  readonly json?: boolean;
  readonly color?: ColorChoice;
  readonly verbose?: boolean;
}

/** The values of a flag that may be repeated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Somebody else's text on one line of a terminal. */
export function oneLine(parts: Pick<CliParts, 'core'>, text: string): string {
  return parts.core.visibleText(text.replaceAll(/\s+/g, ' ').trim());
}

/** Flags that every subcommand takes, before or after its name. */
export function addGlobalFlags(program: Command): void {
  program
    .option('--workspace <dir>', 'the workspace folder (default: the current one)')
    .option('--model <id>', 'the model (default: the first the server has)')
    .option('--base-url <url>', 'an OpenAI-compatible server, such as http://localhost:11434/v1')
    .addOption(new Option('--mode <mode>', 'what runs without asking').choices(modes))
    .option(
      '--set <name=value>',
      'any other setting, such as maxSteps=5; may be repeated',
      collect,
      [],
    )
    .option('--json', 'JSON on stdout')
    .addOption(
      new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'),
    )
    .option('--verbose', 'say more on stderr');
}

/** Where the command line keeps its state, apart from the editor's. */
function stateRoot(environment: Readonly<Record<string, string>>, userHome: string): string {
  const base = environment['XDG_STATE_HOME'] ?? '';
  // The base directory specification: a path that is not absolute is ignored.
  return join(isAbsolute(base) ? base : join(userHome, '.local', 'state'), 'gbs-agent');
}

export function createParts(program: Command, stop: Stop): CliParts {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) environment[name] = value;
  }
  const userHome = homedir();
  const root = stateRoot(environment, userHome);
  const flags = (): GlobalFlags => program.opts();
  const once = <T>(make: () => T): (() => T) => {
    let made: { readonly value: T } | null = null;
    return () => (made ??= { value: make() }).value;
  };

  const state = once(() => new StateFolder(root));
  const screen = once(() =>
    createScreen(
      { out: process.stdout, err: process.stderr },
      flags().color ?? 'auto',
      environment,
      process.platform,
    ),
  );
  const log: Log = {
    info: (text) => {
      if (flags().verbose === true) screen().err.line(screen().err.paint.dim(text));
    },
    warn: (text) => {
      screen().err.line(`${screen().err.paint.yellow(screen().marks.look)} ${text}`);
    },
    error: (text) => {
      screen().err.line(`${screen().err.paint.red(screen().marks.failed)} ${text}`);
    },
  };
  const core = once(() =>
    createCore({
      log: (error) => log.info(error.stack ?? error.message),
      tell: () =>
        log.error('Something inside gbs failed and was started anew (--verbose says more).'),
    }),
  );
  const read = once(() => {
    const given = readSettings({
      flags: flagSettings(flags()),
      environment,
      file: userFile(join(userHome, '.gbs', 'settings.json')),
    });
    if (given.refused.length > 0) throw new CliFailure(2, given.refused.join('\n'));
    for (const problem of given.problems) log.warn(problem);
    return given;
  });
  const workspace = once((): Workspace => {
    const folder = resolve(flags().workspace ?? '.');
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found === undefined) throw new CliFailure(2, `there is no folder ${folder}`);
    if (!found.isDirectory()) throw new CliFailure(2, `${folder} is not a folder`);
    return { folders: [realpathSync(folder)], trusted: true, openFile: null };
  });

  return {
    get core() {
      return core();
    },
    get state() {
      return state();
    },
    get screen() {
      return screen();
    },
    get json() {
      return flags().json === true;
    },
    environment,
    platform: process.platform,
    userHome,
    log,
    storage: join(root, 'storage'),
    signal: stop.signal,
    interrupt: () => {
      stop.interrupt();
    },
    intercept: (handler) => stop.intercept(handler),
    settings: () => read().settings,
    named: (key) => read().named.has(key),
    workspace,
    apiKey: () => environment['GBS_API_KEY'] ?? '',
    printJson: (value) => {
      screen().out.line(JSON.stringify(value, null, 2));
    },
  };
}

function flagSettings(flags: GlobalFlags): { name: string; value: string }[] {
  const list = (flags.set ?? []).map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw new CliFailure(2, `--set takes name=value, not ${JSON.stringify(pair)}`);
    return { name: pair.slice(0, at), value: pair.slice(at + 1) };
  });
  if (flags.model !== undefined) list.push({ name: 'model', value: flags.model });
  if (flags.baseUrl !== undefined) list.push({ name: 'openai.baseUrl', value: flags.baseUrl });
  if (flags.mode !== undefined) list.push({ name: 'permissionMode', value: flags.mode });
  return list;
}

function userFile(path: string): { path: string; text: string } | null {
  try {
    // Reading a pipe or a device may never end, deaf to every signal.
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    return { path, text: readFileSync(path, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CliFailure(
      1,
      `${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
