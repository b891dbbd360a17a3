/**
 * Asks by a card in the terminal. The answer is a typed letter; Enter alone never says yes, and what
 * was typed before the card stood there for half a second does not count. Without a terminal, flags
 * that name the very thing answer, and everything else needs approval.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask, CardAnswer } from '../agent/tool.ts';
import type { Action, Card, Pane } from '../core.ts';
import { ARMING_MS } from '../limits.ts';
import { never } from '../never.ts';
import { buttonLine, cardLines, lowered, type CardLook } from './card.ts';
import { answerLines, fillForm, firstAnswers, type FormAnswers } from './form.ts';
import type { CliParts } from './parts.ts';
import { readLine } from './read-line.ts';

/** Answers given beforehand, each naming what it is for. */
export interface FlagAnswers {
  /** Servers that may start, by name. */
  readonly yesMcp?: readonly string[];
  /** Skills and instructions of the repository may be used. */
  readonly yesSkills?: boolean;
  /** Model servers that are not on this machine and may be sent to. */
  readonly yesHosts?: readonly string[];
  /** Tools whose calls may run, by their model-visible name. */
  readonly allow?: readonly string[];
}

export interface AskOptions {
  readonly answers: FlagAnswers;
  /** Told when nobody can answer; the card then counts as denied. */
  needsApproval(card: Card, remedy: string): void;
  /** Told before a card is drawn and after it is answered, so that nothing draws meanwhile. */
  pause?(paused: boolean): void;
}

/** Asks one card after the other, whoever asks. */
export function createAsk(parts: CliParts, options: AskOptions): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (card, signal) => {
    const answered = last.then(async () => {
      if (signal.aborted) return denied;
      options.pause?.(true);
      try {
        return await answer(card, signal, parts, options);
      } finally {
        options.pause?.(false);
      }
    });
    last = answered.catch(() => denied);
    return answered;
  };
}

const denied: CardAnswer = { answer: 'deny' };

/** Somebody is there to answer. */
function canAsk({ screen }: CliParts): boolean {
  return process.stdin.isTTY && screen.err.terminal;
}

/** How an address is opened for a server: the user does it. Nothing where nobody can be asked. */
export function opener(parts: CliParts): { openAddress?: (url: string) => Promise<void> } {
  if (!canAsk(parts)) return {};
  return {
    openAddress: (url) => {
      parts.screen.err.line('  Open it in your browser:');
      parts.screen.err.line(`  ${parts.core.visibleText(url)}`);
      return Promise.resolve();
    },
  };
}

async function answer(
  card: Card,
  signal: AbortSignal,
  parts: CliParts,
  { answers, needsApproval }: AskOptions,
): Promise<CardAnswer> {
  const { err, marks } = parts.screen;
  const look = (revealed: boolean): CardLook => ({
    paint: err.paint,
    marks,
    visible: (text) => parts.core.visibleText(text),
    revealed,
  });
  const { flag, matches } = flagFor(card, answers);
  err.line('');
  if (matches) {
    for (const line of cardLines(card, look(false))) err.line(line);
    const allow = card.actions.find((action) => action.answer === 'allow');
    err.line(`  ${err.paint.dim(`Answered by ${flag}: ${lowered(allow?.label ?? 'allow')}`)}`);
    return { answer: 'allow' };
  }
  if (!canAsk(parts)) {
    for (const line of cardLines(card, look(false))) err.line(line);
    needsApproval(card, flag);
    return denied;
  }
  return new Conversation(card, signal, parts, look).run();
}

