/** The evaluation measures something: every task can be solved, and none is solved by nothing. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runTask, type Model } from '../eval/run.ts';
import { scriptOf } from '../eval/script.ts';
import { tasks } from '../eval/tasks.ts';
import { startScriptedModel, type ScriptedModel } from './scripted-model.ts';

let server: ScriptedModel;
before(async () => {
  server = await startScriptedModel();
});
after(() => server.stop());

function model(): Model {
  return { baseUrl: server.baseUrl, model: 'scripted', settings: [] };
}

const limit = { timeout: 240_000 };

test('there are twenty tasks or more, each with a name of its own', () => {
  assert.ok(tasks.length >= 20);
  assert.equal(new Set(tasks.map(({ name }) => name)).size, tasks.length);
});

test('the reference solution of each task solves it', limit, async () => {
  await server.script(scriptOf(tasks));
  for (const task of tasks) {
    const { wrong, steps, promptTokens } = await runTask(task, model(), 30_000);
    assert.equal(wrong, null, task.name);
    assert.equal(steps, task.solution.length, task.name);
    assert.ok(promptTokens > 0, task.name);
  }
});

test('an answer without any work solves no task', limit, async () => {
  await server.script([{ when: '', steps: [{ text: 'Done.' }] }]);
  for (const task of tasks) {
    const { wrong } = await runTask(task, model(), 30_000);
    assert.notEqual(wrong, null, task.name);
  }
});

test('an answer that repeats what was asked solves no task', limit, async () => {
  await server.script([{ when: '', steps: [{ text: '{{user}}' }] }]);
  for (const task of tasks) {
    const { wrong } = await runTask(task, model(), 30_000);
    assert.notEqual(wrong, null, task.name);
  }
});
