/**
 * Calls that a model wrote as text: a fenced block, `<tool_call>`, bare JSON and the special tokens
 * of the common model families.
 *
 * A call counts only when nothing but blanks and more calls follow it: text about a call is not one.
 * What was cut off in the middle is told apart, so that the model is asked again. Deliberately not
 * here: whether text is read for calls at all, and every check of a call.
 */
import { jsonrepair } from 'jsonrepair';
import { CUT_NAME_CHARS, TEXT_CALL_STARTS } from '../limits.ts';
import { callsIn, type CallObject } from './call-objects.ts';
import { isObject } from './arguments.ts';
import { jsonExtent } from './json-extent.ts';
import { markupCall } from './markup-calls.ts';

interface TextCall {
  readonly name: string;
  /** JSON text, or as written where it is not JSON. */
  readonly arguments: string;
  /** What was written, where it had to be repaired. */
  readonly repairedFrom: string | null;
}

export type TextCalls =
  | { readonly kind: 'none' }
  /** `before` is the answer's text up to the first call; `written` the calls' own text. */
  | {
      readonly kind: 'calls';
      readonly before: string;
      readonly written: string;
      readonly calls: readonly TextCall[];
    }
  | { readonly kind: 'cut'; readonly before: string };

/** A tool as far as reading needs it. */
export interface Callable {
  readonly name: string;
  readonly parameters: string;
}

/** Reads the calls at the end of `text`. */
export function readTextCalls(text: string, tools: readonly Callable[]): TextCalls {
  const reader = new Reader(text, tools);
  let cut: TextCalls | null = null;
  for (const start of starts(text)) {
    const found = reader.sequence(start);
    if (found === 'cut') cut ??= { kind: 'cut', before: text.slice(0, start) };
    else if (found !== null) {
      return {
        kind: 'calls',
        before: text.slice(0, start),
        written: text.slice(start),
        calls: found,
      };
    }
  }
  return cut ?? { kind: 'none' };
}

/** Opening marks that no answer has for another reason; what stands in them is a call. */
const MARKS =
  /<\|?tool_calls?\|?>|<\|?function_calls?\|?>|<functioncall>|<tools?>|\[TOOL_CALLS\]|<\|python_tag\|>|<\|START_ACTION\|>|<｜tool▁calls?▁begin｜>|<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>|<function=|<invoke\s|(?:<\|start\|>assistant)?<\|channel\|>commentary to=/u;
const CLOSERS =
  /^(?:<\/?\|?tool_calls?\|?>|<\/\|?tool_calls?\|?>|<\|\/tool_calls?\|>|<\/?\|?function_calls?\|?>|<\/functioncall>|<\/tools?>|<\|END_ACTION\|>|<｜tool▁calls?▁end｜>|<｜end▁of▁sentence｜>|<\|tool_calls?_section_end\|>|<\|tool_calls?_end\|>|<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end\|>|<\|call\|>|<\|endoftext\|>|<end_of_turn>|<\/s>|[;,])/u;

/** Where a call may begin: the last places, from the first of them on. */
function starts(text: string): readonly number[] {
  const all = new RegExp(`${MARKS.source}|^[ \\t]*(?:\`\`\`|~~~|[{[])`, 'gmu');
  return [...text.matchAll(all)].slice(-TEXT_CALL_STARTS).map((match) => match.index);
}

/** True when `text` may be the beginning of a call; used to hold a stream back. */
export function opensCall(text: string): boolean {
  return new RegExp(`^\\s*(?:${MARKS.source})`, 'u').test(text);
}

interface Found {
  readonly calls: readonly TextCall[];
  readonly end: number;
}

class Reader {
  readonly #text: string;
  readonly #tools: readonly Callable[];
  readonly #knows: (name: string) => boolean;

  constructor(text: string, tools: readonly Callable[]) {
    this.#text = text;
    this.#tools = tools;
    const names = new Set(tools.map((tool) => tool.name));
    this.#knows = (name) => names.has(name);
  }

