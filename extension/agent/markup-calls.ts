/**
 * Calls whose name or arguments stand in markup instead of JSON: `<function=NAME>` with parameters,
 * `<invoke name="…">`, and names between special tokens. In: a text and the place of an opening mark.
 * Out: the call and where it ends; `cut` when its end is missing; null when it is none of these.
 */
import { isObject } from './arguments.ts';
import { jsonExtent } from './json-extent.ts';
import type { Callable } from './textcalls.ts';

export interface MarkupCall {
  readonly name: string;
  readonly arguments: unknown;
  readonly end: number;
}

/** A family of markup: how a call opens and closes, and its parameters. */
interface Family {
  readonly opens: RegExp;
  readonly close: string;
  /** Sticky; the first group is the parameter's name. */
  readonly parameter: RegExp;
  /** What ends a value: the closing tag, and after it the next parameter or the call's end. */
  readonly valueEnd: RegExp;
}

const FAMILIES: readonly Family[] = [
  {
    opens: /^(?:<\|?tool_calls?\|?>\s*)?<function=([^>\s]+)>/u,
    close: '</function>',
    parameter: /\s*<parameter=([^>]+)>\n?/uy,
    valueEnd: /\n?<\/parameter>(?=\s*(?:<parameter=|<\/function>))/gu,
  },
  {
    opens: /^(?:<\|?(?:tool|function)_calls?\|?>\s*)?<invoke\s+name="([^"]+)"\s*>/u,
    close: '</invoke>',
    parameter: /\s*<parameter\s+name="([^"]+)"[^>]*>\n?/uy,
    valueEnd: /\n?<\/parameter>(?=\s*(?:<parameter\s|<\/invoke>))/gu,
  },
  {
    opens: /^<tool_call>\s*([\w.:-]+)\s*(?=<arg_key>|<\/tool_call>)/u,
    close: '</tool_call>',
    parameter: /\s*<arg_key>([^<]+)<\/arg_key>\s*<arg_value>/uy,
    valueEnd: /<\/arg_value>(?=\s*(?:<arg_key>|<\/tool_call>))/gu,
  },
];

/** The call in markup that begins at `at`. */
export function markupCall(
  text: string,
  at: number,
  tools: readonly Callable[],
): MarkupCall | 'cut' | null {
  const rest = text.slice(at);
  for (const family of FAMILIES) {
    const opened = family.opens.exec(rest);
    if (opened !== null) return inMarkup(text, at, opened, family, tools);
  }
  for (const shape of BEFORE_JSON) {
    const before = shape.exec(rest);
    if (before !== null) return withJson(text, at, before);
  }
  return null;
}

/** A name between special tokens, followed by the arguments as JSON. */
const BEFORE_JSON = [
  /^\[TOOL_CALLS\]\s*([\w.:-]+)\s*(?:\[CALL_ID\][\w-]*)?\s*(?:\[ARGS\])?\s*(?=\{|$)/u,
  /^(?:<｜tool▁calls▁begin｜>\s*)?<｜tool▁call▁begin｜>\s*(?:function\s*<｜tool▁sep｜>)?\s*([\w.:-]+)\s*(?:<｜tool▁sep｜>)?\s*(?:```json\s*)?(?=\{|$)/u,
  /^(?:<\|tool_calls_section_begin\|>\s*)?<\|tool_call_begin\|>\s*([\w.:-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*(?=\{|$)/u,
  /^(?:<\|start\|>assistant)?<\|channel\|>commentary to=([\w.:-]+)[^{]{0,80}?<\|message\|>\s*(?=\{|$)/u,
];

function withJson(text: string, at: number, before: RegExpExecArray): MarkupCall | 'cut' {
  const start = at + before[0].length;
  const name = before[1] ?? '';
  if (start >= text.length) return 'cut';
  const extent = jsonExtent(text, start);
  if (!extent.complete) return 'cut';
  const fence = /^\s*```/u.exec(text.slice(extent.end, extent.end + 16));
  const fenced = before[0].includes('```') ? (fence?.[0].length ?? 0) : 0;
  return { name, arguments: text.slice(start, extent.end), end: extent.end + fenced };
}

/**
 * The parameters between an opening tag and its end. A value ends only where the next parameter or
 * the call's end follows, so that a file's text may hold such tags itself. Values get the type that
 * the schema says.
 */
function inMarkup(
  text: string,
  at: number,
  opened: RegExpExecArray,
  family: Family,
  tools: readonly Callable[],
): MarkupCall | 'cut' {
  const name = opened[1] ?? '';
  let from = at + opened[0].length;
  const first = text.slice(from).search(/\S/u);
  if (first >= 0 && text[from + first] === '{') {
    const extent = jsonExtent(text, from + first);
    const end = text.indexOf(family.close, extent.end);
    if (!extent.complete || end < 0) return 'cut';
    return {
      name,
      arguments: text.slice(from + first, extent.end),
      end: end + family.close.length,
    };
  }
  const types = propertyTypes(tools.find((tool) => tool.name === name)?.parameters ?? '{}');
  const args = Object.create(null) as Record<string, unknown>;
  for (;;) {
    const parameter = new RegExp(family.parameter);
    parameter.lastIndex = from;
    const key = parameter.exec(text)?.[1];
    if (key === undefined) break;
    const valueEnd = new RegExp(family.valueEnd);
    valueEnd.lastIndex = parameter.lastIndex;
    const ended = valueEnd.exec(text);
    if (ended === null) return 'cut';
    const value = text.slice(parameter.lastIndex, ended.index);
    args[key.trim()] = valueOf(value, types.get(key.trim()) ?? 'string');
    from = valueEnd.lastIndex;
  }
  const rest = text.slice(from);
  const blanks = /^\s*/u.exec(rest)?.[0].length ?? 0;
  if (!rest.startsWith(family.close, blanks)) return 'cut';
  return { name, arguments: args, end: from + blanks + family.close.length };
}

function propertyTypes(parameters: string): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  try {
    const schema: unknown = JSON.parse(parameters);
    const properties = isObject(schema) ? schema['properties'] : null;
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const type = isObject(property) ? property['type'] : undefined;
      types.set(name, typeof type === 'string' ? type : 'string');
    }
  } catch (error) {
    // A schema that is not JSON says nothing about types: every value stays text.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return types;
}

function valueOf(text: string, type: string): unknown {
  if (type === 'string') return text;
  try {
    return JSON.parse(text.trim()) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
