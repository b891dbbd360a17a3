// A server's stdout → messages: `Session.feed` against the MCP SDK's `ReadBuffer` (which also checks
// each message against a schema) and against the bare minimum, `indexOf` and `JSON.parse`.
//
// Both sides end with the same in hand: each message's payload as a JavaScript value. Only the case
// "routing" stops at the text of the payload, as a caller does that passes it on.
import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js';
import { readFileSync } from 'node:fs';
import { addFraming } from '../pkg/framing.mjs';
import packaged from '../pkg/index.cjs';
import { instantiate } from '../pkg/wasm/instantiate.mjs';
import { amount, compared, interleaved, said } from './lib.mjs';

const CHUNK = 64 * 1024;
const MIB = 1024 * 1024;

/** A session that is ready, with `count` open calls, whose ids follow one another from `first` on. */
function ready(core, count) {
  const session = new core.Session({ clientInfo: { name: 'bench', version: '1' }, era: 'legacy' });
  const sent = session
    .start()
    .filter((effect) => effect.kind === 'send')
    .map((effect) => JSON.parse(effect.line));
  const { id } = sent.find((message) => message.method === 'initialize');
  const result = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 's', version: '1' },
  };
  session.feed(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`));
  let first;
  for (let n = 0; n < count; n += 1) {
    const { id: call } = session.request('tools/call', '{"name":"t"}');
    first ??= call;
  }
  return { session, first };
}

/** The id of the first call of a session; they are alike in all sessions. */
function firstCall(core) {
  return ready(core, 1).first;
}

function cut(bytes, size) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

/** Our side: feeds the chunks, and takes the payloads out of the effects. */
function ours(core, chunks, calls, messages, parse) {
  return {
    fresh() {
      const { session } = ready(core, calls);
      return () => {
        let seen = 0;
        for (const chunk of chunks) {
          for (const effect of session.feed(chunk)) {
            if (effect.kind === 'settled') {
              if (parse) JSON.parse(effect.outcome.text);
              seen += 1;
            } else if (effect.kind === 'notification') {
              if (parse) JSON.parse(effect.params);
              seen += 1;
            }
          }
        }
        session.free();
        if (seen !== messages) throw new Error(`${seen} of ${messages} messages`);
      };
    },
  };
}

function sdk(chunks, messages) {
  return () => {
    const buffer = new ReadBuffer();
    let seen = 0;
    for (const chunk of chunks) {
      buffer.append(chunk);
      while (buffer.readMessage() !== null) seen += 1;
    }
    if (seen !== messages) throw new Error(`${seen} of ${messages} messages`);
  };
}

function bare(chunks, messages) {
  return () => {
    let rest = null;
    let seen = 0;
    for (const chunk of chunks) {
      let all = rest === null ? chunk : Buffer.concat([rest, chunk]);
      for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10)) {
        JSON.parse(all.toString('utf8', 0, end));
        seen += 1;
        all = all.subarray(end + 1);
      }
      rest = all.length > 0 ? all : null;
    }
    if (seen !== messages) throw new Error(`${seen} of ${messages} messages`);
  };
}

/** 20,000 messages of 280 bytes: answers to calls and notifications in turn. */
function small(first, count = 20_000) {
  const lines = [];
  let id = first;
  for (let n = 0; n < count; n += 1) {
    const make = (text) =>
      n % 2 === 0
        ? { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }], isError: false } }
        : {
            jsonrpc: '2.0',
            method: 'notifications/resources/updated',
            params: { uri: `file:///work/${n}.txt`, text },
          };
    const words = 'The build finished and all checks passed in the second run of the day, again. ';
    const length = 279 - JSON.stringify(make('')).length;
    const text = words.repeat(Math.ceil(length / words.length)).slice(0, length);
    lines.push(`${JSON.stringify(make(text))}\n`);
    if (n % 2 === 0) id += 1;
  }
  return lines;
}

