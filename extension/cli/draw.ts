/**
 * Draws a run as it happens: what the agent says on stdout, everything else on stderr, one line for
 * each thing it did. The first column is the state. Progress is rewritten in place on a terminal
 * only; elsewhere a phase is one line, at most one in ten seconds.
 *
 * In: `RunEvent`s. Deliberately not here: cards, which `ask.ts` draws and answers.
 */
import { relative } from 'node:path';
import type { Line, Notice, Phase, RunEvent, TurnEnd, TurnSummary } from '../agent/events.ts';
import { PROGRESS_MS } from '../limits.ts';
import { never } from '../never.ts';
import { Progress } from './progress.ts';
import type { Screen } from './screen.ts';
import { asTyped } from './settings.ts';

/**
 * What could move the cursor or turn the reading direction. In an answer, which nobody approves, the
 * other hidden characters stay: emoji are made of them.
 */
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export interface DrawingParts {
  readonly screen: Screen;
  /** The core's `visibleText`. */
  visible(text: string): string;
  /** Absolute; paths in it are shown without it. */
  readonly folder: string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Lines of a result that are shown before "and 43 lines more". */
  readonly outputLines: number;
}

export class Drawing {
  readonly #parts: DrawingParts;
  readonly #progress: Progress;
  /** Reads and searches that wait to be folded to one line. */
  #folded: Line[] = [];
  #writing = false;
  /** Does the last line of stdout end? */
  #atLineStart = true;
  #lastPhase = Number.NEGATIVE_INFINITY;
  #rate = 0;

  constructor(parts: DrawingParts) {
    this.#parts = parts;
    this.#progress = new Progress(parts.screen, parts.now);
  }

  handle(event: RunEvent): void {
    switch (event.type) {
      case 'phase':
        this.#phase(event.phase);
        break;
      case 'rate':
        this.#rate = event.tokensPerSecond;
        this.#progress.measure(this.#measure());
        break;
      case 'text':
        this.#text(event.delta);
        break;
      case 'textEnded':
        this.#endText();
        break;
      case 'thinkingEnded':
        this.#line(this.#did(), `Thought ${this.#dim(seconds(event.seconds))}`);
        break;
      case 'line':
        this.#transcript(event.line);
        break;
      case 'progress':
        this.#progress.note(this.#oneLine(event.text));
        break;
      case 'notice':
        this.#notice(event.notice);
        break;
      case 'plan': {
        const done = event.items.filter(({ state }) => state === 'done').length;
        const doing = event.items.find(({ state }) => state === 'doing');
        const now = doing ? `: ${this.#oneLine(doing.text)}` : '';
        const count = `${String(done)} of ${String(event.items.length)} done`;
        this.#line(this.#did(), `Plan ${this.#dim(count)}${now}`);
        break;
      }
      case 'turnEnded':
        this.#end(event.end, event.summary);
        break;
      case 'turnStarted':
      case 'thinking':
      case 'card':
      case 'answered':
      case 'noticeGone':
      case 'context':
      case 'queue':
      case 'message':
        break;
      default:
        never(event);
    }
  }

  /** What the run has to work with. */
  has(things: readonly string[]): void {
    if (things.length > 0) this.#line(this.#did(), this.#dim(things.join(', ')));
  }

  /** While a card stands there, nothing else is drawn over it. */
  pause(paused: boolean): void {
    this.#settle();
    if (paused) this.#progress.stop();
  }

  close(): void {
    this.#settle();
    this.#progress.stop();
  }

  #phase(phase: Phase): void {
    const { screen, now } = this.#parts;
    if (phase.kind === 'waitingForYou') {
      this.#progress.stop();
      return;
    }
    const words = this.#phaseWords(phase);
    if (screen.err.terminal) {
      // While an answer is written to this very terminal, it is what shows the progress.
      const silent = phase.kind === 'writing' && screen.out.terminal;
      if (silent) this.#progress.stop();
      else this.#progress.start(words, this.#measure());
      return;
    }
    if (phase.kind === 'preparing' || now() - this.#lastPhase < PROGRESS_MS) return;
    this.#lastPhase = now();
    this.#line(this.#did(), this.#dim(words));
  }

