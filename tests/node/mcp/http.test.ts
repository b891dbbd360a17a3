/** Servers over HTTP that misbehave: each failure is told once, with what to do, and nothing is sent twice. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { HTTP_MESSAGE_BYTES } from '../../../extension/limits.ts';
import type { HttpAuthorization } from '../../../extension/mcp/http-authorization.ts';
import type { ApprovedAddress } from '../../../extension/mcp/plans.ts';
import {
  event,
  json,
  ownServer,
  said,
  stream,
  type Misbehave,
  type OwnServer,
} from './http-server.ts';
import { approvedAddress, testSet, type TestSet } from './set.ts';
import { until } from '../until.ts';

const limit = { timeout: 60_000 };

interface Bed extends TestSet {
  readonly own: OwnServer;
  readonly server: ApprovedAddress;
}

async function bed(
  context: TestContext,
  misbehave: Misbehave,
  more: Partial<ApprovedAddress> = {},
  authorization?: HttpAuthorization,
): Promise<Bed> {
  const own = await ownServer(misbehave);
  const set = testSet(context, undefined, undefined, undefined, false, authorization);
  context.after(() => own.close());
  return { ...set, own, server: approvedAddress('far', own.url, more) };
}

/** Answers a method with a status and a body. */
const status =
  (method: string, code: number, body = '', headers: Record<string, string> = {}): Misbehave =>
  (asked, response) => {
    if (asked.method !== method && method !== '*') return false;
    response.writeHead(code, headers).end(body);
    return true;
  };

const elsewhere = 'http://127.0.0.1:1/mcp';

/** Starts that fail, as the user hears of them. `URL` stands for the address. */
const starts: readonly (readonly [name: string, Misbehave, code: string, fact: string])[] = [
  [
    'every connection is dropped',
    (_, response) => {
      response.destroy();
      return true;
    },
    'connection-broke',
    'URL closes the connection without an answer.',
  ],
  [
    'a web page',
    status('*', 200, '<p>', { 'content-type': 'text/html' }),
    'not-mcp',
    'URL answers with a web page, not with MCP.',
  ],
  ['nothing at all', status('*', 202), 'not-mcp', 'URL answers with nothing, not with MCP.'],
  [
    'no access; what it repeats of a key is masked',
    status('*', 401, '{"error":"invalid_token","error_description":"s3cret-key?"}'),
    'unauthorized',
    'It refused the "Authorization" of its entry with status 401: "invalid_token".',
  ],
  [
    'no access to somebody',
    status('*', 403, 's3cret-key is over'),
    'unauthorized',
    'It refused the "Authorization" of its entry with status 403: "•••• is over".',
  ],
  [
    'nothing there',
    status('*', 404, '<h1>'),
    'no-server-there',
    'There is no MCP server at URL (status 404).',
  ],
  ['it fails', status('*', 500, 'oh no'), 'http-status', 'It answered with status 500: "oh no".'],
  [
    'it points elsewhere',
    status('*', 307, '', { location: elsewhere }),
    'redirected',
    `URL points to ${elsewhere}, and nothing is sent there unasked.`,
  ],
  [
    'it points to what only looks like its origin',
    ({ headers }, response) => {
      response.writeHead(307, { location: `blob:http://${headers.host ?? ''}/mcp` }).end();
      return true;
    },
    'redirected',
    'URL points to blob:URL, and nothing is sent there unasked.',
  ],
  [
    'it points to itself',
    status('*', 308, '', { location: '/mcp' }),
    'redirected',
    'URL points to URL, and nothing is sent there unasked.',
  ],
];

for (const [name, misbehave, code, fact] of starts) {
  test(`a start that fails: ${name}`, limit, async (context) => {
    const headers = [{ name: 'Authorization', value: 'Bearer s3cret-key' }];
    const { start, set, own, server } = await bed(context, misbehave, {
      headers,
      secrets: ['s3cret-key'],
    });
    const state = await start(server);
    assert.ok(state?.kind === 'failed', JSON.stringify(state));
    assert.deepEqual(
      [state.failure.code, state.failure.fact],
      [code, fact.replaceAll('URL', own.url)],
    );
    assert.deepEqual([set.takeFailures().length, set.takeFailures().length], [1, 0]);
    const before = own.asked.length;
    await start(server);
    assert.equal(own.asked.length, before, 'a failure is not tried again by itself');
  });
}

