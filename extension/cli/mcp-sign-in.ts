/** `gbs mcp login` and `logout`: signing in to servers that are reached by a url. */
import type { Command } from 'commander';
import { SignInFailure } from '../mcp/oauth/failure.ts';
import type { SignInDesk, SignInQuestion } from '../mcp/oauth/flow.ts';
import type { EnteredClient } from '../mcp/oauth/kept.ts';
import { brought, listen } from '../mcp/oauth/landing.ts';
import type { SignIns } from '../mcp/oauth/sign-ins.ts';
import type { PlannedServer, ServerAddress } from '../mcp/plans.ts';
import { failForMissing, printDone, namedOrAll } from './consent.ts';
import { chosen, mcpCommand, plansOf, standingWords } from './mcp-parts.ts';
import { openPage } from './open-page.ts';
import { CliFailure, oneLine, type CliParts } from './parts.ts';
import { readLine } from './read-line.ts';
import { signInsOf } from './sign-ins.ts';

interface LoginFlags {
  readonly paste?: true;
  /** False with `--no-open`. */
  readonly open: boolean;
  readonly yes?: true;
  readonly clientId?: string;
}

/** The variable that holds the secret of a client: on the command line others could read it. */
const secretVariable = 'GBS_MCP_CLIENT_SECRET';

export function register(program: Command, parts: CliParts): void {
  const mcp = mcpCommand(program);
  mcp
    .command('login <name>')
    .description('Sign in to a server in the browser, after showing who signs you in')
    .option('--paste', 'the browser is on another machine: paste the address that it ends at')
    .option('--no-open', 'show the address of the page, and open nothing')
    .option('--yes', 'go there without asking; what is asked is shown all the same')
    .option('--client-id <id>', `a client that you registered; its secret in ${secretVariable}`)
    .action(async (name: string, flags: LoginFlags) => {
      const server = await approved(name, parts);
      await login({ name, ...server }, flags, parts);
      if (parts.json) parts.printJson({ signedIn: [name] });
      else printDone('Signed in to', [name], '', parts);
    });
  mcp
    .command('logout [names...]')
    .description('Sign out of servers: these by name, or --all')
    .option('--all', 'every server that you signed in to, in any folder')
    .action(async (names: string[], { all }: { all?: true }) => {
      const asked = namedOrAll('which servers to sign out of', names, all === true);
      const signedOut = await logout(asked, parts);
      if (parts.json) parts.printJson({ signedOut });
      else printDone('Signed out of', signedOut, 'You were signed in to none.', parts);
      failForMissing('not signed in', asked, signedOut, parts);
    });
}

/** The address of a server that may be called: nobody signs in to what was not approved. */
async function approved(name: string, parts: CliParts): Promise<ServerAddress> {
  const plan = await plansOf(parts).read(parts.workspace());
  const [server] = chosen(plan, [name], parts);
  if (server?.address == null) throw new CliFailure(1, noAddress(name, parts));
  const { standing, address } = server;
  if (address.ownAuthorization) {
    const own = `${name}: its entry in ${server.path} has an "Authorization" in its headers, and that is what is sent. Remove it there to sign in`;
    throw new CliFailure(1, oneLine(parts, own));
  }
  if (standing.kind === 'ready') return address;
  const words = oneLine(parts, `${name}: ${standingWords(server)}`);
  if (standing.kind !== 'asks' && standing.kind !== 'declined') throw new CliFailure(1, words);
  throw new CliFailure(3, `${words}. Approve it first: gbs mcp approve ${oneLine(parts, name)}`);
}

function noAddress(name: string, parts: CliParts): string {
  return oneLine(parts, `${name} is a program; one signs in to servers that have a "url"`);
}

async function login(
  server: ServerAddress & { readonly name: string },
  flags: LoginFlags,
  parts: CliParts,
): Promise<void> {
  const client =
    flags.clientId === undefined
      ? null
      : { id: flags.clientId, secret: parts.environment[secretVariable] ?? null };
  try {
    await signInsOf(parts).signIn(server, deskOf(flags, parts), { client, signal: parts.signal });
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const words = `${server.name}: ${error.message} ${error.remedy}`;
    throw new CliFailure(1, oneLine(parts, words));
  }
}

