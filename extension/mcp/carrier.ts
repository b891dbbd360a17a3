/** What brings a session's messages to its server: a process's pipes, or HTTP. */
import type { Core, Effect } from '../core.ts';

export type Session = InstanceType<Core['Session']>;

/** What a session wants carried. */
export type Carried = Extract<Effect, { kind: 'send' | 'open' | 'read' | 'abort' }>;

export interface Carrier {
  readonly pid: number | undefined;
  /** The end of what the server wrote beside the protocol; may be empty. */
  readonly tail: string;
  carry(effect: Carried): void;
  /** Ends it and all that belongs to it, with less patience when `hurried`; resolves when that is gone. */
  stop(hurried?: boolean): Promise<void>;
}

/** What a carrier tells. */
export interface CarrierEvents {
  /** Gives the session an input, while there is a session. */
  input(give: (session: Session) => readonly Effect[]): void;
  /** Time does not count while somebody is asked something, such as to sign in. */
  waits(waiting: boolean): void;
}