  /** Calls from `start` to the end of the text, or null when something else stands there too. */
  sequence(start: number): readonly TextCall[] | 'cut' | null {
    const calls: TextCall[] = [];
    let at = start;
    let marked = false;
    for (;;) {
      at = this.#afterBlanks(at);
      if (at >= this.#text.length) return calls.length > 0 ? calls : null;
      const rest = this.#text.slice(at);
      const closer = calls.length > 0 ? CLOSERS.exec(rest) : null;
      const fence = /^(```|~~~)[ \t]*([\w-]*)[ \t]*(?:\r?\n|$)/u.exec(rest);
      const mark = new RegExp(`^(?:${MARKS.source})`, 'u').exec(rest);
      let found: Found | 'cut' | null;
      if (mark !== null) {
        // Some models close with the opening mark again.
        if (calls.length > 0 && rest.slice(mark[0].length).trim() === '') return calls;
        marked = true;
        found = this.#marked(at, mark[0]);
      } else if (closer !== null) {
        at += closer[0].length;
        continue;
      } else if (fence !== null) {
        found = this.#fenced(at + fence[0].length, fence[2] ?? '', fence[1] ?? '```');
      } else {
        found = this.#json(at, marked);
      }
      if (found === null || found === 'cut') return found;
      calls.push(...found.calls);
      at = found.end;
    }
  }

  #afterBlanks(at: number): number {
    const blanks = /^\s*/u.exec(this.#text.slice(at, at + 4096));
    const next = at + (blanks?.[0].length ?? 0);
    return next === at + 4096 ? this.#afterBlanks(next) : next;
  }

  /** After an opening mark. */
  #marked(at: number, mark: string): Found | 'cut' | null {
    const markup = markupCall(this.#text, at, this.#tools);
    if (markup === 'cut') return 'cut';
    if (markup !== null) {
      const call = this.#call({ name: markup.name, arguments: markup.arguments }, null);
      return { calls: [call], end: markup.end };
    }
    const inner = this.#afterBlanks(at + mark.length);
    if (inner >= this.#text.length) return 'cut';
    const next = this.#text.slice(inner, inner + 64);
    // A section of calls: the mark of the first call follows.
    if (new RegExp(`^(?:${MARKS.source})`, 'u').test(next)) return { calls: [], end: inner };
    const fence = /^```[\w-]*[ \t]*\r?\n/u.exec(next);
    if (fence !== null) return this.#fenced(inner + fence[0].length, 'json', '```');
    return this.#json(inner, true);
  }

  /** The inside of a fence: calls, one after the other, to its end or the end of the text. */
  #fenced(start: number, language: string, fence: string): Found | 'cut' | null {
    if (
      !/^(?:|json[c5]?|tool_calls?|tool|function|function_call|xml|text|plaintext)$/u.test(
        language.toLowerCase(),
      )
    ) {
      return null;
    }
    const marked = /tool|function/u.test(language);
    const calls: TextCall[] = [];
    let at = start;
    for (;;) {
      at = this.#afterBlanks(at);
      if (at >= this.#text.length) return calls.length > 0 ? { calls, end: at } : null;
      if (this.#text.startsWith(fence, at)) {
        return calls.length > 0 ? { calls, end: at + fence.length } : null;
      }
      const rest = this.#text.slice(at, at + 64);
      const mark = new RegExp(`^(?:${MARKS.source})`, 'u').exec(rest);
      const closer = CLOSERS.exec(rest);
      if (mark === null && closer !== null) {
        at += closer[0].length;
        continue;
      }
      const found = mark === null ? this.#json(at, marked) : this.#marked(at, mark[0]);
      if (found === null || found === 'cut') return found;
      calls.push(...found.calls);
      at = found.end;
    }
  }

  /** A JSON value that is a call, or a list of calls. */
  #json(at: number, marked: boolean): Found | 'cut' | null {
    const first = this.#text[at];
    if (first !== '{' && first !== '[') return null;
    const extent = jsonExtent(this.#text, at);
    const written = this.#text.slice(at, extent.end);
    if (!extent.complete) return marked || this.#looksLikeCall(written) ? 'cut' : null;
    const { value, repaired } = parsed(written);
    const calls = callsIn(value, marked, this.#knows);
    if (calls.length === 0) return null;
    return {
      calls: calls.map((call) => this.#call(call, repaired ? written : null)),
      end: extent.end,
    };
  }

  /** Does the beginning of cut-off JSON name a tool of ours as a call would? */
  #looksLikeCall(written: string): boolean {
    const named = /["'](?:name|tool|tool_name|function|action)["']\s*:\s*["']([^"']+)["']/u.exec(
      written.slice(0, CUT_NAME_CHARS),
    );
    return named?.[1] !== undefined && this.#knows(named[1]);
  }

  #call(call: CallObject, repairedFrom: string | null): TextCall {
    const { arguments: args } = call;
    return {
      name: call.name,
      arguments:
        typeof args === 'string'
          ? args
          : args === null || args === undefined
            ? '{}'
            : JSON.stringify(args),
      repairedFrom,
    };
  }
}

function parsed(written: string): { readonly value: unknown; readonly repaired: boolean } {
  try {
    return { value: JSON.parse(written) as unknown, repaired: false };
  } catch (strict) {
    if (!(strict instanceof SyntaxError)) throw strict;
    try {
      const value = JSON.parse(jsonrepair(written)) as unknown;
      return { value: isObject(value) || Array.isArray(value) ? value : null, repaired: true };
    } catch (error) {
      // Damage beyond repair: it is not a call, and stays text.
      return { value: error instanceof Error ? null : undefined, repaired: true };
    }
  }
}
