/**
 * Search by meaning: the eleventh tool, there only when an embeddings server is configured.
 *
 * In: an OpenAI-compatible `/embeddings` endpoint. A skill is embedded once as long as it says the same
 * about itself; nothing but names, descriptions and queries is sent.
 */
import { CATALOGUE_EMBEDDED_AT_ONCE, CATALOGUE_EMBEDDING_MS, CATALOGUE_HITS } from '../limits.ts';
import { codeOf } from '../models/errors.ts';
import { gives, hitSchema, limitSchema, takes } from './schemas.ts';
import { summaryOf, type Skill } from './skill.ts';
import { given, refused, tool, type CatalogueTool } from './tools.ts';

/** The name of the tool that is there only with an embeddings server. */
export const semanticName = 'search_skills_semantic';

export interface EmbeddingsOptions {
  /** With its version, such as http://localhost:11434/v1 */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; null for none. */
  readonly key: string | null;
}

/** The embeddings server cannot be reached, or answers something else. */
export class EmbeddingsFailure extends Error {
  override readonly name = 'EmbeddingsFailure';
}

type Vector = readonly number[];

export class Embeddings {
  readonly #options: EmbeddingsOptions;
  /** By text; what no skill says any more goes with the next search. */
  #kept: ReadonlyMap<string, Promise<Vector>> = new Map();

  constructor(options: EmbeddingsOptions) {
    this.#options = options;
  }

  /** Skills with how near they are to the query, from -1 to 1, nearest first. */
  async rank(
    skills: readonly Skill[],
    query: string,
  ): Promise<readonly { readonly skill: Skill; readonly score: number }[]> {
    this.#embedNew(skills.map(textOf));
    const [near] = await this.#ask([query]);
    if (near === undefined) throw new EmbeddingsFailure('the embeddings server gave nothing');
    const ranked = await Promise.all(
      skills.map(async (skill) => {
        const vector = await this.#kept.get(textOf(skill));
        return { skill, score: vector === undefined ? 0 : cosine(vector, near) };
      }),
    );
    return ranked.sort((a, b) => b.score - a.score || (a.skill.id < b.skill.id ? -1 : 1));
  }

  #embedNew(texts: readonly string[]): void {
    const kept = new Map<string, Promise<Vector>>();
    const wanted: string[] = [];
    for (const text of new Set(texts)) {
      const known = this.#kept.get(text);
      if (known === undefined) wanted.push(text);
      else kept.set(text, known);
    }
    for (let at = 0; at < wanted.length; at += CATALOGUE_EMBEDDED_AT_ONCE) {
      const batch = wanted.slice(at, at + CATALOGUE_EMBEDDED_AT_ONCE);
      const asked = this.#ask(batch);
      batch.forEach((text, place) => {
        const vector = asked.then((vectors) => vectors[place] ?? []);
        // What failed is asked again the next time.
        vector.catch(() => kept.delete(text));
        kept.set(text, vector);
      });
    }
    this.#kept = kept;
  }

  async #ask(input: readonly string[]): Promise<readonly Vector[]> {
    const { url, model, key } = this.#options;
    const address = `${url.replace(/\/$/, '')}/embeddings`;
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key !== null && { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input }),
        signal: AbortSignal.timeout(CATALOGUE_EMBEDDING_MS),
      });
      if (!response.ok) throw new EmbeddingsFailure(`it answered ${String(response.status)}`);
      return vectorsIn(await response.json(), input.length);
    } catch (error) {
      // `fetch` says only that it failed; its cause says why.
      const code = codeOf(error);
      const why = code !== '' ? code : error instanceof Error ? error.message : String(error);
      throw new EmbeddingsFailure(`The embeddings server at ${address} gave nothing: ${why}.`);
    }
  }
}

function textOf({ name, description, tags }: Skill): string {
  return [name, description, tags.join(', ')].filter((part) => part !== '').join('\n');
}

/** The vectors in the order of their `index`, which need not be that of the answer. */
function vectorsIn(answer: unknown, count: number): readonly Vector[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  const vectors: Vector[] = [];
  for (const [place, each] of (Array.isArray(data) ? data : []).entries()) {
    const { index = place, embedding } = (each ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index === 'number' && isVector(embedding)) vectors[index] = embedding;
  }
  const whole = Array.from({ length: count }, (_, at) => vectors[at]);
  return whole.map((vector) => {
    if (vector === undefined) throw new EmbeddingsFailure('its answer holds too few embeddings');
    return vector;
  });
}

function isVector(value: unknown): value is Vector {
  return Array.isArray(value) && value.every((each) => typeof each === 'number');
}

/** 0 for vectors that cannot be compared. */
function cosine(a: Vector, b: Vector): number {
  let dot = 0;
  let lengthA = 0;
  let lengthB = 0;
  for (const [at, value] of a.entries()) {
    const other = b[at] ?? 0;
    dot += value * other;
    lengthA += value * value;
    lengthB += other * other;
  }
  const length = Math.sqrt(lengthA * lengthB);
  return length === 0 || a.length !== b.length ? 0 : dot / length;
}

export function semanticTool(embeddings: Embeddings): CatalogueTool {
  return tool<{ readonly query: string; readonly limit?: number }>({
    name: semanticName,
    title: 'Search skills by meaning',
    description:
      'Finds the skills whose meaning is nearest to a sentence, nearest first; for when the words of search_skills find nothing. score is from -1 to 1.',
    takes: takes(
      {
        query: { type: 'string', description: 'What is to be done, in a sentence' },
        limit: { ...limitSchema, description: `Hits, ${String(CATALOGUE_HITS)} unless told` },
      },
      ['query'],
    ),
    gives: gives({ type: 'array', items: hitSchema }),
    call: async ({ query, limit = CATALOGUE_HITS }, { catalogue }) => {
      try {
        const ranked = await embeddings.rank(await catalogue.list(), query);
        const hits = ranked.slice(0, limit);
        return given(hits.map(({ skill, score }) => ({ ...summaryOf(skill), score })));
      } catch (error) {
        if (!(error instanceof EmbeddingsFailure)) throw error;
        return refused(`${error.message} search_skills needs no such server.`);
      }
    },
  });
}
