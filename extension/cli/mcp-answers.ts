/** Answers to the questions of `gbs mcp tools` and `call`: by flag, or in the terminal. */
import type { Command } from 'commander';
import type { Ask } from '../agent/tool.ts';
import type { Card } from '../core.ts';
import { createAsk } from './ask.ts';
import type { CliParts } from './parts.ts';
import { collect } from './parts.ts';

export interface AnswerFlag {
  readonly yesMcp?: readonly string[];
}

export function addAnswerFlag(command: Command): Command {
  return command.option(
    '--yes-mcp <server>',
    'start this server as it is configured now',
    collect,
    [],
  );
}

/** `unanswered` is told of each card that nobody could answer. */
export function askFor(parts: CliParts, flags: AnswerFlag, unanswered: (card: Card) => void): Ask {
  return createAsk(parts, {
    answers: { yesMcp: flags.yesMcp ?? [] },
    needsApproval: unanswered,
  });
}
