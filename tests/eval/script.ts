/** The reference solutions, as a script of the scripted model server. */
import type { Task } from './task.ts';

export function scriptOf(tasks: readonly Task[]): object {
  return {
    rules: tasks.map(({ ask, solution }) => ({ when: phraseOf(ask), steps: solution })),
  };
}

/** The end of what is asked, for a regular expression: a skill's text may stand before it. */
function phraseOf(ask: string): string {
  const words = ask.replace(/^\/\S+ /, '');
  return `${words.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')}`;
}
