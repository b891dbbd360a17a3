/**
 * An agent in the terminal: its events drawn or printed, its cards asked, everything ended at the
 * end. `run` sends it one message, `chat` many.
 */
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Mode, RunEvent, TurnEnd } from '../agent/events.ts';
import { OUTPUT_LINES } from '../limits.ts';
import { READ_RESOURCE } from '../mcp/resource-tool.ts';
import { never } from '../never.ts';
import { onStop } from '../on-stop.ts';
import type { SkillEntry } from '../skills/skills.ts';
import { createAgent, type CliAgent } from './agent.ts';
import { createAsk } from './ask.ts';
import { Drawing } from './draw.ts';
import { eventLine } from './event-line.ts';
import { tellUnknown, tellUnknownHosts, tellUnknownServers } from './flag-names.ts';
import { KeptTalk, type KeepFlags } from './kept-talk.ts';
import { plansOf } from './mcp-parts.ts';
import { tokens } from './models.ts';
import { CliFailure, type CliParts, collect } from './parts.ts';

export interface TalkFlags extends KeepFlags {
  readonly yesMcp?: readonly string[];
  readonly yesSkills?: boolean;
  readonly yesHost?: readonly string[];
  readonly allow?: readonly string[];
  readonly events?: string;
}

/** The flags that `openTalk` understands. */
export function addTalkFlags(command: Command): Command {
  return command
    .option('--yes-mcp <server>', 'start this server as it is configured now', collect, [])
    .option('--yes-skills', "use the repository's skills and instructions as they are now")
    .option(
      '--yes-host <host>',
      'send to this model server, which is not on this machine',
      collect,
      [],
    )
    .option('--allow <tool>', 'let this tool of a server be called', collect, [])
    .option('-c, --continue', 'go on with the last chat of this folder')
    .option('-r, --resume [words]', 'go on with the chat of this folder that holds these words')
    .option('--events <file>', 'also write the events there, as JSON lines');
}

export interface Talk {
  /** One turn. Throws a `CliFailure` when it needed an approval that nobody could give. */
  send(text: string): Promise<TurnEnd>;
  /** Every skill as it stands now, without asking anybody. */
  skills(): Promise<readonly SkillEntry[]>;
  /** Ends the turn that runs. */
  stop(): void;
  /** Forgets the conversation. */
  reset(): Promise<void>;
  /** Ends everything that was started. */
  close(): Promise<void>;
}

