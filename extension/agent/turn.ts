/**
 * One turn: steps until the model answers without a call. Everything it does ends at once when its
 * signal fires, and what it leaves is a history that a server takes.
 */
import { CALLS_AT_ONCE, EMPTY_ANSWERS } from '../limits.ts';
import type { Answer } from './answer.ts';
import { Asking } from './asking.ts';
import { CallRunner, sent, type CallResult, type HeldCall } from './calls.ts';
import { withNotes, type Entry } from './conversation.ts';
import type { TurnEnd } from './events.ts';
import * as notices from './notices.ts';
import { Preparing } from './preparing.ts';
import { Repetition } from './repetition.ts';
import type { Tool } from './tool.ts';
import type { TurnCount, TurnParts } from './turn-parts.ts';

export class Turn {
  readonly #parts: TurnParts;
  readonly #preparing: Preparing;
  readonly #asking: Asking;
  readonly #repetition = new Repetition();
  readonly count: TurnCount = { steps: 0, promptTokens: 0, outputTokens: 0 };

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#preparing = new Preparing(parts);
    this.#asking = new Asking(parts, this.#preparing, this.count);
  }

  /** Prepares contributors; gives the lines they add to the user's message. */
  prepare(message: string): Promise<readonly string[]> {
    return this.#preparing.all(message);
  }

  /** The tools as they stand now. */
  get tools(): readonly Tool[] {
    return this.#preparing.plan.tools;
  }

  /** Shortens the history now, however much room there is; false when there was nothing to shorten. */
  async shorten(): Promise<boolean> {
    await this.#preparing.replan();
    return this.#asking.makeRoom(true);
  }

  /** Steps to the end. The user's message stands in the history. */
  async run(): Promise<TurnEnd> {
    const { session, signal } = this.#parts;
    const most = session.settings().maxSteps;
    let empty = 0;
    while (this.count.steps < most) {
      if (signal.aborted) return { kind: 'stopped' };
      await this.#takeUp();
      await this.#preparing.rebuild();
      await this.#asking.makeRoom();
      if (signal.aborted) return { kind: 'stopped' };
      this.count.steps++;
      const answer = await this.#answer();
      if (answer.ended === 'aborted') {
        if (answer.text.trim() !== '')
          this.#add({ kind: 'assistant', text: answer.text, calls: [] });
        return { kind: 'stopped' };
      }
      if (answer.calls.length > 0) {
        const stopped = await this.#carryOut(answer);
        const cut = answer.ended === 'length' && stopped === 'onlyCut';
        empty = cut ? empty + 1 : 0;
        if (empty >= EMPTY_ANSWERS) return { kind: 'failed', notice: notices.emptyAnswers() };
        if (stopped === 'stopped') return { kind: 'stopped' };
        continue;
      }
      if (answer.cutCall || answer.text.trim() === '') {
        if (++empty >= EMPTY_ANSWERS) return { kind: 'failed', notice: notices.emptyAnswers() };
        this.#nudge(answer);
        continue;
      }
      this.#add({ kind: 'assistant', text: answer.text, calls: [] });
      if (answer.ended === 'length') {
        session.emit({ type: 'notice', notice: notices.answerCut(this.#asking.outputOf(answer)) });
      }
      if (!(await this.#takeUp())) return { kind: 'answered' };
    }
    session.emit({ type: 'notice', notice: notices.stepLimit(most) });
    return { kind: 'stepLimit', steps: most };
  }

  /** What was said before an answer broke off stands in the chat, so the next turn goes on from there. */
  async #answer(): Promise<Answer> {
    try {
      return await this.#asking.answer();
    } catch (error) {
      const { said } = this.#asking;
      if (said !== '') this.#add({ kind: 'assistant', text: said, calls: [] });
      throw error;
    }
  }

  /** Takes up what was queued meanwhile, with what it asks for; false when there was nothing. */
  async #takeUp(): Promise<boolean> {
    const queued = this.#parts.takeQueued();
    for (const { text, images } of queued) {
      const noted = withNotes(await this.#preparing.added(text), text);
      this.#add({ kind: 'user', text: noted, images });
    }
    return queued.length > 0;
  }

  /** `onlyCut`: nothing ran, since every call was cut off. */
  async #carryOut(answer: Answer): Promise<'done' | 'stopped' | 'onlyCut'> {
    const { session, signal } = this.#parts;
    const runner = this.#runner();
    const written = answer.calls.slice(0, CALLS_AT_ONCE);
    const held = written.map((call) => runner.hold(call));
    this.#add({ kind: 'assistant', text: answer.text, calls: held.map(sent) });
    session.emit({ type: 'phase', phase: { kind: 'runningTools', count: held.length } });
    const results = await runner.run(held);
    const [only] = held;
    if (held.length === 1 && only?.malformed === true) this.#asking.hold(only.tool);
    const repeated = this.#remember(results);
    if (written.length < answer.calls.length) {
      const text = `[Only the first ${CALLS_AT_ONCE} of your ${answer.calls.length} calls were run.]`;
      this.#add({ kind: 'user', text, images: [] });
    }
    if (signal.aborted) return 'stopped';
    if (repeated !== null && !(await this.#goesOn(repeated))) return 'stopped';
    return held.every((call) => call.problem !== '') ? 'onlyCut' : 'done';
  }

  #runner(): CallRunner {
    const { session, memory, cards, signal } = this.#parts;
    return new CallRunner(
      {
        core: session.core,
        mode: () => session.settings().permissionMode,
        folders: this.#parts.folders,
        readable: this.#parts.readable,
        session: memory.rules,
        ask: (card, place) => cards.ask(card, signal, place),
        emit: session.emit,
        log: session.log,
        quotes: memory.quotes,
        changes: memory.changes,
        resultChars: this.#parts.resultChars,
        save: this.#parts.save,
        nextId: this.#parts.nextId,
        pending: memory.pending,
        signal,
      },
      this.#preparing.plan.tools,
    );
  }

  /** Puts results into the history; gives one that came too often. */
  #remember(
    results: readonly CallResult[],
  ): { readonly call: HeldCall; readonly times: number } | null {
    const { session, memory, model } = this.#parts;
    let repeated: { call: HeldCall; times: number } | null = null;
    const images: string[] = [];
    for (const { call, text, attachments, key } of results) {
      const { times, act } =
        key === '' ? { times: 0, act: 'nothing' as const } : this.#repetition.count(key, '', text);
      const note =
        act === 'nothing'
          ? ''
          : `\n[You made this call ${times} times with this result. Do something else.]`;
      if (act === 'ask') repeated = { call, times };
      const { name } = sent(call);
      const skill = call.tool?.origin.kind === 'skill';
      this.#add({
        kind: 'result',
        callId: call.id,
        name,
        text: text + note,
        skill,
        dropped: false,
      });
      if (key !== '') memory.quotes.add(`the result of ${name}`, text);
      for (const { mimeType, data } of attachments) {
        if (mimeType.startsWith('image/')) images.push(`data:${mimeType};base64,${data}`);
      }
    }
    if (images.length > 0 && session.abilities?.(model.id).images === true) {
      this.#add({ kind: 'user', text: '[Images of these results]', images });
    }
    return repeated;
  }

  async #goesOn({
    call,
    times,
  }: {
    readonly call: HeldCall;
    readonly times: number;
  }): Promise<boolean> {
    const { session, cards, signal } = this.#parts;
    const args = JSON.stringify(call.args, null, 2);
    const card = session.core.repeatCard({ tool: sent(call).name, arguments: args, times });
    const { answer } = await cards.ask(card, signal);
    this.#repetition.forgive();
    return answer === 'allow' || answer === 'allowSession';
  }

  #nudge(answer: Answer): void {
    if (answer.text.trim() !== '') this.#add({ kind: 'assistant', text: answer.text, calls: [] });
    const text = answer.cutCall
      ? '[Your last call was cut off before its end and was not run. Call again; write long texts in pieces.]'
      : '[Your last answer was empty. Answer, or call a tool.]';
    this.#add({ kind: 'user', text, images: [] });
  }

  #add(entry: Entry): void {
    this.#parts.memory.conversation.add(entry);
  }
}
