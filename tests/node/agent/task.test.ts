import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Tool } from '../../../extension/agent/tool.ts';
import { SUBAGENTS_A_MESSAGE, SUBAGENTS_AT_ONCE } from '../../../extension/limits.ts';
import type { ChatDelta, ChatRequest } from '../../../extension/models/provider.ts';
import { until } from '../until.ts';
import { call, calls, say, withBed } from './support.ts';

const limit = { timeout: 60_000 };

/** The user's words that a request answers. */
function asked(request: ChatRequest): string {
  const message = request.messages.find((m) => m.role === 'user');
  return message?.content.split('\n')[0] ?? '';
}

function hasResult(request: ChatRequest): boolean {
  return request.messages.at(-1)?.role === 'tool';
}

test(
  'only the report returns; an explorer has readers and no subagents of its own',
  limit,
  async () => {
    const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
      await sleep(0);
      if (asked(request) === 'look') {
        yield* hasResult(request) ? say('a.md says hello.') : call('read_file', { path: 'a.md' });
      } else
        yield* hasResult(request) ? say('ok') : call('task', { kind: 'explore', task: 'look' });
    };
    const files = { 'a.md': 'hello\n' };
    await withBed({ files, steps: [step] }, async (bed) => {
      assert.deepEqual(await bed.session.send('go'), { kind: 'answered' });
      const [, sub] = bed.provider.requests;
      assert.deepEqual(
        sub?.tools.map((tool) => tool.name),
        ['read_file', 'list_dir', 'glob', 'grep', 'todo_write'],
      );
      assert.deepEqual(bed.provider.drawn(3).slice(2), [
        'assistant: [task {"kind":"explore","task":"look"}]',
        'tool: a.md says hello.',
      ]);
      assert.deepEqual(bed.lines(), ['Gave a task look: done']);
      const ended = bed.events.at(-1);
      assert.ok(ended?.type === 'turnEnded' && ended.summary.steps === 2);
    });
  },
);

test(
  'a general one changes files under the same permissions and the same journal',
  limit,
  async () => {
    const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
      await sleep(0);
      if (asked(request) === 'write') {
        yield* hasResult(request)
          ? say('written')
          : call('write_file', { path: 'a', content: 'x\n' });
      } else
        yield* hasResult(request) ? say('ok') : call('task', { kind: 'general', task: 'write' });
    };
    const options = {
      steps: [step],
      settings: { permissionMode: 'ask' as const },
      answers: [{ answer: 'allow' as const }],
    };
    await withBed(options, async (bed) => {
      await bed.session.send('go');
      assert.deepEqual(
        bed.cards.map((c) => c.kind),
        ['edit'],
      );
      const ended = bed.events.at(-1);
      assert.ok(ended?.type === 'turnEnded');
      assert.deepEqual(
        ended.summary.changes.map((c) => c.added),
        [1],
      );
      const [undone] = await bed.session.undo(ended.turn);
      assert.equal(undone?.what, 'remove');
    });
  },
);

test('some at once, some a message, and all end at a stop', limit, async () => {
  const state = { running: 0, most: 0 };
  const many = SUBAGENTS_A_MESSAGE + 1;
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    if (asked(request) !== 'go') {
      state.most = Math.max(state.most, ++state.running);
      await sleep(5);
      state.running--;
      yield* say('done');
      return;
    }
    if (hasResult(request)) yield* say('ok');
    else
      yield* calls(
        ...Array.from(
          { length: many },
          (_, i) => ['task', { kind: 'explore', task: `t${i}` }] as const,
        ),
      );
  };
  await withBed({ steps: [step] }, async (bed) => {
    await bed.session.send('go');
    assert.equal(state.most, SUBAGENTS_AT_ONCE);
    const results = bed.provider
      .drawn(bed.provider.requests.length - 1)
      .filter((m) => m.startsWith('tool: '));
    assert.equal(results.filter((m) => m === 'tool: done').length, SUBAGENTS_A_MESSAGE);
    assert.equal(results.filter((m) => m.includes('At most')).length, 1);
  });
  const silent = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    if (asked(request) === 'go') yield* call('task', { kind: 'explore', task: 'wait' });
    else await new Promise(() => undefined);
  };
  await withBed({ steps: [silent] }, async (bed) => {
    const turn = bed.session.send('go');
    await until(() => bed.provider.requests.length >= 2);
    bed.session.stop();
    assert.deepEqual(await turn, { kind: 'stopped' });
    assert.deepEqual(bed.lines(), ['Gave a task wait: stopped']);
  });
});

test('management tools stay with the agent that the user talks to', limit, async () => {
  const tool = (name: string, kind: 'management' | 'mcp', readOnly: boolean): Tool => ({
    name,
    description: name,
    parameters: '{"type":"object","properties":{}}',
    origin: kind === 'mcp' ? { kind, server: 's', tool: name } : { kind },
    parallel: true,
    readOnly,
    line: () => ({ icon: 'server', verb: 's', object: name }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: () => Promise.resolve({ text: '', isError: false }),
  });
  const tools = [
    tool('mcp_connect', 'management', true),
    tool('mcp__s__read', 'mcp', true),
    tool('mcp__s__write', 'mcp', false),
  ];
  const step = async function* (request: ChatRequest): AsyncIterable<ChatDelta> {
    await sleep(0);
    if (asked(request) !== 'go' || hasResult(request)) yield* say('ok');
    else
      yield* calls(
        ['task', { kind: 'explore', task: 'a' }],
        ['task', { kind: 'general', task: 'b' }],
      );
  };
  await withBed({ steps: [step], parts: { tools } }, async (bed) => {
    await bed.session.send('go');
    const offered = (task: string): readonly string[] =>
      bed.provider.requests.find((r) => asked(r) === task)?.tools.map((t) => t.name) ?? [];
    assert.deepEqual(
      offered('a').filter((n) => n.startsWith('mcp')),
      ['mcp__s__read'],
    );
    assert.deepEqual(
      offered('b').filter((n) => n.startsWith('mcp')),
      ['mcp__s__read', 'mcp__s__write'],
    );
  });
});
