/**
 * A server asks the user: by a card that the core makes, with an answer that the core reads. What the
 * user enters goes to the server alone; the model, the log and the transcript never see it.
 */
import type { Ask } from '../agent/tool.ts';
import type { AskAction, Core, Elicitation, ElicitationFrom } from '../core.ts';

/** What goes back to the server. */
export interface ElicitationAnswer {
  readonly action: AskAction;
  /** JSON text of what was filled in; empty for none. */
  readonly contentJson: string;
}

/** Asks on behalf of a server; the signal fires when nobody waits for the answer any more. */
export type Elicit = (elicitation: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;

export interface ElicitParts {
  readonly core: Core;
  readonly ask: Ask;
  /** Opens an address in the user's browser; called only after they chose to. */
  readonly openAddress: (url: string) => Promise<void>;
}

const PUT_AWAY: ElicitationAnswer = { action: 'cancel', contentJson: '' };

export function elicitBy(parts: ElicitParts, from: ElicitationFrom): Elicit {
  const { core, ask, openAddress } = parts;
  return async (elicitation, signal) => {
    const { wish } = elicitation;
    const card = core.elicitationCard(elicitation, from);
    for (;;) {
      const { answer, values } = await ask(card, signal);
      if (signal.aborted) return PUT_AWAY;
      if (answer === 'decline') return { action: 'decline', contentJson: '' };
      if (answer !== 'allow') return PUT_AWAY;
      if (wish.kind === 'address') {
        await openAddress(wish.url);
        return { action: 'accept', contentJson: '' };
      }
      const { content, problems } = core.readForm(wish.fields, values ?? '{}');
      if (problems.length === 0) return { action: 'accept', contentJson: content };
    }
  };
}