/** One answer of about `bytes` with text of several scripts. */
function large(id, bytes) {
  const line =
    'Ein Satz mit Umlauten: äöü. Предложение на русском. 日本語の文章です。 And "plain" text \n';
  const text = line.repeat(Math.ceil(bytes / Buffer.byteLength(JSON.stringify(line))));
  const result = { content: [{ type: 'text', text }] };
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

/** A list of many tools: short texts, deep nesting, nearly no white space. */
function tools(id) {
  const list = Array.from({ length: 2000 }, (_, n) => ({
    name: `tool_${n}`,
    description: `Does step ${n}.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        ['path', 'mode', 'limit', 'flags'].map((name, k) => [
          name,
          k === 3
            ? { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } }
            : { type: k === 2 ? 'integer' : 'string', description: `The ${name}.` },
        ]),
      ),
      required: ['path'],
    },
    annotations: { readOnlyHint: n % 2 === 0, openWorldHint: false },
  }));
  return Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: list } })}\n`);
}

function thirty() {
  // The instance itself, since the package does not show its memory.
  const module = readFileSync(new URL('../pkg/wasm/gbs_bg.wasm', import.meta.url));
  const core = addFraming(instantiate(new WebAssembly.Module(module), { lost() {} }));
  const { session, first } = ready(core, 1);
  const chunks = cut(large(first, 30 * MIB), CHUNK);
  let text = '';
  for (const chunk of chunks) {
    for (const effect of session.feed(chunk)) {
      if (effect.kind === 'settled') text = effect.outcome.text;
    }
  }
  const length = Buffer.concat(chunks).length;
  if (Buffer.byteLength(text) < length - 100) throw new Error('the message of 30 MB did not come');
  const memory = core.wasmMemory().buffer.byteLength / MIB;
  let gaveUp = '';
  try {
    sdk(chunks, 1)();
  } catch (error) {
    gaveUp = error.message;
  }
  return said(
    'One message of 30 MB: memory of the module afterwards',
    `${amount(memory, 'MiB')} (the SDK: ${gaveUp === '' ? 'works' : gaveUp})`,
    memory < 2,
  );
}

export const title = 'Framing: a server’s stdout to messages';

export function run({ rounds }) {
  const core = packaged.createCore();
  const first = firstCall(core);
  const few = Math.max(5, Math.floor(rounds / 2));
  const rows = [];
  const compare = (title, chunks, [calls, messages], against, { parse = true, times } = {}) => {
    const sides = {
      ours: ours(core, chunks, calls, messages, parse),
      SDK: sdk(chunks, messages),
      bare: bare(chunks, messages),
    };
    rows.push(compared(title, interleaved(sides, { rounds: times ?? rounds }), 'ours', against));
  };
  const lines = small(first);
  const counts = [lines.length / 2, lines.length];
  const together = cut(Buffer.from(lines.join('')), CHUNK);
  compare('20,000 messages of 280 bytes, chunks of 64 KiB', together, counts, [
    ['SDK', 0.35],
    ['bare', 0.9],
  ]);
  compare(
    'The same, one message a chunk',
    lines.map((line) => Buffer.from(line)),
    counts,
    [
      ['SDK', 0.5],
      ['bare', null],
    ],
  );
  compare(
    'One message of 8.5 MB, text of several scripts',
    cut(large(first, 8.5e6), CHUNK),
    [1, 1],
    [
      ['SDK', 0.3],
      ['bare', null],
    ],
    { times: few },
  );
  compare(
    'A dense tools/list of 2,000 tools',
    cut(tools(first), CHUNK),
    [1, 1],
    [
      ['SDK', 1.1],
      ['bare', 1.1],
    ],
  );
  compare(
    'Routing alone: the 20,000 messages, payloads left as text',
    together,
    counts,
    [['SDK', 0.15]],
    {
      parse: false,
    },
  );
  rows.push(thirty());
  return rows;
}
