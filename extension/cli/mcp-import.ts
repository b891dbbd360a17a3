/**
 * `gbs mcp import`: the servers that other programs have, and taking some of them along. Without a name
 * it only shows them; nothing is started either way.
 */
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { findServersToImport, importServer, type Importable } from '../mcp/import/import.ts';
import { mcpCommand, plansOf, shownPath } from './mcp-parts.ts';
import { CliFailure, type CliParts, oneLine } from './parts.ts';

interface Flags {
  readonly from?: string;
  readonly to: 'user' | 'project';
}

export function register(program: Command, parts: CliParts): void {
  mcpCommand(program)
    .command('import [servers...]')
    .description('Show the servers of other programs, or take these along; starts none')
    .option('--from <program>', 'only of this program, such as "Cursor"')
    .addOption(
      new Option('--to <whose>', 'whose file they are written to')
        .choices(['user', 'project'])
        .default('user'),
    )
    .action((names: string[], flags: Flags) => run(names, flags, parts));
}

async function run(names: readonly string[], flags: Flags, parts: CliParts): Promise<void> {
  const { userHome, platform, environment } = parts;
  const workspace = parts.workspace();
  const { folders } = workspace;
  const found = await findServersToImport({ userHome, platform, environment, folders });
  const wanted = (flags.from ?? '').toLowerCase();
  const servers = found.servers.filter(({ program }) => program.toLowerCase().includes(wanted));
  for (const problem of found.problems) parts.log.warn(oneLine(parts, problem));
  if (names.length > 0) return take(servers, names, flags, parts);
  const plan = await plansOf(parts).read(workspace);
  const owner = (name: string): string =>
    plan.servers.find((server) => server.name === name)?.path ?? '';
  if (parts.json) {
    parts.printJson({
      servers: servers.map((server) => ({
        name: server.name,
        program: server.program,
        path: server.path,
        shown: server.shown,
        brings: server.brings,
        lost: server.lost,
        taken: owner(server.name) || null,
      })),
      problems: found.problems,
    });
    return;
  }
  const { out } = parts.screen;
  if (servers.length === 0) out.line('No servers of other programs here.');
  for (const server of servers) print(server, owner(server.name), parts);
}

function print(server: Importable, owner: string, parts: CliParts): void {
  const { out } = parts.screen;
  const from = `${server.program}, ${shownPath(server.path, parts)}`;
  out.line(
    `${out.paint.bold(oneLine(parts, server.name))}  ${out.paint.dim(oneLine(parts, from))}`,
  );
  out.line(`  ${oneLine(parts, server.shown)}`);
  if (server.brings.length > 0) {
    out.line(`  ${out.paint.dim(`Brings ${oneLine(parts, server.brings.join(', '))}.`)}`);
  }
  for (const lost of server.lost) out.line(`  ${out.paint.yellow(oneLine(parts, lost))}`);
  if (owner !== '') {
    const taken = `A server of this name stands in ${shownPath(owner, parts)}.`;
    out.line(`  ${out.paint.yellow(oneLine(parts, taken))}`);
  }
}

async function take(
  servers: readonly Importable[],
  names: readonly string[],
  { to }: Flags,
  parts: CliParts,
): Promise<void> {
  const [folder = ''] = parts.workspace().folders;
  const target =
    to === 'user'
      ? { path: join(parts.userHome, '.gbs', 'mcp.json'), within: null }
      : { path: join(folder, '.gbs', 'mcp.json'), within: folder };
  // All of them are looked at before the first is written.
  const chosen = names.map((name) => {
    const [server, other] = servers.filter((one) => one.name === name);
    if (server === undefined) {
      throw new CliFailure(1, `no program has a server ${oneLine(parts, name)}`);
    }
    if (other !== undefined) {
      const programs = `${server.program} and ${other.program}`;
      throw new CliFailure(2, oneLine(parts, `${programs} have a ${name}: choose by --from`));
    }
    return server;
  });
  const failed: string[] = [];
  for (const server of chosen) {
    const message = await importServer(server, target);
    if (message !== null) failed.push(message);
    else {
      const where = shownPath(target.path, parts);
      parts.screen.err.line(oneLine(parts, `${server.name} is written to ${where}.`));
      for (const lost of server.lost) parts.log.warn(oneLine(parts, `${server.name}: ${lost}`));
    }
  }
  if (failed.length > 0) throw new CliFailure(1, oneLine(parts, failed.join(' ')));
}
