/** The schema of a built-in tool's arguments, and reading them as models give them. */
import type { Arguments } from '../tool.ts';
import { ToolRefusal } from '../tool.ts';

interface Parameter {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description?: string;
}

/** A JSON Schema as byte-stable text. */
export function parametersOf(
  properties: Readonly<Record<string, Parameter>>,
  required: readonly string[],
): string {
  return JSON.stringify({ type: 'object', properties, required });
}

export function textArgument(args: Arguments, name: string): string | null {
  const value = args[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ToolRefusal(`The argument ${name} must be a string.`);
}

export function requiredText(args: Arguments, name: string): string {
  const value = textArgument(args, name);
  if (value === null) throw new ToolRefusal(`The argument ${name} is missing.`);
  return value;
}

/** A whole number of at least `least`; models also write "12". */
export function numberArgument(args: Arguments, name: string, least: number): number | null {
  const value = args[name];
  if (value === undefined || value === null || value === '') return null;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) {
    throw new ToolRefusal(`The argument ${name} must be a number.`);
  }
  return Math.max(least, Math.trunc(number));
}

export function booleanArgument(args: Arguments, name: string): boolean {
  const value = args[name];
  return value === true || value === 'true' || value === 1;
}
