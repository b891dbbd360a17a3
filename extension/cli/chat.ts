/**
 * `gbs chat`: a conversation in the terminal. Ctrl-C stops the turn, at the prompt it ends the chat,
 * as the end of the input does. Without a terminal every line of the input is a message.
 */
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import { commandOf, invocable, notInvoked } from '../skills/invoke.ts';
import { addressOf } from '../skills/offered.ts';
import { type CliParts, oneLine } from './parts.ts';
import { modelFailure } from './provider.ts';
import { readLine } from './read-line.ts';
import { addTalkFlags, openTalk, type Talk, type TalkFlags } from './talk.ts';

const help = [
  '/new   forgets the conversation',
  '/help  shows this',
  '/exit  ends, as Ctrl-D does',
];

export function register(program: Command, parts: CliParts): void {
  addTalkFlags(program.command('chat'))
    .description('talk with the agent')
    .action((flags: TalkFlags) => chat(flags, parts));
}

async function chat(flags: TalkFlags, parts: CliParts): Promise<void> {
  let talk: Talk | null = null;
  const messages = process.stdin.isTTY ? typed(parts) : lines();
  try {
    talk = await openTalk(flags, parts);
    if (process.stdin.isTTY && !parts.json) {
      parts.screen.err.line(parts.screen.err.paint.dim('Ctrl-C stops an answer, /help shows more'));
    }
    for await (const message of messages) {
      if (parts.signal.aborted) break;
      if (message === '/exit') break;
      if (message === '/new') await talk.reset();
      else if (message === '/help') await showHelp(talk, parts);
      else if (message !== '' && (await isKnown(talk, message, parts))) {
        await turn(talk, message, parts);
      }
    }
  } catch (error) {
    throw await modelFailure(error, parts);
  } finally {
    await talk?.close();
  }
}

/** Commands, then the skills that `/name` loads. */
async function showHelp(talk: Talk, parts: CliParts): Promise<void> {
  const { err } = parts.screen;
  for (const line of help) err.line(`  ${line}`);
  const skills = await talk.skills();
  for (const { record, report } of invocable(skills)) {
    const hint = record.parsed.fields.argumentHint ?? '';
    const said = oneLine(parts, `/${report.name} ${hint}`.trim());
    err.line(`  ${said}  ${err.paint.dim('loads the skill')}`);
  }
}

/** False, after saying so, for a `/word` that is no command and no skill: it was not meant for a model. */
async function isKnown(talk: Talk, message: string, parts: CliParts): Promise<boolean> {
  const command = commandOf(message);
  // What a server has at an address shows when it is asked.
  if (command === null || addressOf(command) !== null) return true;
  const nothing = notInvoked(message, await talk.skills());
  if (nothing === null) return true;
  const said = [nothing.fact, nothing.cause, '/help shows what there is.']
    .filter(Boolean)
    .join(' ');
  parts.log.warn(oneLine(parts, said));
  return false;
}

/** A failed turn was drawn as such; the conversation goes on. */
async function turn(talk: Talk, message: string, parts: CliParts): Promise<void> {
  const release = parts.intercept(() => {
    talk.stop();
  });
  try {
    await talk.send(message);
  } finally {
    release();
  }
}

/** Messages typed at a prompt; nothing is read while a turn runs, so cards have the keys. */
async function* typed(parts: CliParts): AsyncGenerator<string> {
  const { err, marks } = parts.screen;
  while (!parts.signal.aborted) {
    err.line('');
    const message = await readLine(`${err.paint.bold(marks.prompt)} `, parts.signal);
    if (message === null) {
      err.line('');
      return;
    }
    yield message.trim();
  }
}

async function* lines(): AsyncGenerator<string> {
  for await (const line of createInterface({ input: process.stdin })) yield line.trim();
}
