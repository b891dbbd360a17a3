/**
 * The arguments of a call: from what the model wrote to a JSON object. Damage in the syntax is
 * repaired and said so; arguments that were cut off are never finished by guess.
 */
import { jsonrepair } from 'jsonrepair';
import { ARGUMENT_DEPTH } from '../limits.ts';
import { jsonExtent } from './json-extent.ts';
import type { Arguments } from './tool.ts';

export type ReadArguments =
  | { readonly kind: 'read'; readonly value: Arguments; readonly repairedFrom: string | null }
  /** The text ends in the middle. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'broken'; readonly why: string };

export function readArguments(written: string): ReadArguments {
  const text = withoutFence(written);
  if (text === '' || text === 'null') return { kind: 'read', value: {}, repairedFrom: null };
  const start = text.search(/[{[]/u);
  if (start >= 0) {
    const extent = jsonExtent(text, start);
    if (extent.depth > ARGUMENT_DEPTH)
      return { kind: 'broken', why: `nested deeper than ${ARGUMENT_DEPTH} levels` };
  }
  const strict = parse(text);
  if (strict.ok) {
    // Some servers hand the arguments over as a string that holds JSON.
    if (typeof strict.value === 'string' && strict.value.trimStart().startsWith('{')) {
      return readArguments(strict.value);
    }
    if (!isObject(strict.value)) return { kind: 'broken', why: 'not a JSON object' };
    return {
      kind: 'read',
      value: strict.value,
      repairedFrom: text === written.trim() ? null : written,
    };
  }
  if (start !== 0 || text[0] !== '{') return { kind: 'broken', why: strict.why };
  const extent = jsonExtent(text, 0);
  if (!extent.complete) return { kind: 'cut' };
  try {
    const repaired = parse(jsonrepair(text));
    if (repaired.ok && isObject(repaired.value)) {
      return { kind: 'read', value: repaired.value, repairedFrom: written };
    }
  } catch (error) {
    return { kind: 'broken', why: error instanceof Error ? error.message : strict.why };
  }
  return { kind: 'broken', why: strict.why };
}

function withoutFence(text: string): string {
  const trimmed = text.trim();
  const open = /^```[a-z]*/u.exec(trimmed)?.[0] ?? '';
  const fenced = open !== '' && trimmed.endsWith('```') && trimmed.length >= open.length + 3;
  return fenced ? trimmed.slice(open.length, -3).trim() : trimmed;
}

function parse(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' };
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Names that the schema requires and the arguments lack. */
export function missingRequired(parameters: string, args: Arguments): readonly string[] {
  const schema = parse(parameters);
  if (!schema.ok || !isObject(schema.value)) return [];
  const required = schema.value['required'];
  if (!Array.isArray(required)) return [];
  return required.filter(
    (name): name is string =>
      typeof name === 'string' && (!Object.hasOwn(args, name) || args[name] === undefined),
  );
}

/** A text with keys in one order: two calls that mean the same compare equal. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