test('addresses where nobody answers', limit, async (context) => {
  const { start, own } = await bed(context, () => false);
  const at = async (url: string): Promise<string> => {
    const state = await start(approvedAddress(url, url));
    return state?.kind === 'failed' ? `${state.failure.code}: ${state.failure.fact}` : 'runs';
  };
  assert.equal(await at(elsewhere), `unreachable: Nothing answers at ${elsewhere} (ECONNREFUSED).`);
  const tls = own.url.replace('http:', 'https:');
  assert.equal(await at(tls), `certificate: ${tls} does not speak TLS.`);
  const headers = [{ name: 'X', value: 'a\nb' }];
  const state = await start(approvedAddress('x', own.url, { headers }));
  assert.equal(state?.kind === 'failed' && state.failure.code, 'unreachable');
});

/** One call with a server that does this at the call; its end, and how often it was asked. */
const calls: readonly (readonly [name: string, Misbehave, end: unknown])[] = [
  [
    'it fails',
    status('tools/call', 500, 'oh no'),
    { kind: 'error', code: 500, message: 'the server answered with status 500: oh no', data: null },
  ],
  ['a page', status('tools/call', 200, '<p>', { 'content-type': 'text/html' }), { kind: 'broken' }],
  [
    'no JSON',
    status('tools/call', 200, '{', { 'content-type': 'application/json' }),
    { kind: 'broken' },
  ],
  [
    'it drops the connection',
    ({ method }, response) => method === 'tools/call' && (response.destroy(), true),
    { kind: 'dropped' },
  ],
  [
    'a stream without the answer',
    ({ method }, response) =>
      method === 'tools/call' && (stream(response, ': nothing\n\n'), response.end(), true),
    { kind: 'dropped' },
  ],
  [
    'its headers are late',
    ({ method }) => method === 'tools/call',
    { kind: 'timedOut', ms: 2_500 },
  ],
  [
    'a body without an end',
    ({ method }, response) => {
      if (method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      const piece = Buffer.alloc(4 * 1024 * 1024, 120);
      const more = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      return true;
    },
    { kind: 'tooLong', bytes: HTTP_MESSAGE_BYTES },
  ],
  [
    'an event over its lines, after a flood',
    ({ method, id, params }, response) => {
      if (method !== 'tools/call') return false;
      const { progressToken } = params._meta as { progressToken: number };
      const one = event({ method: 'notifications/x', params: { a: 'grün' } });
      const progress = { method: 'notifications/progress', params: { progressToken, progress: 1 } };
      stream(response, ...Array<string>(5_000).fill(one), event(progress));
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: said('after') }, null, 1);
      response.end(
        text
          .split('\n')
          .map((line) => `data: ${line}\r\n`)
          .join('') + '\r\n',
      );
      return true;
    },
    'after',
  ],
];

for (const [name, misbehave, expected] of calls) {
  test(`a call: ${name}`, limit, async (context) => {
    const more = name === 'its headers are late' ? { callTimeoutMs: 2_500 } : {};
    const { start, call, core, own, server } = await bed(context, misbehave, more);
    assert.equal((await start(server))?.kind, 'running');
    const end = await call('far', 'echo');
    const found =
      end.kind === 'result'
        ? core.toolOutput(end.text, { server: 'far', tool: 'echo' }).shown
        : end;
    assert.deepEqual(found, expected);
    assert.equal(own.count('tools/call'), 1, 'it is made once');
    // The chat goes on: the next call finds its server.
    own.misbehave = () => false;
    assert.equal((await call('far', 'echo')).kind, 'result');
  });
}

