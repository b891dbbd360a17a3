/**
 * A card's form in the terminal: what is asked, and one line for each answer. The core says what is
 * wrong with an answer at once; it is then asked for again.
 */
import type { Core, Field, FieldOption } from '../core.ts';
import { never } from '../never.ts';
import type { CardLook } from './card.ts';

export type FormAnswers = Readonly<Record<string, string | boolean | readonly string[] | null>>;

/** What is asked, for the card: one answer a line. Labels are the server's, so they stand in quotes. */
export function formLines(fields: readonly Field[], look: CardLook): string[] {
  return fields.flatMap((field) => {
    const more = field.description === '' ? [] : [`    ${quoted(field.description, look)}`];
    return [`  ${quoted(field.label, look)}  ${look.paint.dim(wanted(field))}`, ...more];
  });
}

function quoted(text: string, look: CardLook): string {
  const line = look.visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `“${line.replaceAll(/[“”]/g, '"')}”`;
}

/** In our words, what may be entered. */
function wanted({ entry, required }: Field): string {
  const parts = [kindOf(entry)];
  if (!required && entry.kind !== 'yesNo') parts.push('may stay empty');
  return parts.filter((part) => part !== '').join(', ');
}

function kindOf(entry: Field['entry']): string {
  switch (entry.kind) {
    case 'text':
      return {
        email: 'an e-mail address',
        uri: 'an address',
        date: 'a date, such as 2026-12-01',
        'date-time': 'a date and time, such as 2026-12-01T14:30:00Z',
        text: 'text',
      }[entry.format ?? 'text'];
    case 'number':
      return entry.whole ? 'a whole number' : 'a number';
    case 'yesNo':
      return 'yes or no';
    case 'choice':
      return 'one of a list';
    case 'choices':
      return 'some of a list';
    default:
      return never(entry);
  }
}

export interface FormTerminal {
  readonly core: Core;
  readonly look: CardLook;
  /** Shows a line. */
  line(text: string): void;
  /** Asks for one; null when there is nobody any more. */
  read(prompt: string): Promise<string | null>;
}

/** Asks for every answer, with what was given `before` as its default; null when it was given up. */
export async function fillForm(
  fields: readonly Field[],
  before: FormAnswers,
  terminal: FormTerminal,
): Promise<FormAnswers | null> {
  const answers: Record<string, FormAnswers[string]> = { ...before };
  for (const field of fields) {
    for (const text of choiceLines(field, terminal.look)) terminal.line(text);
    for (;;) {
      const typed = await terminal.read(prompt(field, answers[field.name] ?? null, terminal.look));
      if (typed === null) return null;
      const value = typed === '' ? (answers[field.name] ?? null) : valueOf(field, typed);
      const asked = terminal.core.readForm([field], JSON.stringify({ [field.name]: value }));
      const [problem] = asked.problems;
      if (problem === undefined) {
        answers[field.name] = value;
        break;
      }
      terminal.line(`  ${terminal.look.paint.yellow(problem.message)}`);
    }
  }
  return answers;
}

function prompt(field: Field, now: FormAnswers[string], look: CardLook): string {
  const given = shown(field, now);
  const rest = given === '' ? '' : ` ${look.paint.dim(`[${quoted(given, look)}]`)}`;
  return `  ${quoted(field.label, look)}${rest} ${look.paint.yellow(look.marks.prompt)} `;
}

function shown({ entry }: Field, value: FormAnswers[string]): string {
  if (entry.kind === 'yesNo') return value === true ? 'yes' : 'no';
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.join(', ') : '';
}

function choiceLines({ entry }: Field, look: CardLook): string[] {
  if (entry.kind !== 'choice' && entry.kind !== 'choices') return [];
  const lines = entry.options.map(
    ({ label }, index) => `    ${look.paint.bold(String(index + 1))} ${quoted(label, look)}`,
  );
  const how = entry.kind === 'choice' ? 'Type a number.' : 'Type numbers with blanks between them.';
  return [...lines, `    ${look.paint.dim(`${how} - for none.`)}`];
}

/** What was typed; for choices by their numbers. One that is not there comes out as no choice. */
function valueOf({ entry }: Field, typed: string): FormAnswers[string] {
  switch (entry.kind) {
    case 'text':
    case 'number':
      return typed === '-' ? '' : typed;
    case 'yesNo':
      return /^y(es)?$/i.test(typed.trim());
    case 'choice':
      return typed.trim() === '-' ? null : numbered(entry.options, typed.trim());
    case 'choices':
      return typed.trim() === '-'
        ? []
        : typed
            .trim()
            .split(/[\s,]+/)
            .map((word) => numbered(entry.options, word));
    default:
      return never(entry);
  }
}

/** The choice of this number; what is no number of one is kept, and the core refuses it. */
function numbered(options: readonly FieldOption[], word: string): string {
  const index = /^\d+$/.test(word) ? Number(word) - 1 : -1;
  return options[index]?.value ?? `\0${word}`;
}

/** What will be sent, one answer a line. */
export function answerLines(
  fields: readonly Field[],
  answers: FormAnswers,
  look: CardLook,
): string[] {
  return fields.map((field) => {
    const value = answers[field.name] ?? null;
    const given = shown(field, value);
    const said = given === '' ? look.paint.dim('left out') : quoted(given, look);
    return `  ${quoted(field.label, look)}  ${said}`;
  });
}

/** What stands in the form from the start. */
export function firstAnswers(fields: readonly Field[]): FormAnswers {
  return Object.fromEntries(fields.map(({ name, entry }) => [name, entry.value]));
}
