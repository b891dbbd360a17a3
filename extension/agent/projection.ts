/**
 * Tool schemas for strict runtimes: llama.cpp turns them into grammars, LM Studio and Ollama check
 * them in their own ways. In: a JSON Schema as text. Out: one that says the same as far as those can
 * read it, as text; what no runtime has trouble with stays as it is.
 */
import { SCHEMA_DEPTH, SCHEMA_HUGE, SCHEMA_NODES } from '../limits.ts';
import { isObject } from './arguments.ts';

type Schema = Record<string, unknown>;

/** Keywords that strict runtimes refuse or misread, and that only narrow what is allowed. */
const DROPPED = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  '$dynamicRef',
  '$dynamicAnchor',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'examples',
]);

/** Formats that grammars know. */
const FORMATS = new Set(['date', 'time', 'date-time', 'uuid']);

const EMPTY = '{"type":"object","properties":{}}';

/** `parameters` as strict runtimes take them. */
export function projectSchema(parameters: string): string {
  let root: unknown;
  try {
    root = JSON.parse(parameters);
  } catch (error) {
    if (error instanceof SyntaxError) return EMPTY;
    throw error;
  }
  if (!isObject(root)) return EMPTY;
  const projected = new Projection(root).schema(root, 0, new Set());
  const { properties } = projected;
  return JSON.stringify({
    ...without(projected, ['type', 'properties']),
    type: 'object',
    properties: isObject(properties) ? properties : {},
  });
}

class Projection {
  readonly #root: Schema;
  #nodes = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** One schema; `open` holds the references that are being followed. */
  schema(value: unknown, depth: number, open: ReadonlySet<string>): Schema {
    if (!isObject(value)) return { type: 'string' };
    if (depth > SCHEMA_DEPTH || ++this.#nodes > SCHEMA_NODES) return this.#bare(value);
    const reference = value['$ref'];
    if (typeof reference === 'string') return this.#referred(value, reference, depth, open);
    const single = this.#single(value);
    if (single !== null) {
      const own = without(value, ['anyOf', 'oneOf', 'allOf']);
      return this.schema({ ...single, ...own }, depth + 1, open);
    }
    // Without a prototype, so that a keyword named `__proto__` is one like any other.
    const result = Object.create(null) as Schema;
    for (const [key, inner] of Object.entries(value)) {
      const kept = this.#keyword(key, inner, value, depth, open);
      if (kept !== undefined) result[key] = kept;
    }
    if (Object.hasOwn(value, 'const') && !Object.hasOwn(value, 'enum')) {
      result['enum'] = [value['const']];
    }
    return typed(result);
  }

  #keyword(
    key: string,
    inner: unknown,
    owner: Schema,
    depth: number,
    open: ReadonlySet<string>,
  ): unknown {
    if (DROPPED.has(key) || key === 'const') return undefined;
    switch (key) {
      case 'properties':
        return this.#properties(inner, depth, open);
      case 'required':
        return required(inner, owner['properties']);
      case 'items':
        // A list of schemas (a tuple of older drafts) becomes their union.
        return Array.isArray(inner)
          ? this.schema({ anyOf: inner }, depth + 1, open)
          : this.schema(inner, depth + 1, open);
      case 'prefixItems':
        return undefined;
      case 'additionalProperties':
        if (typeof inner === 'boolean') return inner ? undefined : false;
        return this.schema(inner, depth + 1, open);
      case 'anyOf':
      case 'oneOf':
        return Array.isArray(inner)
          ? inner.filter((s) => s !== false).map((s) => this.schema(s, depth + 1, open))
          : undefined;
      case 'allOf':
        return undefined;
      case 'pattern':
        return typeof inner === 'string' && plainPattern(inner) ? inner : undefined;
      case 'format':
        return typeof inner === 'string' && FORMATS.has(inner) ? inner : undefined;
      case 'maxLength':
      case 'maxItems':
      case 'minLength':
      case 'minItems':
      case 'maxProperties':
      case 'minProperties':
        return typeof inner === 'number' && inner <= SCHEMA_HUGE ? inner : undefined;
      default:
        return inner;
    }
  }