test('a stream that ended early is taken up where it ended', limit, async (context) => {
  let waiting = 0;
  const { start, text, own, server } = await bed(
    context,
    ({ verb, method, id, headers }, response) => {
      if (method === 'tools/call') {
        waiting = id;
        stream(response, 'id: first\nretry: 10\ndata:\n\n');
        response.end();
        return true;
      }
      if (verb !== 'GET' || headers['last-event-id'] !== 'first') return false;
      stream(response, event({ id: waiting, result: said('taken up') }, 'second'));
      response.end();
      return true;
    },
  );
  await start(server);
  assert.equal(await text('far', 'echo'), 'taken up');
  assert.equal(own.count('tools/call'), 1);
});

test(
  'a session that is lost is begun anew, and the call is carried out once',
  limit,
  async (context) => {
    let lost = '';
    let carriedOut = 0;
    const { start, call, text, own, server, set } = await bed(
      context,
      ({ method, headers }, response) => {
        if (headers['mcp-session-id'] !== undefined && headers['mcp-session-id'] === lost) {
          response.writeHead(404).end();
          return true;
        }
        if (method === 'tools/call') carriedOut += 1;
        return false;
      },
    );
    await start(server);
    await call('far', 'echo');
    lost = String(own.asked.at(-1)?.headers['mcp-session-id']);
    const both = await Promise.all([text('far', 'echo', { a: 1 }), text('far', 'echo', { a: 2 })]);
    assert.deepEqual(both, ['{"a":1} undefined', '{"a":2} undefined']);
    assert.equal(carriedOut, 3);
    assert.equal(own.count('initialize'), 2);
    assert.match(
      JSON.stringify(set.lines('far')),
      /no longer knows this session; a new one is begun/u,
    );
  },
);

test('a server that goes and comes back', limit, async (context) => {
  const { start, call, own, server } = await bed(context, () => false);
  await start(server);
  await own.close();
  let end = await call('far', 'echo');
  // A connection that was kept may not know yet that the other side is gone.
  for (let kept = 0; kept < 8 && end.kind === 'dropped'; kept += 1) end = await call('far', 'echo');
  assert.deepEqual(end, { kind: 'unreached', code: 'ECONNREFUSED' });
  const again = await ownServer(() => false, Number(new URL(own.url).port));
  context.after(() => again.close());
  assert.equal((await call('far', 'echo')).kind, 'result');
});

test(
  'what is sent: headers of the entry, those of the protocol, an end',
  limit,
  async (context) => {
    const headers = [
      { name: 'X-Team', value: 'blue' },
      { name: 'Mcp-Session-Id', value: 'forged' },
      { name: 'Content-Length', value: '1' },
    ];
    const { start, text, set, own, server } = await bed(context, () => false, { headers });
    await start(server);
    assert.equal(await text('far', 'echo', { a: 1 }), '{"a":1} blue');
    const call = own.asked.find(({ method }) => method === 'tools/call');
    assert.match(String(call?.headers['mcp-session-id']), /^session-/u);
    assert.equal(call?.headers['mcp-protocol-version'], '2025-11-25');
    assert.equal(call?.headers.accept, 'application/json, text/event-stream');
    await set.stop('far');
    const last = own.asked.at(-1);
    assert.deepEqual([last?.verb, last?.headers['x-team']], ['DELETE', 'blue']);
  },
);

test('a call that the user stops is told, and its connection closed', limit, async (context) => {
  const stop = new AbortController();
  const closed = { by: false };
  const { start, call, own, server } = await bed(context, ({ method }, response) => {
    if (method !== 'tools/call') return false;
    response.on('close', () => (closed.by = true));
    stop.abort();
    return true;
  });
  await start(server);
  assert.deepEqual(await call('far', 'echo', {}, stop.signal), { kind: 'cancelled' });
  await until(() => own.count('notifications/cancelled') > 0 && closed.by);
});

test(
  'the stream of the server: a ping is answered, a changed list is read',
  limit,
  async (context) => {
    let tools = ['echo'];
    const { start, set, own, server } = await bed(context, ({ verb, method, id }, response) => {
      if (method === 'tools/list') {
        json(response, id, {
          tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
        });
        return true;
      }
      if (verb !== 'GET') return false;
      tools = ['echo', 'new'];
      stream(
        response,
        event({ id: 'p', method: 'ping' }),
        event({ method: 'notifications/tools/list_changed' }),
      );
      return true;
    });
    const changed = new Promise<void>((resolve) => {
      set.onChange((name) => {
        const state = set.state(name);
        if (state?.kind === 'running' && state.offer.tools.length === 2) resolve();
      });
    });
    await start(server);
    await changed;
    await until(() =>
      own.asked.some(
        ({ verb, method, id }) => verb === 'POST' && method === '' && String(id) === 'p',
      ),
    );
  },
);

