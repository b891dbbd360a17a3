/**
 * Where the command line draws: answers on stdout, everything else on stderr. Colours and marks are
 * decided once per stream; the eight base colours only, so that the user's own theme decides.
 */

export type ColorChoice = 'auto' | 'always' | 'never';

export interface Paint {
  readonly coloured: boolean;
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** The first column: what a line is. */
export interface Marks {
  /** Done by the agent itself. */
  readonly did: string;
  /** The user's turn. */
  readonly ask: string;
  readonly done: string;
  readonly failed: string;
  readonly look: string;
  /** At the end of a question. */
  readonly prompt: string;
  readonly minus: string;
  /** Frames; empty where nothing may move. */
  readonly spinner: readonly string[];
}

/** A stream as a command sees it. */
interface Output {
  readonly paint: Paint;
  readonly terminal: boolean;
  /** Columns, or 80 where nobody knows. */
  columns(): number;
  write(text: string): void;
  line(text: string): void;
}

export interface Screen {
  /** Answers, and what a reading command was asked for. */
  readonly out: Output;
  /** Everything else. */
  readonly err: Output;
  readonly marks: Marks;
}

const plainMarks: Marks = {
  did: '-',
  ask: '?',
  done: 'ok',
  failed: 'x',
  look: '!',
  prompt: '>',
  minus: '-',
  spinner: [],
};

const fullMarks: Marks = {
  did: '·',
  ask: '?',
  done: '✓',
  failed: '✗',
  look: '!',
  prompt: '›',
  minus: '−',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
};

export function createScreen(
  streams: { readonly out: NodeJS.WriteStream; readonly err: NodeJS.WriteStream },
  choice: ColorChoice,
  environment: Readonly<Record<string, string>>,
  platform: string,
): Screen {
  const out = output(streams.out, choice, environment);
  const err = output(streams.err, choice, environment);
  const full = err.paint.coloured && speaksUtf8(environment, platform);
  return { out, err, marks: full ? fullMarks : plainMarks };
}

function output(
  stream: NodeJS.WriteStream,
  choice: ColorChoice,
  environment: Readonly<Record<string, string>>,
): Output {
  const terminal = stream.isTTY;
  const coloured =
    choice === 'always' ||
    (choice === 'auto' &&
      terminal &&
      (environment['NO_COLOR'] ?? '') === '' &&
      environment['TERM'] !== 'dumb');
  return {
    paint: paint(coloured),
    terminal,
    columns: () => stream.columns || 80,
    write: (text) => void stream.write(text),
    line: (text) => void stream.write(`${text}\n`),
  };
}

function paint(coloured: boolean): Paint {
  const code = (on: number, off: number) => (text: string) =>
    coloured && text !== '' ? `\x1b[${String(on)}m${text}\x1b[${String(off)}m` : text;
  return {
    coloured,
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}

/** POSIX says it in the locale; Windows terminals that colour also draw UTF-8. */
function speaksUtf8(environment: Readonly<Record<string, string>>, platform: string): boolean {
  if (platform === 'win32' || platform === 'darwin') return true;
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || '';
  return /utf-?8/i.test(locale);
}