/** Reaches the model server and says what works. Throws `ModelError` when it is not there. */
export async function openTalk(flags: TalkFlags, parts: CliParts): Promise<Talk> {
  const drawing = new Drawing({
    screen: parts.screen,
    visible: (text) => parts.core.visibleText(text),
    folder: parts.workspace().folders[0] ?? '',
    now: () => performance.now(),
    outputLines: OUTPUT_LINES,
  });
  const needed: string[] = [];
  const agents: CliAgent[] = [];
  const stop = (): void => {
    for (const { session } of agents) session.stop();
  };
  const file = flags.events === undefined ? null : await eventsFile(resolve(flags.events));
  // A full disk, say: the turn ends, and its end says why.
  let lost = '';
  file?.on('error', (error) => {
    lost = unwritable(flags.events ?? '', error);
    stop();
  });
  const ask = createAsk(parts, {
    answers: {
      yesMcp: flags.yesMcp ?? [],
      yesSkills: flags.yesSkills === true,
      yesHosts: flags.yesHost ?? [],
      allow: flags.allow ?? [],
    },
    pause: (paused) => {
      drawing.pause(paused);
    },
    needsApproval: (_card, flag) => {
      needed.push(flag);
      stop();
    },
  });
  let told = false;
  const kept: KeptTalk[] = [];
  const emit = (event: RunEvent): void => {
    for (const each of kept) each.emit(event);
    file?.write(eventLine(event));
    const prepared = !told && event.type === 'phase' && event.phase.kind === 'waitingForModel';
    if (prepared) {
      told = true;
      drawing.pause(true);
      tellUnknownTools(flags, agents, parts);
      drawing.pause(false);
    }
    if (parts.json) {
      parts.screen.out.write(eventLine(event));
      return;
    }
    if (prepared) drawing.has(agents.flatMap((agent) => agent.has()));
    drawing.handle(event);
  };
  const listening = onStop(parts.signal, stop);
  const close = async (): Promise<void> => {
    listening();
    drawing.close();
    for (const each of kept) await each.close();
    for (const agent of agents) await agent.dispose();
    if (file) await ended(file);
  };
  try {
    const agent = await createAgent(parts, { ask, emit });
    agents.push(agent);
    await tellUnknownNames(flags, agent, parts);
    const keeping = new KeptTalk(parts, agent.session);
    kept.push(keeping);
    if (!parts.json) header(agent, parts);
    await keeping.takeUp(flags);
    return {
      send: async (text) => {
        const end = await agent.session.send(text);
        drawing.close();
        if (lost !== '') throw new CliFailure(1, lost);
        if (needed.length > 0) throw needsApproval(needed.splice(0), parts);
        return end;
      },
      skills: () => agent.skills(),
      stop,
      reset: () => keeping.begin(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Of servers and hosts; which tools there are is known when the servers run. */
async function tellUnknownNames(
  { yesMcp = [], yesHost = [] }: TalkFlags,
  { provider, settings }: CliAgent,
  parts: CliParts,
): Promise<void> {
  tellUnknownHosts(yesHost, provider.host, parts);
  // Where the agent may connect a server of any name, the flag may be for one that is not there yet.
  if (yesMcp.length === 0 || settings.selfConfiguration) return;
  tellUnknownServers(yesMcp, await plansOf(parts).read(parts.workspace()), parts);
}

/** Of `--allow`, once the servers run. */
function tellUnknownTools(
  { allow = [] }: TalkFlags,
  agents: readonly CliAgent[],
  parts: CliParts,
): void {
  // As above: its server may be connected later.
  if (agents.some(({ settings }) => settings.selfConfiguration)) return;
  const given = allow.filter((name) => name !== READ_RESOURCE);
  const tools = agents.flatMap((agent) => agent.serverTools());
  tellUnknown('--allow', given, 'tool of a server', tools, parts);
}

/** Open for writing, before anything is started: its failure is then the command's. */
async function eventsFile(path: string): Promise<WriteStream> {
  const file = createWriteStream(path);
  try {
    await once(file, 'open');
  } catch (error) {
    throw new CliFailure(2, unwritable(path, error));
  }
  return file;
}

function unwritable(path: string, error: unknown): string {
  return `the events cannot be written to ${path}: ${error instanceof Error ? error.message : String(error)}`;
}

async function ended(file: WriteStream): Promise<void> {
  file.end();
  if (!file.closed) await once(file, 'close');
}

/** What works on the request: model, host, window, mode. */
function header({ provider, model, settings }: CliAgent, parts: CliParts): void {
  const { err } = parts.screen;
  const name = model?.id ?? settings.model;
  const window = settings.contextWindow;
  const facts = [
    name === '' ? provider.host : `${parts.core.visibleText(name)} on ${provider.host}`,
    ...(window > 0 ? [tokens(window)] : []),
    ...(settings.permissionMode === 'auto' ? [] : [modeName(settings.permissionMode)]),
  ];
  err.line(err.paint.dim(facts.join(', ')));
  if (settings.permissionMode === 'auto')
    err.line(
      err.paint.yellow('Full auto: runs without asking, but for protected paths and consent'),
    );
  err.line('');
}

function modeName(mode: Mode): string {
  switch (mode) {
    case 'ask':
      return 'Ask first';
    case 'acceptEdits':
      return 'Auto-edit';
    case 'auto':
      return 'Full auto';
    default:
      return never(mode);
  }
}

function needsApproval(needed: readonly string[], parts: CliParts): CliFailure {
  const flags = [...new Set(needed.filter((flag) => flag !== ''))];
  const how =
    flags.length > 0
      ? `run it in a terminal, or answer beforehand: ${flags.join(' ')}`
      : 'run it in a terminal to answer';
  return new CliFailure(3, parts.core.visibleText(`needs approval: ${how}`));
}