  #phaseWords(phase: Exclude<Phase, { kind: 'waitingForYou' }>): string {
    switch (phase.kind) {
      case 'preparing':
        return 'Preparing';
      case 'startingServers':
        return `Starting ${phase.names.map((name) => this.#oneLine(name)).join(', ')}`;
      case 'waitingForModel':
        return 'Waiting for the model';
      case 'thinking':
        return 'Thinking';
      case 'writing':
        return 'Writing';
      case 'runningTools':
        return phase.count === 1 ? 'Running 1 call' : `Running ${String(phase.count)} calls`;
      case 'retrying':
        return `${this.#oneLine(phase.reason)} Trying again in ${seconds(phase.seconds)}`;
      default:
        return never(phase);
    }
  }

  #measure(): string {
    return this.#rate > 0 ? `${String(Math.round(this.#rate))} tok/s` : '';
  }

  #text(delta: string): void {
    const { out, err } = this.#parts.screen;
    this.#unfold();
    if (out.terminal) this.#progress.stop();
    const text = delta.replaceAll('\r', '').replace(controls, (each) => this.#parts.visible(each));
    if (text === '') return;
    if (!this.#writing) {
      this.#writing = true;
      if (out.terminal && err.terminal) err.line('');
    }
    out.write(text);
    this.#atLineStart = text.endsWith('\n');
  }

  #endText(): void {
    if (!this.#writing) return;
    const { out, err } = this.#parts.screen;
    if (!this.#atLineStart) out.line('');
    if (out.terminal && err.terminal) err.line('');
    this.#writing = false;
    this.#atLineStart = true;
  }

  #transcript(line: Line): void {
    if (line.state === 'running') {
      this.#progress.note(`${line.verb} ${this.#oneLine(line.object)}`);
      return;
    }
    const foldable = line.icon === 'read' || line.icon === 'search';
    if (foldable && line.state === 'done' && line.allowedBy === '') {
      this.#folded.push(line);
      return;
    }
    this.#drawLine(line);
  }

  #drawLine(line: Line): void {
    const { marks } = this.#parts.screen;
    const { paint } = this.#parts.screen.err;
    const measure = line.measure === '' ? '' : ` ${paint.dim(this.#oneLine(line.measure))}`;
    const object = this.#oneLine(line.object);
    const named = line.icon === 'skill' ? paint.cyan(object) : object;
    switch (line.state) {
      case 'done':
        this.#line(
          line.allowedBy === '' ? this.#did() : paint.green(marks.done),
          `${line.verb} ${named}${measure}`,
        );
        if (line.icon === 'server' || line.icon === 'command') this.#output(line);
        break;
      case 'failed':
        this.#line(paint.red(marks.failed), `${line.verb} ${named}${measure}`);
        this.#output(line);
        break;
      case 'denied':
        this.#line(paint.red(marks.failed), `Denied ${named}`);
        break;
      case 'stopped':
        this.#line(paint.red(marks.failed), `Stopped ${named}${measure}`);
        break;
      case 'running':
        break;
      default:
        never(line.state);
    }
  }

  /** The first lines of what came back; diffs are in the summary and in the card. */
  #output({ output }: Line): void {
    if (output === null || output.kind === 'diff') return;
    const lines = this.#parts.visible(output.text).trimEnd().split('\n');
    const shown = lines.slice(0, this.#parts.outputLines);
    for (const line of shown) this.#below(line);
    const more = lines.length - shown.length;
    if (more > 0) this.#below(`and ${String(more)} ${more === 1 ? 'line' : 'lines'} more`);
  }

  #below(text: string): void {
    if (text !== '') this.#parts.screen.err.line(`  ${this.#dim(text)}`);
  }

  #unfold(): void {
    const lines = this.#folded;
    if (lines.length === 0) return;
    this.#folded = [];
    const [only] = lines;
    if (lines.length === 1 && only) {
      this.#drawLine(only);
      return;
    }
    const reads = lines.filter(({ icon }) => icon === 'read').length;
    const searches = lines.length - reads;
    const parts = [
      ...(reads === 0 ? [] : [reads === 1 ? 'read 1 file' : `read ${String(reads)} files`]),
      ...(searches === 0 ? [] : [`searched ${times(searches)}`]),
    ];
    const sentence = parts.join(', ');
    this.#line(this.#did(), sentence.slice(0, 1).toUpperCase() + sentence.slice(1));
  }

  #notice(notice: Notice): void {
    const { marks } = this.#parts.screen;
    const { paint } = this.#parts.screen.err;
    const mark = {
      info: this.#did(),
      warning: paint.yellow(marks.look),
      error: paint.red(marks.failed),
    }[notice.severity];
    const facts = [notice.fact, notice.cause].filter((text) => text !== '');
    this.#line(mark, facts.map((text) => this.#oneLine(text)).join(' '));
    this.#below(this.#oneLine(asTyped(notice.remedy)));
  }

  #end(end: TurnEnd, summary: TurnSummary): void {
    this.#settle();
    this.#progress.stop();
    const { err, marks } = this.#parts.screen;
    const { paint } = err;
    if (end.kind === 'failed') this.#notice(end.notice);
    err.line('');
    const { changes } = summary;
    const sum = (of: 'added' | 'removed') => changes.reduce((all, change) => all + change[of], 0);
    const facts = [
      paint.bold(endWords(end)),
      ...(changes.length === 0
        ? [`${String(summary.steps)} ${summary.steps === 1 ? 'step' : 'steps'}`]
        : [`${files(changes.length)} changed`, this.#counts(sum('added'), sum('removed'))]),
    ];
    err.line(`${facts.join(' ')}  ${paint.dim(seconds(summary.seconds))}`);
    const paths = changes.map(({ path }) => this.#path(path));
    const width = Math.max(0, ...paths.map((path) => path.length));
    for (const [at, change] of changes.entries()) {
      const by = change.by === '' ? '' : `  ${paint.dim(this.#oneLine(change.by))}`;
      const counts = this.#counts(change.added, change.removed);
      err.line(`  ${(paths[at] ?? '').padEnd(width)}   ${counts}${by}`);
    }
    if (end.kind === 'stepLimit') {
      err.line(`  ${paint.yellow(marks.look)} ${this.#dim('More steps: --set maxSteps=60')}`);
    }
  }

  #counts(added: number, removed: number): string {
    const { err, marks } = this.#parts.screen;
    const parts = [
      ...(added > 0 || removed === 0 ? [err.paint.green(`+${String(added)}`)] : []),
      ...(removed > 0 ? [err.paint.red(`${marks.minus}${String(removed)}`)] : []),
    ];
    return parts.join(' ');
  }

  #path(path: string): string {
    const inside = relative(this.#parts.folder, path);
    return this.#oneLine(inside.startsWith('..') ? path : inside);
  }

  /** What waits is drawn, and the cursor stands at the start of a line. */
  #settle(): void {
    this.#unfold();
    this.#endText();
  }

  #line(mark: string, text: string): void {
    this.#settle();
    this.#progress.clear();
    this.#parts.screen.err.line(`${mark} ${text}`);
  }

  #did(): string {
    return this.#dim(this.#parts.screen.marks.did);
  }

  #dim(text: string): string {
    return this.#parts.screen.err.paint.dim(text);
  }

  #oneLine(text: string): string {
    return this.#parts.visible(text).replaceAll('\n', ' ').trim();
  }
}

function endWords(end: TurnEnd): string {
  switch (end.kind) {
    case 'answered':
      return 'Done.';
    case 'stopped':
      return 'Stopped.';
    case 'stepLimit':
      return 'Stopped at the step limit.';
    case 'failed':
      return 'Failed.';
    default:
      return never(end);
  }
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${String(count)} files`;
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${String(count)} times`;
}

/** "0.4 s", "12 s", "1 m 12 s". */
export function seconds(value: number): string {
  if (value < 9.95) return `${value.toFixed(1)} s`;
  const whole = Math.round(value);
  if (whole < 60) return `${String(whole)} s`;
  return `${String(Math.floor(whole / 60))} m ${String(whole % 60)} s`;
}
