/** `--smoke-test`: a server in this process, and a client that calls everything once. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import type { SkillsServer } from './create.ts';
import { semanticName } from './semantic.ts';
import { resources } from './texts.ts';
import { tools } from './tools.ts';

export interface SmokeLine {
  readonly what: string;
  readonly ok: boolean;
  readonly saw: string;
}

/** One line for each thing that was called. */
export async function smokeTest(server: SkillsServer): Promise<readonly SmokeLine[]> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const { server: connected } = server.servers.create({ era: 'legacy' });
  await connected.connect(theirs);
  const client = new SmokeClient(ours);
  try {
    await client.open();
    return await callEverything(client);
  } finally {
    await connected.close();
  }
}

async function callEverything(client: SmokeClient): Promise<readonly SmokeLine[]> {
  const lines: SmokeLine[] = [];
  const { tools: listed } = await client.ask<{ tools: readonly { name: string }[] }>('tools/list');
  lines.push({
    what: 'tools/list',
    ok: listed.length >= tools.length,
    saw: `${String(listed.length)} tools`,
  });
  const all = await client.call('list_skills', {});
  const skills = Array.isArray(all.result) ? (all.result as readonly { id: string }[]) : [];
  const counts = (called: Called, count: number, what: string): string =>
    called.ok ? counted(count, what) : called.text;
  const says = (called: Called): string => (called.ok ? said(called.result) : called.text);
  lines.push({ what: 'list_skills', ok: all.ok, saw: counts(all, skills.length, 'skill') });
  const id = skills[0]?.id ?? 'none';
  const found = await client.call('search_skills', { query: id });
  const hits = Array.isArray(found.result) ? found.result.length : 0;
  lines.push({
    what: 'search_skills',
    ok: found.ok && (skills.length === 0 || hits > 0),
    saw: counts(found, hits, 'hit'),
  });
  if (listed.some(({ name }) => name === semanticName)) {
    const near = await client.call(semanticName, { query: id });
    const count = Array.isArray(near.result) ? near.result.length : 0;
    lines.push({
      what: semanticName,
      ok: near.ok && (skills.length === 0 || count > 0),
      saw: counts(near, count, 'hit'),
    });
  }
  const there = skills.length > 0;
  for (const name of ['get_skill_metadata', 'get_skill_body']) {
    const called = await client.call(name, { skill_id: id });
    const ok = called.ok && (called.result !== null) === there;
    lines.push({ what: name, ok, saw: says(called) });
  }
  for (const one of ['reference', 'script', 'asset']) {
    const list = await client.call(`list_skill_${one}s`, { skill_id: id });
    const files = Array.isArray(list.result) ? (list.result as readonly { name: string }[]) : [];
    lines.push({
      what: `list_skill_${one}s`,
      ok: list.ok,
      saw: counts(list, files.length, 'file'),
    });
    const name = files[0]?.name ?? 'none';
    const file = await client.call(`get_skill_${one}`, { skill_id: id, name });
    const right = (file.result !== null) === files.length > 0;
    lines.push({ what: `get_skill_${one}`, ok: file.ok && right, saw: says(file) });
  }
  const outside = await client.call('get_skill_body', { skill_id: '../../etc/passwd' });
  lines.push({
    what: 'get_skill_body ../../etc/passwd',
    ok: outside.ok && outside.result === null,
    saw: says(outside),
  });
  for (const { uri } of resources) {
    const read = await client.ask<{ contents: readonly { text: string }[] }>('resources/read', {
      uri,
    });
    const text = read.contents[0]?.text ?? '';
    lines.push({ what: uri, ok: text !== '', saw: said(text) });
  }
  return lines;
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}

function said(result: unknown): string {
  if (result === null) return 'null';
  if (typeof result === 'string') return `${String(result.length)} characters`;
  return `${String(JSON.stringify(result).length)} characters of JSON`;
}

interface Called {
  readonly ok: boolean;
  readonly result: unknown;
  /** What it says in words: of a call that failed, why. */
  readonly text: string;
}

/** Just enough of a client: a request, and the answer with its id. */
class SmokeClient {
  readonly #transport: InMemoryTransport;
  readonly #waiting = new Map<number, (message: JSONRPCMessage) => void>();
  #last = 0;

  constructor(transport: InMemoryTransport) {
    this.#transport = transport;
  }

  async open(): Promise<void> {
    this.#transport.onmessage = (message) => {
      if ('id' in message && typeof message.id === 'number')
        this.#waiting.get(message.id)?.(message);
    };
    await this.#transport.start();
    await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'gbs-skills-mcp --smoke-test', version: '1' },
    });
    await this.#transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async ask<T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<JSONRPCMessage>((resolve) => {
      this.#waiting.set(id, resolve);
    });
    await this.#transport.send({ jsonrpc: '2.0', id, method, params });
    const message = await answered;
    this.#waiting.delete(id);
    if ('error' in message) throw new Error(`${method}: ${message.error.message}`);
    if (!('result' in message)) throw new Error(`${method}: no result`);
    return message.result as T;
  }

  async call(name: string, args: Readonly<Record<string, unknown>>): Promise<Called> {
    const { content, structuredContent, isError } = await this.ask<{
      content: readonly { text?: string }[];
      structuredContent?: { result?: unknown };
      isError?: boolean;
    }>('tools/call', { name, arguments: args });
    const result = structuredContent?.result;
    const text = content.map((part) => part.text ?? '').join(' ');
    return { ok: isError !== true && result !== undefined, result, text };
  }
}
