/**
 * Asks the core whether a call may run, and the user where the core says so. In: a tool with its
 * arguments. Out: the arguments to run with, or why not. What the user changed on the card passes
 * every check again; what changed while the card stood there asks again.
 */
import type {
  Answer,
  ApprovalCall,
  ApprovalDecision,
  ApprovalRules,
  Card,
  Core,
  SessionRule,
} from '../core.ts';
import { never } from '../never.ts';
import { missingRequired, readArguments } from './arguments.ts';
import type { Mode } from './events.ts';
import { type Arguments, type CardAnswer, type Subject, type Tool } from './tool.ts';

export interface CallInHand {
  readonly tool: Tool;
  readonly args: Arguments;
  /** What the model wrote, where it was repaired. */
  readonly repairedFrom: string | null;
  /** Where it stands word for word. */
  readonly quotedFrom: string | null;
}

export type Permission =
  | {
      readonly kind: 'run';
      readonly args: Arguments;
      readonly subject: Subject;
      /** In our words; empty when nobody was asked. */
      readonly allowedBy: string;
      /** What the user answered who looked at this call and allowed it; null when nobody was asked. */
      readonly byUser: Answer | null;
    }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'denied'; readonly reason: string };

export interface PermissionParts {
  readonly core: Core;
  readonly mode: () => Mode;
  readonly folders: () => Promise<readonly string[]>;
  readonly readable: () => Promise<readonly string[]>;
  readonly session: SessionRule[];
  readonly ask: (card: Card) => Promise<CardAnswer>;
}

export class PermissionCheck {
  readonly #parts: PermissionParts;

  constructor(parts: PermissionParts) {
    this.#parts = parts;
  }

  /** True when the call would ask as things stand; for counting cards beforehand. */
  async asks(call: CallInHand): Promise<boolean> {
    try {
      const subject = await call.tool.subject(call.args);
      return (await this.#decide(call, subject)).kind === 'ask';
    } catch (error) {
      // It will fail for its own reason when its turn comes.
      if (error instanceof Error) return false;
      throw error;
    }
  }

  async check(call: CallInHand): Promise<Permission> {
    let current = call;
    let approved: string | null = null;
    let allowedBy = '';
    let byUser: Answer | null = null;
    for (;;) {
      const subject = await current.tool.subject(current.args);
      const decision = await this.#decide(current, subject);
      switch (decision.kind) {
        case 'refuse':
          return { kind: 'refused', message: decision.message };
        case 'run':
          return {
            kind: 'run',
            args: withCommand(current.args, subject, decision.command),
            subject,
            allowedBy: approved === null ? decision.allowedBy : allowedBy,
            byUser,
          };
        case 'ask': {
          // What was allowed is what runs: the same subject and the same flags, not only the name.
          if (approved === approvedForm(subject, decision.card)) {
            return { kind: 'run', args: current.args, subject, allowedBy, byUser };
          }
          const answer = await this.#parts.ask(decision.card);
          const settled = this.#settle(answer, decision, current);
          if (settled.kind !== 'allowed') return settled;
          allowedBy = settled.allowedBy;
          byUser = answer.answer;
          current = settled.call;
          const edited = settled.call !== call && settled.changed;
          approved = edited
            ? await this.#editedForm(current, decision.card)
            : approvedForm(subject, decision.card);
          break;
        }
        default:
          never(decision);
      }
    }
  }

  /**
   * What the user made of the call by editing it is approved as it is, unless it now has a flag that
   * the card they saw had not: then they see the new card.
   */
  async #editedForm(call: CallInHand, seen: Card): Promise<string | null> {
    const subject = await call.tool.subject(call.args);
    const decision = await this.#decide(call, subject);
    if (decision.kind !== 'ask') return '';
    const known = new Set(seen.flags.map((flag) => flag.code));
    return decision.card.flags.every((flag) => known.has(flag.code))
      ? approvedForm(subject, decision.card)
      : null;
  }

  async #decide(call: CallInHand, subject: Subject): Promise<ApprovalDecision> {
    const { core, mode, folders, readable, session } = this.#parts;
    const request: ApprovalCall = {
      tool: call.tool.name,
      kind: subject.kind,
      arguments: JSON.stringify(call.args, null, 2),
      paths: [...(subject.paths ?? [])],
      creates: subject.creates ?? false,
      ...(subject.diff === undefined ? {} : { diff: subject.diff }),
      ...(subject.command === undefined ? {} : { command: subject.command }),
      ...(subject.server === undefined ? {} : { server: subject.server }),
      ...(subject.connect === undefined ? {} : { connect: subject.connect }),
      ...(call.repairedFrom === null ? {} : { repairedFrom: call.repairedFrom }),
      ...(call.quotedFrom === null ? {} : { quotedFrom: call.quotedFrom }),
    };
    const rules: ApprovalRules = {
      folders: [...(await folders())],
      readable: [...(await readable())],
      session: [...session],
    };
    return core.decideApproval(request, mode(), rules);
  }

  #settle(
    { answer, reason, edited }: CardAnswer,
    decision: Extract<ApprovalDecision, { kind: 'ask' }>,
    call: CallInHand,
  ):
    | Exclude<Permission, { kind: 'run' }>
    | {
        readonly kind: 'allowed';
        readonly call: CallInHand;
        readonly changed: boolean;
        readonly allowedBy: string;
      } {
    switch (answer) {
      case 'deny':
      case 'notNow':
      case 'decline':
      case 'dismiss':
        return { kind: 'denied', reason: reason ?? '' };
      case 'allow':
      case 'keepForUser':
      case 'keepInProject':
      case 'allowSession': {
        const args = editedArguments(call, decision.card, edited ?? {});
        if (typeof args === 'string') return { kind: 'refused', message: args };
        const changed = args !== call.args;
        if (answer === 'allowSession' && decision.rule !== null && !changed) {
          this.#parts.session.push(decision.rule);
          return { kind: 'allowed', call, changed, allowedBy: 'Allowed by you for this session' };
        }
        // The text is the user's now: neither repaired nor quoted.
        const mine = changed ? { ...call, args, repairedFrom: null, quotedFrom: null } : call;
        return { kind: 'allowed', call: mine, changed, allowedBy: 'Allowed by you' };
      }
      default:
        return never(answer);
    }
  }
}

function approvedForm(subject: Subject, card: Card): string {
  return JSON.stringify([subject, card.flags.map((flag) => flag.code)]);
}

/** The arguments with what the user changed on the card, or why they cannot be used. */
function editedArguments(
  call: CallInHand,
  card: Card,
  edited: Readonly<Record<number, string>>,
): Arguments | string {
  let { args } = call;
  for (const [index, text] of Object.entries(edited)) {
    const pane = card.panes[Number(index)];
    if (pane?.editable !== true) continue;
    const before = pane.content.map((span) => ('text' in span ? span.text : '')).join('');
    if (text === before) continue;
    switch (pane.kind) {
      case 'json': {
        const read = readArguments(text);
        if (read.kind !== 'read') return 'The arguments as the user changed them are not JSON.';
        const missing = missingRequired(call.tool.parameters, read.value);
        if (missing.length > 0) return `The user's arguments lack ${missing.join(', ')}.`;
        args = read.value;
        break;
      }
      case 'command':
        args = { ...args, command: text };
        break;
      case 'diff':
      case 'text':
        break;
      default:
        never(pane.kind);
    }
  }
  return args;
}

/** A harmless command runs in the form that keeps it so. */
function withCommand(args: Arguments, subject: Subject, command: string | null): Arguments {
  return command === null || subject.command === undefined || command === subject.command.line
    ? args
    : { ...args, command };
}
