/** The shapes of what the tools take and give, as JSON Schema. */
import { fromJsonSchema, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { CATALOGUE_PAGE } from '../limits.ts';

type Schema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };

export const skillId = {
  type: 'string',
  description: 'The id of a skill, as list_skills or search_skills gives it',
};

const summary = {
  id: { type: 'string', description: 'What the other tools take as skill_id' },
  name: { type: 'string', description: 'The title' },
  description: { type: 'string', description: 'What it does and when to use it' },
  version: textOrNull,
  tags: { type: 'array', items: text },
  author: textOrNull,
  license: textOrNull,
};

export const summaryFields = Object.keys(summary);

export const summarySchema: Schema = {
  type: 'object',
  properties: summary,
  required: summaryFields,
};

export const hitSchema: Schema = {
  type: 'object',
  properties: { ...summary, score: { type: 'number', description: 'Higher fits better' } },
  required: [...summaryFields, 'score'],
};

const binary: Schema = {
  type: 'object',
  properties: {
    type: { type: 'string', description: 'The media type' },
    size: { type: 'integer', description: 'Bytes' },
    base64: {
      type: ['string', 'null'],
      description: 'The bytes; null when there are too many to hand out',
    },
  },
  required: ['type', 'size', 'base64'],
};

export const fileSchema: Schema = {
  anyOf: [
    { type: 'string', description: 'The text, as it is' },
    { ...binary, description: 'A file that is not text' },
    { type: 'null', description: 'There is no such skill or file' },
  ],
};

export const entriesSchema: Schema = {
  anyOf: [
    {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: text,
          size: { type: 'integer', description: 'Bytes' },
          type: { type: 'string', description: 'The media type' },
        },
        required: ['name', 'size', 'type'],
      },
    },
    { type: 'null', description: 'There is no such skill' },
  ],
};

export const limitSchema: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: CATALOGUE_PAGE,
};

/** Arguments: an object of these properties. */
export function takes<T>(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
): StandardSchemaWithJSON<T, T> {
  return fromJsonSchema<T>({ type: 'object', properties, required: [...required] });
}

/** A result: before 2026-07-28 it must be an object, so the value stands in one. */
export function gives(result: Schema, more: Readonly<Record<string, Schema>> = {}): Given {
  return fromJsonSchema<Readonly<Record<string, unknown>>>({
    type: 'object',
    properties: { result, ...more },
    required: ['result'],
  });
}

export type Given = StandardSchemaWithJSON<
  Readonly<Record<string, unknown>>,
  Readonly<Record<string, unknown>>
>;