/** The flag that would answer this card, empty where none may, and whether it was given. */
export function flagFor(
  card: Pick<Card, 'kind' | 'about' | 'flags'>,
  answers: FlagAnswers,
): { readonly flag: string; readonly matches: boolean } {
  const named = (flag: string, given: readonly string[] | undefined) => ({
    flag: card.about.map((name) => `${flag} ${shellWord(name)}`).join(' '),
    matches: card.about.length > 0 && card.about.every((name) => given?.includes(name) ?? false),
  });
  switch (card.kind) {
    case 'server':
      // A name stands for the server, not for a call that somebody's text may have planted.
      return card.flags.some(({ code }) => code === 'quoted')
        ? { flag: '', matches: false }
        : named('--yes-mcp', answers.yesMcp);
    case 'host':
      return named('--yes-host', answers.yesHosts);
    case 'skill':
      return { flag: '--yes-skills', matches: answers.yesSkills === true };
    case 'call': {
      // A flag on a call says that something about it is unusual: a person must look.
      const { flag, matches } = named('--allow', answers.allow);
      return card.flags.length > 0 ? { flag: '', matches: false } : { flag, matches };
    }
    case 'edit':
    case 'command':
    case 'read':
    case 'drift':
    case 'repeat':
    case 'form':
    case 'address':
      return { flag: '', matches: false };
    default:
      return never(card.kind);
  }
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** One card, until it is answered. */
class Conversation {
  readonly #edited: Record<number, string> = {};
  /** What was filled in; null before the user went through the form. */
  #filled: FormAnswers | null = null;
  #revealed = false;

  constructor(
    readonly card: Card,
    readonly signal: AbortSignal,
    readonly parts: CliParts,
    readonly look: (revealed: boolean) => CardLook,
  ) {}

  async run(): Promise<CardAnswer> {
    const { err } = this.parts.screen;
    this.#draw();
    await this.#arm();
    for (;;) {
      if (this.signal.aborted) return denied;
      const typed = await readLine(
        buttonLine(this.#buttons(), this.look(this.#revealed), this.#canEdit()),
        this.signal,
        () => {
          this.parts.interrupt();
        },
      );
      if (typed === null) return denied;
      const words = typed.trim();
      if (words === '?') {
        this.#revealed = true;
        this.#draw();
        for (const line of this.#help()) err.line(`  ${err.paint.dim(line)}`);
      } else if (words.toLowerCase() === 'e' && this.#canEdit()) {
        await this.#edit();
        this.#draw();
      } else {
        const answer = answerOf(words, this.card.actions);
        if (answer?.answer === 'allow' && this.card.form.length > 0) {
          // The first yes fills it in; the second one sends what is then shown.
          if (this.#filled !== null) return { ...answer, values: JSON.stringify(this.#filled) };
          if (!(await this.#fill())) return denied;
        } else if (words.toLowerCase() === 'e' && this.#filled !== null) {
          if (!(await this.#fill())) return denied;
        } else if (answer) {
          return Object.keys(this.#edited).length > 0 && answer.answer !== 'deny'
            ? { ...answer, edited: this.#edited }
            : answer;
        } else {
          const letters = this.card.actions.map(({ letter }) => letter).join(', ');
          err.line(`  ${err.paint.dim(`Type one of ${letters} and press Enter.`)}`);
        }
      }
    }
  }

  #draw(): void {
    const panes = this.card.panes.map((pane, index): Pane => {
      const text = this.#edited[index];
      return text === undefined ? pane : { ...pane, content: [{ kind: 'quoted', text }] };
    });
    for (const line of cardLines({ ...this.card, panes }, this.look(this.#revealed))) {
      this.parts.screen.err.line(line);
    }
  }

  /** Before the form was filled in, yes leads to it. */
  #buttons(): Card {
    const { card } = this;
    if (card.form.length === 0) return card;
    const filled = this.#filled !== null;
    const actions = card.actions.map((action) =>
      action.answer === 'allow' && !filled ? { ...action, label: 'Fill in' } : action,
    );
    return { ...card, actions };
  }

  /** False when there is nobody any more. */
  async #fill(): Promise<boolean> {
    const { form } = this.card;
    const { err } = this.parts.screen;
    const look = this.look(this.#revealed);
    const filled = await fillForm(form, this.#filled ?? firstAnswers(form), {
      core: this.parts.core,
      look,
      line: (text) => err.line(text),
      read: (prompt) => readLine(prompt, this.signal, () => this.parts.interrupt()),
    });
    if (filled === null) return false;
    this.#filled = filled;
    err.line('');
    for (const line of answerLines(form, filled, look)) err.line(line);
    err.line(`  ${err.paint.dim('e goes through it again.')}`);
    return true;
  }

  #help(): string[] {
    const lines = this.card.actions.map(({ letter, label }) => `${letter}: ${label}`);
    if (this.card.actions.some(({ answer }) => answer === 'deny')) {
      lines.push('A reason may follow the letter that denies: n use the other file');
    }
    if (this.#canEdit()) lines.push('e: opens the text in $VISUAL or $EDITOR first');
    return lines;
  }

  #editor(): string {
    return this.parts.environment['VISUAL'] || this.parts.environment['EDITOR'] || '';
  }

  #canEdit(): boolean {
    return (
      this.parts.platform !== 'win32' &&
      this.#editor() !== '' &&
      this.card.panes.some(({ editable }) => editable)
    );
  }

  /** Throws away what was typed before the card could be read. */
  async #arm(): Promise<void> {
    const { stdin } = process;
    const drop = (bytes: Buffer): void => {
      if (bytes.includes(3)) this.parts.interrupt();
    };
    stdin.setRawMode(true);
    stdin.on('data', drop);
    stdin.resume();
    try {
      await sleep(ARMING_MS, undefined, { signal: this.signal });
    } catch (error) {
      if (!this.signal.aborted) throw error;
    } finally {
      stdin.off('data', drop);
      stdin.pause();
      stdin.setRawMode(false);
    }
  }

  async #edit(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'gbs-edit-'));
    try {
      for (const [index, pane] of this.card.panes.entries()) {
        if (!pane.editable) continue;
        const before = this.#edited[index] ?? pane.content.map(({ text }) => text).join('');
        const file = join(folder, pane.kind === 'json' ? 'arguments.json' : 'text.txt');
        await writeFile(file, before, { mode: 0o600 });
        const child = spawn('/bin/sh', ['-c', `${this.#editor()} "$1"`, 'sh', file], {
          stdio: 'inherit',
        });
        await once(child, 'close');
        const after = await readFile(file, 'utf8');
        if (after.trimEnd() !== before.trimEnd()) this.#edited[index] = after;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** What was typed, as an answer; null when it is none. A reason may follow a denial. */
export function answerOf(
  typed: string,
  actions: readonly Pick<Action, 'answer' | 'letter'>[],
): CardAnswer | null {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/su.exec(typed) ?? [];
  const letter = { yes: 'y', no: 'n' }[word.toLowerCase()] ?? word.toLowerCase();
  const action = actions.find((each) => each.letter === letter);
  if (!action) return null;
  if (rest === '') return { answer: action.answer };
  return action.answer === 'deny' ? { answer: 'deny', reason: rest } : null;
}
