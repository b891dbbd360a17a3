/**
 * A call as a JSON value, in the shapes that models write: `{"name", "arguments"}` and its many
 * variants. In: a parsed value. Out: calls, or nothing when it is some other JSON.
 */
import { isObject } from './arguments.ts';

export interface CallObject {
  readonly name: string;
  readonly arguments: unknown;
}

const NAMES = [
  'name',
  'tool',
  'tool_name',
  'function',
  'function_name',
  'action',
  'recipient_name',
];
const ARGUMENTS = [
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'action_input',
  'tool_input',
  'kwargs',
];
/** Keys that may stand beside a call without making it something else. */
const BESIDE = new Set(['id', 'type', 'index', 'tool_call_id', 'call_id']);

/**
 * The calls in `value`. `marked`: it stood between special tokens, so it is a call even when its
 * name is not known; else the name must be known or nothing but a call's keys may be there.
 */
export function callsIn(
  value: unknown,
  marked: boolean,
  knows: (name: string) => boolean,
): readonly CallObject[] {
  if (Array.isArray(value)) {
    const calls = value.map((inner) => callOf(inner, marked, knows));
    return calls.length > 0 && calls.every((call) => call !== null) ? calls : [];
  }
  if (isObject(value) && Array.isArray(value['tool_calls'])) {
    return callsIn(value['tool_calls'], true, knows);
  }
  const call = callOf(value, marked, knows);
  return call === null ? [] : [call];
}

function callOf(
  value: unknown,
  marked: boolean,
  knows: (name: string) => boolean,
): CallObject | null {
  if (!isObject(value)) return null;
  if (isObject(value['function'])) return callOf(value['function'], marked, knows);
  const nameKey = NAMES.find((key) => typeof value[key] === 'string');
  const argumentsKey = ARGUMENTS.find((key) => {
    const inner = value[key];
    return isObject(inner) || typeof inner === 'string' || inner === null;
  });
  const name = nameKey === undefined ? '' : String(value[nameKey]);
  const others = Object.keys(value).filter(
    (key) => key !== nameKey && key !== argumentsKey && !BESIDE.has(key),
  );
  if (name !== '' && argumentsKey !== undefined) {
    if (!marked && !knows(name) && others.length > 0) return null;
    return { name, arguments: value[argumentsKey] };
  }
  if (name !== '' && (marked || knows(name))) {
    if (marked) {
      // The arguments stand beside the name.
      return { name, arguments: Object.fromEntries(others.map((key) => [key, value[key]])) };
    }
    return others.length === 0 ? { name, arguments: {} } : null;
  }
  // {"read_file": {"path": "a"}}
  const [only, ...rest] = Object.entries(value);
  if (only !== undefined && rest.length === 0 && knows(only[0]) && isObject(only[1])) {
    return { name: only[0], arguments: only[1] };
  }
  return null;
}
