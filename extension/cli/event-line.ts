/** An event as one line of JSON, for `--json` and `--events`. */
import type { RunEvent } from '../agent/events.ts';

/** Secrets of cards are masked: what a program records is kept longer than a screen. */
export function eventLine(event: RunEvent): string {
  return `${JSON.stringify(event, maskSecrets)}\n`;
}

function maskSecrets(_key: string, value: unknown): unknown {
  const isSecret =
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    value.kind === 'secret' &&
    'masked' in value;
  return isSecret ? { kind: 'secret', text: value.masked, masked: value.masked } : value;
}