test('a refusal that a sign-in mends is asked once more', limit, async (context) => {
  let token = 'old-token';
  const refusals: unknown[] = [];
  const authorization: HttpAuthorization = {
    headers: () => Promise.resolve({ Authorization: `Bearer ${token}` }),
    refused: async (_, response) => {
      refusals.push(response);
      // Longer than the start may take: nobody is hurried while they sign in.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      token = 'new-token';
      return refusals.length === 1;
    },
  };
  const misbehave: Misbehave = ({ headers }, response) => {
    if (headers.authorization === 'Bearer new-token') return false;
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="r"' }).end();
    return true;
  };
  const { start, call, own, server } = await bed(
    context,
    misbehave,
    { startTimeoutMs: 2_500 },
    authorization,
  );
  assert.equal((await start(server))?.kind, 'running');
  assert.deepEqual(refusals, [
    {
      status: 401,
      wwwAuthenticate: 'Bearer realm="r"',
      sent: { Authorization: 'Bearer old-token' },
    },
  ]);
  own.misbehave = status('tools/call', 403, 'new-token may not');
  const end = await call('far', 'echo');
  assert.deepEqual([end.kind, refusals.length], ['error', 2]);
});

test('a body that nobody wants and that never ends is cut off', limit, async (context) => {
  const ends: Promise<void>[] = [];
  const { start, set, server } = await bed(context, (asked, response) => {
    if (!asked.method.startsWith('notifications/')) return false;
    response.writeHead(202).write('x');
    const more = setInterval(() => response.write('x'), 50);
    ends.push(
      new Promise((resolve) => {
        response.on('close', () => {
          clearInterval(more);
          resolve();
        });
      }),
    );
    return true;
  });
  assert.equal((await start(server))?.kind, 'running');
  assert.equal(ends.length, 1);
  await set.dispose();
  await Promise.all(ends);
});

test('a flood of pings is answered over a few connections', limit, async (context) => {
  const open = new Set<ServerResponse>();
  let releases = false;
  let seen: (count: number) => void = () => undefined;
  const whenAsked = new Promise<number>((resolve) => (seen = resolve));
  const { start, text, server, own } = await bed(context, (asked, response) => {
    if (asked.verb === 'GET') {
      const pings = Array.from({ length: 300 }, (_, id) => event({ id, method: 'ping' }));
      stream(response, ...pings, event({ method: 'notifications/tools/list_changed' }));
      return true;
    }
    // What the client says after the pings shows that it has read them.
    if (asked.method === 'tools/list' && own.count('tools/list') === 2) seen(open.size);
    if (asked.verb !== 'POST' || asked.method !== '') return false;
    if (releases) return false;
    open.add(response);
    response.on('close', () => open.delete(response));
    return true;
  });
  assert.equal((await start(server))?.kind, 'running');
  const most = await whenAsked;
  // On a slow machine some have been given up meanwhile, and others are there in their place.
  assert.ok(most > 0 && most <= 32, String(most));
  releases = true;
  for (const response of open) response.writeHead(202).end();
  assert.match(await text('far', 'echo', { a: 1 }), /"a":1/u);
});

test('an event of very many lines is over the limit', limit, async (context) => {
  const { start, call, server } = await bed(context, (asked, response) => {
    if (asked.method !== 'tools/call') return false;
    stream(response);
    const block = 'data: x\n'.repeat(10_000);
    const write = (): void => {
      while (!response.destroyed) {
        if (!response.write(block)) {
          response.once('drain', write);
          return;
        }
      }
    };
    write();
    return true;
  });
  await start(server);
  assert.equal((await call('far', 'echo')).kind, 'tooLong');
});
