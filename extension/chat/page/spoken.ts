/** What is spoken: what the user waits for, never the stream. */
import type { Mode } from '../../agent/events.ts';
import type { ChatEvent } from '../transcript.ts';
import { plain } from './spans.ts';
import type { View } from './view.ts';

export function speak(view: View, event: ChatEvent): void {
  const { words } = view;
  if (event.type === 'card') view.announce(words.say('saidWaits', plain(event.card.question)));
  else if (event.type === 'notice') view.announce(event.notice.fact);
  else if (event.type === 'turnEnded') {
    const { end } = event;
    view.announce(
      end.kind === 'failed'
        ? end.notice.fact
        : end.kind === 'stepLimit'
          ? words.say('stepLimit', end.steps)
          : words.say(end.kind === 'stopped' ? 'saidStopped' : 'saidDone'),
    );
  }
}

export function speakMode(view: View, mode: Mode): void {
  const word = { ask: 'modeAsk', acceptEdits: 'modeAcceptEdits', auto: 'modeAuto' } as const;
  view.announce(view.words.say('saidMode', view.words.say(word[mode])));
}
