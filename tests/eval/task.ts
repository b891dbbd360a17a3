/** What a task of the evaluation is. */
import type { RunEvent } from '../../extension/agent/events.ts';

/** What a run left behind. */
export interface Outcome {
  /** Everything the model wrote as an answer. */
  readonly answer: string;
  /** The text of a file of the task's folder, or null where there is none. */
  file(path: string): string | null;
  readonly events: readonly RunEvent[];
}

/** A step of the reference solution: a call, or the answer. */
export type Step =
  | { readonly toolCall: { readonly name: string; readonly arguments: object } }
  | { readonly text: string };

export interface Task {
  readonly name: string;
  /** Of the task's folder, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** What the agent is asked. */
  readonly ask: string;
  /** More flags of `gbs run`. */
  readonly flags?: readonly string[];
  /** How it can be solved: what the scripted model server does. */
  readonly solution: readonly Step[];
  /** What is wrong with the outcome, or null when the task is solved. */
  check(outcome: Outcome): string | null;
}

/** A call of the reference solution. */
export function call(name: string, given: object): Step {
  return { toolCall: { name, arguments: given } };
}

/** The answer has to hold all of these, as words of their own: 71 is not in bed_2718. */
export function says(...words: readonly string[]): Task['check'] {
  return ({ answer }) => {
    const missing = words.find((word) => {
      const literal = word.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
      return !new RegExp(`(?<![\\w.])${literal}(?!\\w)`, 'i').test(answer);
    });
    return missing === undefined ? null : `the answer does not say ${JSON.stringify(missing)}`;
  };
}

/** A file has to hold exactly this text; blanks at its end do not count. */
export function holds(path: string, text: string): Task['check'] {
  return ({ file }) => {
    const found = file(path);
    if (found === null) return `${path} is not there`;
    return found.trimEnd() === text.trimEnd() ? null : `${path} holds ${JSON.stringify(found)}`;
  };
}

/** All of them. */
export function all(...checks: readonly Task['check'][]): Task['check'] {
  return (outcome) => checks.map((check) => check(outcome)).find((wrong) => wrong !== null) ?? null;
}
