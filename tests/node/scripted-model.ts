/** Starts and stops the scripted model server for a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As received. */
  readonly body: string;
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** `url` + `/v1`. */
  readonly baseUrl: string;
  requests(): Promise<readonly RecordedRequest[]>;
  /** Replaces the script; see `scripts/scripted-model.mjs` for what one is. */
  script(script: unknown): Promise<void>;
  stop(): Promise<void>;
}

/** A process of its own, which ends with this one. */
export async function startScriptedModel(
  script?: unknown,
  flags: readonly string[] = [],
): Promise<ScriptedModel> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../scripts/scripted-model.mjs'), '--watch-stdin', ...flags],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    closed.then(() => {
      throw new Error('the scripted model server ended before it was ready');
    }),
  ])) as [string];
  const url = line.replace(/^READY /, '');
  const send = async (method: string, path: string, body?: string): Promise<unknown> => {
    const response = await fetch(url + path, { method, ...(body === undefined ? {} : { body }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return response.json();
  };
  const model: ScriptedModel = {
    url,
    baseUrl: `${url}/v1`,
    requests: async () => (await send('GET', '/__requests')) as readonly RecordedRequest[],
    script: async (next) => {
      await send('POST', '/__script', JSON.stringify(next));
    },
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
  if (script !== undefined) await model.script(script);
  return model;
}
