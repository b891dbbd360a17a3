/**
 * Model servers on the usual ports of this machine.
 *
 * In: nothing but a signal. Out: each server that answers as one, with its models. A port where
 * something else listens, or nothing, is left out silently: it was only a question.
 */
import { DISCOVERY_MS } from '../limits.ts';
import { patientFetch, type Fetch } from './http.ts';
import { fieldOf, parseModels } from './model-list.ts';
import { findWindows } from './windows.ts';
import type { ModelInfo } from './provider.ts';
import { wholeText } from './stream.ts';

export interface FoundServer {
  /** What it is, in our words: "Ollama", "LM Studio". */
  readonly name: string;
  /** Such as `http://localhost:11434/v1`. */
  readonly baseUrl: string;
  /** Such as `localhost:11434`. */
  readonly host: string;
  readonly models: readonly ModelInfo[];
}

/** The port a server listens on when nobody changed it, and who is usually there. */
export const usualPorts: readonly { readonly port: number; readonly name: string }[] = [
  { port: 11434, name: 'Ollama' },
  { port: 1234, name: 'LM Studio' },
  { port: 8080, name: 'llama.cpp' },
  { port: 8000, name: 'vLLM' },
  { port: 1337, name: 'Jan' },
  { port: 5001, name: 'KoboldCpp' },
  { port: 5000, name: 'Text Generation Web UI' },
  { port: 30000, name: 'SGLang' },
];

/** Who says so in `owned_by`; several servers share a port. */
const owners: Readonly<Record<string, string>> = {
  library: 'Ollama',
  llamacpp: 'llama.cpp',
  vllm: 'vLLM',
  sglang: 'SGLang',
  koboldcpp: 'KoboldCpp',
  organization_owner: 'LM Studio',
};

export interface DiscoveryParts {
  readonly ports?: readonly { readonly port: number; readonly name: string }[];
  readonly fetch?: Fetch;
}

/** Asks all ports at once; in the order of `usualPorts`. */
export async function findServers(
  signal: AbortSignal,
  { ports = usualPorts, fetch = patientFetch }: DiscoveryParts = {},
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(
    ports.map(({ port, name }) => askPort(port, name, fetch, signal)),
  );
  return found.filter((server) => server !== null);
}

async function askPort(
  port: number,
  usual: string,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<FoundServer | null> {
  const host = `localhost:${String(port)}`;
  const baseUrl = `http://${host}/v1`;
  const context = { host, apiKey: '' };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)]);
  const text = async (
    url: string | URL,
    body: string | null,
    until: AbortSignal,
  ): Promise<string | null> => {
    const response = await fetch(url, {
      signal: until,
      method: body === null ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(body === null ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === null ? {} : { body }),
    });
    const whole = await wholeText(response, context);
    return response.ok ? whole : null;
  };
  try {
    const answer = await text(`${baseUrl}/models`, null, limit);
    if (answer === null) return null;
    const listed = parseModels(answer, context);
    const models = await findWindows(
      baseUrl,
      listed,
      async (url, body, until) => {
        const given = await text(url, body, until);
        return given === null ? null : (JSON.parse(given) as unknown);
      },
      signal,
    );
    return { name: ownerOf(answer) ?? usual, baseUrl, host, models };
  } catch {
    // Nothing listens there, or it is no model server; only the caller's own stop is an error.
    signal.throwIfAborted();
    return null;
  }
}

function ownerOf(answer: string): string | null {
  const data = fieldOf(JSON.parse(answer) as unknown, 'data');
  const owner = fieldOf(Array.isArray(data) ? data[0] : undefined, 'owned_by');
  return typeof owner === 'string' && Object.hasOwn(owners, owner) ? (owners[owner] ?? null) : null;
}
