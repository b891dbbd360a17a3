/** `gbs run "…"`: one turn of the agent in the terminal, or for a program with `--json`. */
import type { Command } from 'commander';
import type { TurnEnd } from '../agent/events.ts';
import { never } from '../never.ts';
import { CliFailure, type CliParts } from './parts.ts';
import { modelFailure } from './provider.ts';
import { asTyped } from './settings.ts';
import { addTalkFlags, openTalk, type Talk, type TalkFlags } from './talk.ts';

export function register(program: Command, parts: CliParts): void {
  addTalkFlags(program.command('run'))
    .description('let the agent do one thing, then end')
    .argument('<request>', 'what it is to do')
    .action((request: string, flags: TalkFlags) => run(request, flags, parts));
}

async function run(request: string, flags: TalkFlags, parts: CliParts): Promise<void> {
  if (request.trim() === '') throw new CliFailure(2, 'the request is empty: say what to do');
  let talk: Talk | null = null;
  try {
    talk = await openTalk(flags, parts);
    if (!parts.signal.aborted) failUnlessDone(await talk.send(request), parts);
  } catch (error) {
    throw await modelFailure(error, parts);
  } finally {
    await talk?.close();
  }
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
      const said = parts.json ? `${fact} ${asTyped(remedy)}`.trim() : 'the turn failed';
      throw new CliFailure(1, parts.core.visibleText(said));
    }
    default:
      never(end);
  }
}