function deskOf(flags: LoginFlags, parts: CliParts): SignInDesk {
  const { err } = parts.screen;
  const terminal = process.stdin.isTTY && err.terminal;
  const read = (prompt: string, signal: AbortSignal) =>
    readLine(prompt, signal, () => {
      parts.interrupt();
    });
  return {
    agrees: async (question) => {
      for (const line of questionLines(question, parts)) err.line(line);
      if (flags.yes === true) return true;
      if (!terminal) throw new CliFailure(3, 'a terminal is needed to ask, or --yes');
      const answer = await read('Go there? y/N ', parts.signal);
      return answer?.trim().toLowerCase() === 'y';
    },
    // Asked for beforehand: what a failure says names the flag.
    client: (): Promise<EnteredClient | null> => Promise.resolve(null),
    land: (place) =>
      flags.paste === true
        ? Promise.resolve(
            brought(
              place,
              (signal) => read('Paste the address that the browser ends at: ', signal),
              () => new SignInFailure('no-answer', 'Nobody was signed in: no address was given.'),
            ),
          )
        : listen(place, {
            title: 'Back to the terminal',
            text: 'gbs goes on with signing in. This page can be closed.',
          }),
    open: async (page) => {
      const opened = flags.paste !== true && flags.open && (await openPage(page, parts));
      err.line(opened ? 'Opened in the browser:' : 'Open this in the browser:');
      err.line(page.href);
    },
  };
}

function questionLines(question: SignInQuestion, parts: CliParts): readonly string[] {
  const { name, address, issuer, page, resource, scopes, added, client } = question;
  const { paint } = parts.screen.err;
  const row = (term: string, value: string): string =>
    `  ${paint.dim(term.padEnd(12))} ${oneLine(parts, value)}`;
  const known: Record<SignInQuestion['client'], string> = {
    entered: 'the client that you entered',
    document: 'your client document',
    known: 'as before',
    register: 'registers this program there',
    unknown: 'registers nobody; give --client-id',
  };
  return [
    paint.bold(oneLine(parts, `Sign in to ${name}?`)),
    row('Server', address),
    row('Signed in by', issuer),
    row('Page', page),
    ...(resource === null ? [] : [row('Good for', resource)]),
    row('Asks for', scopes.length === 0 ? 'what it gives by itself' : scopes.join(' ')),
    ...(added.length === 0 ? [] : [row('New', added.join(' '))]),
    row('Known as', known[client]),
    paint.dim(
      '  The server can then do in your name what this gives. Check that you know the issuer.',
    ),
  ];
}

/** Gives the names, or with all the addresses, of those that somebody was signed in to. */
async function logout(
  names: readonly string[] | null,
  parts: CliParts,
): Promise<readonly string[]> {
  const signIns = signInsOf(parts);
  const done: string[] = [];
  for (const { name, url } of names === null
    ? await everywhere(signIns)
    : await here(names, parts)) {
    const { was, told } = await signIns.signOut(url, parts.signal);
    if (was) done.push(name);
    if (was && !told) {
      parts.log.info(`${name}: its issuer was not told; a token lives there until it ends`);
    }
  }
  return done;
}

async function here(
  names: readonly string[],
  parts: CliParts,
): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const plan = await plansOf(parts).read(parts.workspace());
  return chosen(plan, names, parts).map(({ name, address }: PlannedServer) => {
    if (address === null) throw new CliFailure(1, noAddress(name, parts));
    return { name, url: address.url };
  });
}

async function everywhere(
  signIns: SignIns,
): Promise<readonly { readonly name: string; readonly url: string }[]> {
  const addresses = await signIns.servers();
  // Only where it is: the rest of an address can hold what nobody should read.
  return addresses.map((url) => ({ name: new URL(url).origin, url }));
}
