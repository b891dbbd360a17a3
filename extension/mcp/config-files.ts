/**
 * The configuration files of all levels, as the core takes them: lowest precedence first.
 *
 * Of several workspace folders the first one wins, so its files come last. What cannot be read is a
 * problem of that file alone.
 */
import { realpath } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { ConfigSource, Problem } from '../core.ts';
import { CONFIG_FILE_BYTES } from '../limits.ts';
import { never } from '../never.ts';
import type { ConfigurationProblem } from './plans.ts';
import { readRegularFile } from './regular-file.ts';

/** What the user setting is called where a file's path is shown. */
export const SETTING = 'gbsAgent.mcpServers';

export interface ConfigFilesParts {
  readonly folders: readonly string[];
  /** JSON text of the user setting. */
  readonly setting: string;
  readonly userHome: string;
  readonly platform: NodeJS.Platform;
}

export interface ConfigFiles {
  readonly sources: readonly ConfigSource[];
  readonly problems: readonly ConfigurationProblem[];
}

export async function readConfigFiles(parts: ConfigFilesParts): Promise<ConfigFiles> {
  const sources: ConfigSource[] = [];
  const problems: ConfigurationProblem[] = [];
  const users = userFiles(parts.userHome, parts.platform);
  const taken = new Set(await Promise.all(users.map(realOrItself)));
  const places = [
    ...(await repositoryPlaces(parts, taken)),
    ...users.map((path) => ({ path, origin: 'user' as const, folder: '' })),
  ];
  for (const { path, origin, folder } of places) {
    const read = await readText(path);
    switch (read.kind) {
      case 'text':
        sources.push({
          origin,
          path,
          text: read.text,
          ...(folder === '' ? {} : { folder }),
          // Programs that the agent runs can write these two.
          guarded: origin === 'user',
        });
        break;
      case 'missing':
        break;
      case 'problem':
        problems.push({ path, server: null, problem: read.problem });
        // It may define servers whose names no repository may take.
        if (origin === 'user') sources.push({ origin, path, text: '', unreadable: true });
        break;
      default:
        never(read);
    }
  }
  const text = settingText(parts.setting);
  if (text !== null) sources.push({ origin: 'user', path: SETTING, text, guarded: false });
  return { sources, problems };
}

/** The user's files, lowest precedence first. */
export function userFiles(userHome: string, platform: NodeJS.Platform): string[] {
  const { join } = platform === 'win32' ? win32 : posix;
  return [join(userHome, '.claude', 'mcp.json'), join(userHome, '.gbs', 'mcp.json')];
}

/** Those of the workspace, but for a user's file that lies there, as in an opened home folder. */
async function repositoryPlaces(
  { folders, platform }: ConfigFilesParts,
  taken: ReadonlySet<string>,
): Promise<{ path: string; origin: 'repository'; folder: string }[]> {
  const { join } = platform === 'win32' ? win32 : posix;
  const places = folders.toReversed().flatMap((folder) =>
    [join(folder, '.mcp.json'), join(folder, '.gbs', 'mcp.json')].map((path) => ({
      path,
      origin: 'repository' as const,
      folder,
    })),
  );
  const real = await Promise.all(places.map(({ path }) => realOrItself(path)));
  return places.filter((_, index) => !taken.has(real[index] ?? ''));
}

function realOrItself(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

type TextRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: Problem };

async function readText(path: string): Promise<TextRead> {
  const pieces: Buffer[] = [];
  const read = await readRegularFile(path, CONFIG_FILE_BYTES, (bytes) => {
    pieces.push(Buffer.from(bytes));
  });
  switch (read.kind) {
    case 'read':
      return { kind: 'text', text: decoded(Buffer.concat(pieces)) };
    case 'missing':
      return { kind: 'missing' };
    case 'folder':
      return problem('not-a-file', 'This is a folder. Servers are configured in a file.');
    case 'odd':
      return problem('not-a-file', 'This leads to a pipe or device, not to a file.');
    case 'tooLarge':
      return problem(
        'file-too-large',
        `The file has ${String(read.bytes)} bytes; ${String(CONFIG_FILE_BYTES)} are read at most. Remove what is not a server.`,
      );
    case 'unreadable':
      return problem(
        'unreadable-file',
        `The file cannot be read (${read.code}). Check who may read it.`,
      );
    default:
      return never(read);
  }
}

function problem(code: string, message: string): TextRead {
  const start = { line: 1, column: 1 };
  return {
    kind: 'problem',
    problem: { code, severity: 'error', message, start, end: start, fix: null },
  };
}

/** UTF-8, or UTF-16 as some shells of Windows write files; a BOM says which. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The setting is a map of servers; somebody who pastes a whole file into it means the same. */
function settingText(setting: string): string | null {
  if (['', '{}', 'null'].includes(setting.trim())) return null;
  return holdsMap(setting) ? setting : `{"mcpServers": ${setting}\n}`;
}

function holdsMap(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return false;
    return ['mcpServers', 'servers'].some((key) => {
      const map: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
      return typeof map === 'object' && map !== null && !('command' in map) && !('url' in map);
    });
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