  #properties(inner: unknown, depth: number, open: ReadonlySet<string>): unknown {
    if (!isObject(inner)) return {};
    const result = Object.create(null) as Schema;
    for (const [name, schema] of Object.entries(inner)) {
      if (schema !== false) result[name] = this.schema(schema, depth + 1, open);
    }
    return result;
  }

  /** What a reference of this document names, with what stands beside it; a cycle ends in its type. */
  #referred(value: Schema, reference: string, depth: number, open: ReadonlySet<string>): Schema {
    const beside = without(value, ['$ref']);
    const target = this.#find(reference);
    if (!isObject(target)) return this.schema(beside, depth + 1, open);
    if (open.has(reference)) return this.#bare({ ...target, ...beside });
    return this.schema({ ...target, ...beside }, depth + 1, new Set([...open, reference]));
  }

  #find(reference: string): unknown {
    if (reference === '#') return this.#root;
    if (!reference.startsWith('#/')) return undefined;
    let found: unknown = this.#root;
    for (const part of reference.slice(2).split('/')) {
      const key = decoded(part).replace(/~1/gu, '/').replace(/~0/gu, '~');
      if (Array.isArray(found)) found = found[Number(key)];
      else if (isObject(found) && Object.hasOwn(found, key)) found = found[key];
      else return undefined;
    }
    return found;
  }

  /** Where no more is followed: its type and its words. */
  #bare(value: Schema): Schema {
    const { type, description } = value;
    return typed({
      ...(typeof type === 'string' ? { type } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      ...(isObject(value['properties']) && typeof type !== 'string' ? { type: 'object' } : {}),
    });
  }

  /** A union of one, a list of types of one, or parts to be joined: what it comes down to. */
  #single(value: Schema): Schema | null {
    for (const key of ['anyOf', 'oneOf']) {
      const parts = value[key];
      if (!Array.isArray(parts)) continue;
      const real = parts.filter((part) => !isNull(part) && part !== false);
      if (real.length === 1 && isObject(real[0])) return real[0];
      if (real.length === 0) return {};
    }
    const all = value['allOf'];
    if (Array.isArray(all)) {
      return joined(
        all.map((part) => {
          const reference = isObject(part) ? part['$ref'] : undefined;
          const target = typeof reference === 'string' ? this.#find(reference) : part;
          return isObject(target) ? target : {};
        }),
      );
    }
    return null;
  }
}

/** Gives a schema the one type it needs. */
function typed(schema: Schema): Schema {
  const { type } = schema;
  if (typeof type === 'string') return schema;
  if (Array.isArray(type)) {
    const rest = without(schema, ['type']);
    const types = type.filter((t): t is string => typeof t === 'string' && t !== 'null');
    if (types.length === 1) return { type: types[0], ...rest };
    if (types.length > 1) {
      return typeof rest['anyOf'] === 'undefined'
        ? {
            ...rest,
            anyOf: types.map((t) =>
              t === 'array' ? { type: t, items: { type: 'string' } } : { type: t },
            ),
          }
        : rest;
    }
    return { type: 'string', ...rest };
  }
  if (Array.isArray(schema['anyOf']) || Array.isArray(schema['oneOf'])) return schema;
  return { type: inferred(schema), ...schema };
}

function inferred(schema: Schema): string {
  if (isObject(schema['properties']) || isObject(schema['additionalProperties'])) return 'object';
  if (schema['items'] !== undefined) return 'array';
  const values = schema['enum'];
  const first: unknown = Array.isArray(values) ? values[0] : undefined;
  if (typeof first === 'number') return 'number';
  if (typeof first === 'boolean') return 'boolean';
  if (schema['minimum'] !== undefined || schema['maximum'] !== undefined) return 'number';
  return 'string';
}

function without(schema: Schema, keys: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

/** Several schemas that all must hold, as one: properties and required are joined. */
function joined(parts: readonly Schema[]): Schema {
  let result: Schema = {};
  for (const part of parts) {
    const before = result;
    result = { ...before, ...part };
    if (isObject(before['properties']) || isObject(part['properties'])) {
      result['properties'] = {
        ...(isObject(before['properties']) ? before['properties'] : {}),
        ...(isObject(part['properties']) ? part['properties'] : {}),
      };
    }
    const names = [before['required'], part['required']].flatMap((r): unknown[] =>
      Array.isArray(r) ? r : [],
    );
    if (names.length > 0) result['required'] = [...new Set(names)];
  }
  return result;
}

/** Required names that exist: a grammar cannot make a property it does not know. */
function required(inner: unknown, properties: unknown): unknown {
  if (!Array.isArray(inner)) return undefined;
  const known = isObject(properties) ? properties : {};
  const names = inner.filter(
    (name) => typeof name === 'string' && Object.hasOwn(known, name) && known[name] !== false,
  );
  return names.length > 0 ? names : undefined;
}

function isNull(schema: unknown): boolean {
  return isObject(schema) && schema['type'] === 'null';
}

/** Anchored at both ends and without look-around or back-references. */
function plainPattern(pattern: string): boolean {
  return (
    pattern.startsWith('^') &&
    /(?<!\\)\$$/u.test(pattern) &&
    !/\(\?[=!<]|\\[1-9bBkpP]/u.test(pattern)
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}
