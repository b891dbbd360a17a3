/**
 * What a run is made of: asks contributors, makes the plan, and makes it again when something earns a
 * rebuild. Between rebuilds the plan is the same object.
 */
import type { Contribution, Contributor, Preparation } from './contributor.ts';
import * as notices from './notices.ts';
import { orStopped } from './or-stopped.ts';
import { planRun, type RunPlan } from './plan.ts';
import type { TurnParts } from './turn-parts.ts';

export class Preparing {
  readonly #parts: TurnParts;
  #contributions = new Map<Contributor, Contribution>();
  #plan: RunPlan | null = null;
  #saidLeftOut = '';
  /** Tokens of the window, as far as is known. */
  window: number;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.window = parts.model.contextWindow;
  }

  /** Prepares contributors for a turn that begins with `message`; gives what they add to it. */
  async all(message: string): Promise<readonly string[]> {
    const { contributors } = this.#parts.session;
    await this.#prepareThese(contributors, { message });
    await this.replan();
    return contributors
      .map((contributor) => this.#contributions.get(contributor)?.hint ?? '')
      .filter((hint) => hint !== '');
  }

  /** What contributors add to a message that is taken up in the middle of the turn. */
  async added(message: string): Promise<readonly string[]> {
    const { session, signal } = this.#parts;
    const hints: string[] = [];
    for (const contributor of session.contributors) {
      const asked = contributor.asked?.(message, this.window, session.emit, signal);
      if (asked === undefined) continue;
      try {
        const hint = await orStopped(asked, signal);
        if (hint !== 'stopped' && hint !== '') hints.push(hint);
      } catch (error) {
        session.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
        session.emit({ type: 'notice', notice: notices.contributorFailed(error) });
      }
    }
    return hints;
  }

  async #prepareThese(
    contributors: readonly Contributor[],
    begun: Pick<Preparation, 'message'> = {},
  ): Promise<void> {
    const { session, cards, signal } = this.#parts;
    const preparation: Preparation = {
      workspace: session.workspace(),
      mode: session.settings().permissionMode,
      contextWindow: this.window,
      ask: (card, cardSignal) => cards.ask(card, AbortSignal.any([signal, cardSignal])),
      emit: session.emit,
      signal,
      ...begun,
    };
    const failed = new Set<Contributor>();
    const fails = (contributor: Contributor, error: unknown): void => {
      if (signal.aborted) return;
      failed.add(contributor);
      this.#contributions.delete(contributor);
      session.log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      session.emit({ type: 'notice', notice: notices.contributorFailed(error) });
    };
    for (const contributor of contributors) {
      if (signal.aborted) return;
      try {
        await orStopped(contributor.askFirst?.(preparation) ?? Promise.resolve(), signal);
      } catch (error) {
        fails(contributor, error);
      }
    }
    const last = contributors.filter(({ isPreparedLast }) => isPreparedLast === true);
    const order = [...contributors.filter((each) => !last.includes(each)), ...last];
    for (const contributor of order.filter((each) => !failed.has(each))) {
      if (signal.aborted) return;
      try {
        const given = await orStopped(contributor.prepare(preparation), signal);
        if (given !== 'stopped') this.#contributions.set(contributor, given);
      } catch (error) {
        fails(contributor, error);
      }
    }
  }

  /** Rebuilds, where something happened that earns it. */
  async rebuild(): Promise<void> {
    const again = this.#parts.session.contributors.filter((contributor) =>
      contributor.takeRebuild(),
    );
    if (again.length === 0) return;
    await this.#prepareThese(again);
    await this.replan();
  }

  async replan(): Promise<void> {
    const { session, memory, model, builtin, shell } = this.#parts;
    const order = session.contributors.flatMap((c) => this.#contributions.get(c) ?? []);
    this.#plan = planRun({
      core: session.core,
      builtin,
      contributions: order,
      environment: { system: systemName(session.platform), shell },
      folders: await this.#parts.folders(),
      contextWindow: this.window,
      nativeTools: this.native,
      leftOut: memory.refused.get(model.id) ?? new Set(),
    });
    for (const name of this.#plan.withheld) {
      session.log.warn(`the tool ${name} is withheld: another tool has that name`);
    }
    const { leftOut } = this.#plan.prompt;
    if (leftOut.length > 0 && leftOut.join() !== this.#saidLeftOut) {
      this.#saidLeftOut = leftOut.join();
      session.emit({ type: 'notice', notice: notices.partsLeftOut(leftOut) });
    }
  }

  /** Does the model take tools beside the messages? */
  get native(): boolean {
    const { session, memory, model } = this.#parts;
    if (memory.asText.has(model.id)) return false;
    return session.abilities?.(model.id).nativeTools !== false;
  }

  get plan(): RunPlan {
    if (this.#plan === null) throw new Error('the turn was not prepared');
    return this.#plan;
  }
}

function systemName(platform: NodeJS.Platform): string {
  const names = new Map<NodeJS.Platform, string>([
    ['win32', 'Windows'],
    ['darwin', 'macOS'],
    ['linux', 'Linux'],
  ]);
  return names.get(platform) ?? platform;
}
