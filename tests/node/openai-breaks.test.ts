import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { OpenAiProvider } from '../../extension/models/openai.ts';
import { ModelError, type ChatDelta } from '../../extension/models/provider.ts';
import { calls, collect, delta, request, stop, text } from './model-deltas.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());
function provider(baseUrl = server.baseUrl, apiKey = ''): OpenAiProvider {
  return new OpenAiProvider({ baseUrl, apiKey, firstRetryMs: 1 });
}
test(
  'stops at any point: before, while waiting, while streaming, between retries',
  {
    timeout: 60_000,
  },
  async () => {
    const stopped = new Error('stopped by the test');
    const run = async (
      step: unknown,
      when: (delta: ChatDelta | null) => boolean,
    ): Promise<number> => {
      await server.script([{ when: 'go', steps: [step] }]);
      const controller = new AbortController();
      let count = 0;
      if (when(null)) controller.abort(stopped);
      else setTimeout(() => when({ type: 'text', text: '' }) && controller.abort(stopped), 50);
      await assert.rejects(async () => {
        for await (const delta of provider().chat(request, controller.signal)) {
          count += 1;
          if (when(delta)) controller.abort(stopped);
        }
      }, stopped);
      return count;
    };
    assert.equal(await run({ text: 'x' }, () => true), 0);
    assert.equal(await run({ delayMs: 60_000 }, (seen) => seen !== null), 0);
    assert.equal(
      await run(
        { forever: 'word '.repeat(10) },
        (seen) => seen?.type === 'text' && seen.text !== '',
      ),
      1,
    );
    assert.equal(
      await run(
        { status: 429, headers: { 'retry-after': '60' } },
        (seen) => seen?.type === 'retry',
      ),
      1,
    );
  },
);

/** A server that speaks bytes: `serve` is told how many connections came before. */
async function rawServer(
  serve: (socket: Socket, before: number) => void,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  let before = 0;
  const raw = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      serve(socket, before++);
    });
  });
  raw.listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const address = raw.address();
  assert.ok(typeof address === 'object' && address !== null);
  try {
    await use(`http://127.0.0.1:${String(address.port)}/v1`);
  } finally {
    raw.close();
  }
}

const header = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';

test('a connection that breaks before the answer is repeated', { timeout: 60_000 }, async () => {
  await rawServer(
    (socket, before) => {
      if (before < 2) socket.destroy();
      else socket.end(header + delta({ content: 'now' }, 'stop'));
    },
    async (baseUrl) => {
      const reason = 'HOST closed the connection before it had answered.';
      assert.deepEqual(
        await collect(provider(baseUrl).chat(request, new AbortController().signal)),
        [
          { type: 'retry', reason, seconds: 0.001 },
          { type: 'retry', reason, seconds: 0.002 },
          text('now'),
          stop,
        ],
      );
    },
  );
});

test('a kept connection that the server closed meanwhile is not an error', async () => {
  const body = delta({ content: 'now' }, 'stop');
  const kept = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`;
  await rawServer(
    (socket) => {
      socket.write(kept);
      socket.once('data', () => {
        socket.destroy();
      });
    },
    async (baseUrl) => {
      for (let times = 0; times < 3; times += 1) {
        const seen = await collect(provider(baseUrl).chat(request, new AbortController().signal));
        assert.deepEqual(seen, [text('now'), stop]);
      }
    },
  );
});

test('a signal that lives through many requests keeps no listener', async () => {
  await server.script([{ when: 'go', steps: [{ text: 'ok' }] }]);
  const { signal } = new AbortController();
  for (let times = 0; times < 3; times += 1) {
    await collect(provider().chat(request, signal));
    await provider().models(signal);
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test(
  'a stream cut at every byte gives an error and never an end',
  { timeout: 60_000 },
  async () => {
    const whole = Buffer.from(
      delta({ content: 'Grüße 🙂' }) +
        delta({
          tool_calls: [{ index: 0, id: 'x', function: { name: 'a', arguments: '{"b":1}' } }],
        }) +
        delta({}, 'tool_calls'),
    );
    // The finish reason stands in the last event: from its last brace on the answer is whole.
    const complete = whole.length - 2;
    let cut = 0;
    await rawServer(
      (socket) => {
        socket.write(header);
        socket.end(whole.subarray(0, cut));
      },
      async (baseUrl) => {
        for (cut = 0; cut <= whole.length; cut += 1) {
          const seen = await collect(provider(baseUrl).chat(request, new AbortController().signal));
          const last = seen.at(-1) as { type?: string; code?: string };
          if (cut >= complete) assert.deepEqual(last, calls, `at ${String(cut)}`);
          else assert.equal(last.code, 'protocol', `at ${String(cut)}: ${JSON.stringify(seen)}`);
        }
      },
    );
  },
);

test('a server that is not there is named', async () => {
  const gone = await startScriptedModel();
  await gone.stop();
  const host = new URL(gone.url).host;
  const broken = new OpenAiProvider({ baseUrl: gone.baseUrl, apiKey: '' });
  for (const attempt of [
    () => collect(broken.chat(request, new AbortController().signal)),
    () => broken.models(new AbortController().signal),
  ]) {
    await attempt().then(
      (seen) => {
        assert.deepEqual(seen, [
          { code: 'unreachable', message: 'No answer from HOST (ECONNREFUSED).' },
        ]);
      },
      (error: unknown) => {
        assert.ok(error instanceof ModelError);
        assert.equal(error.message, `No answer from ${host} (ECONNREFUSED).`);
        assert.equal(error.remedy, 'Start the model server, or set the address where it listens.');
      },
    );
  }
});
