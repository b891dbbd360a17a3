/** Where other programs keep their MCP servers, as their documentation has it, on each platform. */
import { posix, win32 } from 'node:path';

/** Whose file it is. */
export type Program = 'Claude Desktop' | 'Claude Code' | 'Cursor' | 'VS Code' | 'Codex';

export interface ImportPlace {
  readonly program: Program;
  /** Absolute. */
  readonly path: string;
}

export interface Surroundings {
  /** Absolute. */
  readonly userHome: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
  /** Workspace folders, absolute; empty where none may be read. */
  readonly folders: readonly string[];
}

export function importPlaces(surroundings: Surroundings): readonly ImportPlace[] {
  const { userHome, platform, environment, folders } = surroundings;
  const { join } = platform === 'win32' ? win32 : posix;
  /** The folder in which a program of this platform keeps its settings. */
  const settings = (name: string): string => {
    if (platform === 'win32') {
      return join(environment.APPDATA || join(userHome, 'AppData', 'Roaming'), name);
    }
    return platform === 'darwin'
      ? join(userHome, 'Library', 'Application Support', name)
      : join(environment.XDG_CONFIG_HOME || join(userHome, '.config'), name);
  };
  const place = (program: Program, ...path: readonly [string, ...string[]]): ImportPlace => ({
    program,
    path: join(...path),
  });
  return [
    place('Claude Desktop', settings('Claude'), 'claude_desktop_config.json'),
    place('Claude Code', userHome, '.claude.json'),
    place('Cursor', userHome, '.cursor', 'mcp.json'),
    ...folders.map((folder) => place('Cursor', folder, '.cursor', 'mcp.json')),
    place('VS Code', settings('Code'), 'User', 'mcp.json'),
    ...folders.map((folder) => place('VS Code', folder, '.vscode', 'mcp.json')),
    place('Codex', environment.CODEX_HOME || join(userHome, '.codex'), 'config.toml'),
    ...folders.map((folder) => place('Codex', folder, '.codex', 'config.toml')),
  ];
}
