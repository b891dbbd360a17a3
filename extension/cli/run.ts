/** `gbs run "…"`: one turn of the agent in the terminal, or for a program with `--json`. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Mode, RunEvent, TurnEnd } from '../agent/events.ts';
import type { Card } from '../core.ts';
import { OUTPUT_LINES } from '../limits.ts';
import { never } from '../never.ts';
import { createAgent, type CliAgent } from './agent.ts';
import { createAsk, type FlagAnswers } from './ask.ts';
import { Drawing } from './draw.ts';
import { eventLine } from './event-line.ts';
import { tokens } from './models.ts';
import { CliFailure, type CliParts } from './parts.ts';
import { modelFailure } from './provider.ts';

interface RunFlags {
  readonly yesMcp?: readonly string[];
  readonly yesSkills?: boolean;
  readonly yesHost?: readonly string[];
  readonly allow?: readonly string[];
  readonly events?: string;
}

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export function register(program: Command, parts: CliParts): void {
  addAnswerFlags(program.command('run'))
    .description('let the agent do one thing, then end')
    .argument('<request>', 'what it is to do')
    .option('--events <file>', 'also write the events there, as JSON lines')
    .action((request: string, flags: RunFlags) => run(request, flags, parts));
}

/** Answers given beforehand; `chat` takes the same ones. */
export function addAnswerFlags(command: Command): Command {
  return command
    .option('--yes-mcp <server>', 'start this server as it is configured now', collect, [])
    .option('--yes-skills', "use the repository's skills and instructions as they are now")
    .option(
      '--yes-host <host>',
      'send to this model server, which is not on this machine',
      collect,
      [],
    )
    .option('--allow <tool>', 'let this tool of a server be called', collect, []);
}

export function answersOf(flags: RunFlags): FlagAnswers {
  return {
    yesMcp: flags.yesMcp ?? [],
    yesSkills: flags.yesSkills === true,
    yesHosts: flags.yesHost ?? [],
    allow: flags.allow ?? [],
  };
}

async function run(request: string, flags: RunFlags, parts: CliParts): Promise<void> {
  const workspace = parts.workspace();
  const drawing = new Drawing({
    screen: parts.screen,
    visible: (text) => parts.core.visibleText(text),
    folder: workspace.folders[0] ?? '',
    now: () => performance.now(),
    outputLines: OUTPUT_LINES,
  });
  const needed: { readonly card: Card; readonly flag: string }[] = [];
  const agents: CliAgent[] = [];
  const stop = (): void => {
    for (const { session } of agents) session.stop();
  };
  const ask = createAsk(parts, {
    answers: answersOf(flags),
    pause: (paused) => {
      drawing.pause(paused);
    },
    needsApproval: (card, flag) => {
      needed.push({ card, flag });
      stop();
    },
  });
  const file = flags.events === undefined ? null : createWriteStream(resolve(flags.events));
  let started = false;
  const emit = (event: RunEvent): void => {
    file?.write(eventLine(event));
    if (parts.json) {
      parts.screen.out.write(eventLine(event));
      return;
    }
    if (!started && event.type === 'phase' && event.phase.kind === 'waitingForModel') {
      started = true;
      drawing.has(agents.flatMap((agent) => agent.has()));
    }
    drawing.handle(event);
  };
  parts.signal.addEventListener('abort', stop);
  try {
    const agent = await createAgent(parts, { ask, emit });
    agents.push(agent);
    if (!parts.json) header(agent, parts);
    const end = parts.signal.aborted ? null : await agent.session.send(request);
    drawing.close();
    if (needed.length > 0) throw needsApproval(needed, parts);
    if (end) failUnlessDone(end, parts);
  } catch (error) {
    drawing.close();
    throw await modelFailure(error, parts);
  } finally {
    parts.signal.removeEventListener('abort', stop);
    for (const agent of agents) await agent.dispose();
    if (file) {
      file.end();
      await once(file, 'close');
    }
  }
}

/** What works on the request: model, host, window, mode. */
export function header({ provider, model, settings }: CliAgent, parts: CliParts): void {
  const { err } = parts.screen;
  const window =
    settings.contextWindow > 0 ? settings.contextWindow : (model?.contextWindow ?? null);
  const name = model?.id ?? settings.model;
  const facts = [
    name === '' ? provider.host : `${parts.core.visibleText(name)} on ${provider.host}`,
    ...(window === null ? [] : [tokens(window)]),
    ...(settings.permissionMode === 'auto' ? [] : [modeName(settings.permissionMode)]),
  ];
  err.line(err.paint.dim(facts.join(', ')));
  if (settings.permissionMode === 'auto') err.line(err.paint.yellow('Full auto: nothing asks'));
  err.line('');
}

export function modeName(mode: Mode): string {
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

function needsApproval(
  needed: readonly { readonly card: Card; readonly flag: string }[],
  parts: CliParts,
): CliFailure {
  const flags = [...new Set(needed.map(({ flag }) => flag).filter((flag) => flag !== ''))];
  const how =
    flags.length > 0
      ? `run it in a terminal, or answer beforehand: ${flags.join(' ')}`
      : 'run it in a terminal to answer';
  return new CliFailure(3, parts.core.visibleText(`needs approval: ${how}`));
}

/** The end of a turn as an exit code; what there is to say was drawn with the turn. */
function failUnlessDone(end: TurnEnd, parts: CliParts): void {
  switch (end.kind) {
    case 'answered':
    case 'stopped':
      return;
    case 'stepLimit':
      throw new CliFailure(1, `the step limit (${String(end.steps)}) ended the turn`);
    case 'failed': {
      const { fact, remedy } = end.notice;
      const said = parts.json ? `${fact} ${remedy}`.trim() : 'the turn failed';
      throw new CliFailure(1, parts.core.visibleText(said));
    }
    default:
      never(end);
  }
}
