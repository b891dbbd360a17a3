// The demo at the end of npm start: the agent once over examples/workspace, with a real MCP server,
// the repository's skills, and the best model that is there. Exit code 0 only if the answer of the
// server's tool reached the model.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './lib/paths.mjs';
import { StepFailed, main } from './lib/run.mjs';
import {
  installLocalModel,
  localModelMissing,
  localModelName,
  startLocalModel,
} from './local-model/local-model.mjs';
import { startScriptedModel } from './scripted-model.mjs';

const gbs = join(root, 'dist', 'gbs.js');
const workspace = join(root, 'examples', 'workspace');
const server = 'everything';
const tool = `mcp__${server}__echo`;
const request = `Use the ${tool} tool with message hello world.`;

/** The example asks for little: a model this small would call again and again. */
const settings = ['mcp.toolLoading=all', 'maxSteps=3', 'maxOutputTokens=256', 'temperature=0'];

function heading(text) {
  process.stdout.write(`\n── ${text}\n`);
}

/** Which model answers, and why this one. */
async function chooseModel() {
  const { GBS_BASE_URL: baseUrl, GBS_MODEL: model } = process.env;
  if (baseUrl) {
    return {
      why: `GBS_BASE_URL names it: ${baseUrl}`,
      baseUrl,
      model: model ?? '',
      attempts: 1,
      stop() {},
    };
  }
  const listed = spawnSync(process.execPath, [gbs, 'models', '--json'], { encoding: 'utf8' });
  const found = listed.status === 0 ? JSON.parse(listed.stdout).servers : [];
  const first = found.find(({ models }) => models.length > 0);
  if (first) {
    const why = `${first.name || 'a model server'} answers on ${first.host}`;
    const id = model ?? first.models[0].id;
    return { why, baseUrl: first.baseUrl, model: id, attempts: 1, stop() {} };
  }
  const missing = localModelMissing();
  if (missing === null) {
    try {
      await installLocalModel();
      const local = await startLocalModel();
      const why = 'no model server was found on this machine, so the tiny local one is used';
      return { ...local, why, model: localModelName, attempts: 2 };
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return scripted(error.message);
    }
  }
  return scripted(missing);
}

async function scripted(reason) {
  const model = await startScriptedModel();
  const why = `${reason.trim()} The scripted model server stands in: it answers by rules, not by a model`;
  return { why, baseUrl: `${model.url}/v1`, model: 'scripted', attempts: 1, stop: model.stop };
}

/** Runs `gbs` on the terminal; gives its exit code. */
function run(args, env) {
  const child = spawn(process.execPath, [gbs, ...args], { stdio: 'inherit', env });
  // Ctrl-C reaches the agent itself, which ends what it started; then this script goes on.
  const wait = () => undefined;
  process.on('SIGINT', wait);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      process.off('SIGINT', wait);
      resolve(code ?? 1);
    });
  });
}

/**
 * The result of the tool that reached the model, or null. It has when the model answered after it:
 * only a request that carries the result can be answered then.
 */
function resultThatReachedTheModel(events) {
  const at = events.findIndex(
    ({ type, line }) =>
      type === 'line' &&
      line.icon === 'server' &&
      line.state === 'done' &&
      line.object === `${server} echo`,
  );
  if (at < 0) return null;
  const { id, output } = events[at].line;
  const answered = events.slice(at + 1).some((event) => {
    switch (event.type) {
      case 'text':
      case 'thinking':
        return true;
      case 'line':
        return event.line.id !== id;
      case 'turnEnded':
        return event.end.kind === 'answered';
      default:
        return false;
    }
  });
  return answered ? (output?.text ?? '') : null;
}

/** Nobody stopped it, denied anything, or made it fail. */
function endedByItself(events) {
  const end = events.findLast(({ type }) => type === 'turnEnded')?.end.kind;
  const denied = events.some(({ type, line }) => type === 'line' && line.state === 'denied');
  return (end === 'answered' || end === 'stepLimit') && !denied;
}

main(async () => {
  const work = mkdtempSync(join(tmpdir(), 'gbs-demo-'));
  const env = { ...process.env, XDG_STATE_HOME: join(work, 'state') };
  const events = join(work, 'events.jsonl');
  const model = await chooseModel();
  try {
    heading(`Model: ${model.model || 'its first one'} at ${model.baseUrl}`);
    process.stdout.write(`   ${model.why}.\n`);

    heading(`Skills of ${relative(process.cwd(), workspace) || workspace}`);
    await run(['skills', 'list', '--workspace', workspace], env);

    heading(`gbs run "${request}"`);
    const args = ['run', request, '--workspace', workspace, '--mode', 'ask'];
    args.push('--base-url', model.baseUrl, '--events', events);
    if (model.model !== '') args.push('--model', model.model);
    for (const setting of settings) args.push('--set', setting);
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      const answers = ['--yes-mcp', server, '--yes-skills', '--allow', tool];
      process.stdout.write(
        `   There is no terminal to ask in, so these flags answer for this example: ${answers.join(' ')}\n`,
      );
      args.push(...answers);
    }
    let result = null;
    for (let attempt = 1; attempt <= model.attempts && result === null; attempt += 1) {
      if (attempt > 1)
        heading('This model is tiny and did not call the tool; it is asked once more');
      process.stdout.write('\n');
      await run(args, env);
      const lines = existsSync(events) ? readFileSync(events, 'utf8').trimEnd().split('\n') : [];
      const read = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
      result = resultThatReachedTheModel(read);
      if (!endedByItself(read)) break;
    }
    if (result === null) {
      heading('The answer of the tool did not reach the model');
      process.exitCode = 1;
    } else {
      heading(`The answer of ${tool} reached the model`);
      process.stdout.write(`   ${result.trim().split('\n').join('\n   ')}\n`);
    }
    const vsix = join(root, 'gbs-agent.vsix');
    if (existsSync(vsix)) {
      heading(`The extension: ${vsix}`);
      process.stdout.write(`   code --install-extension ${relative(process.cwd(), vsix)}\n`);
      process.stdout.write('   or: npm run vscode\n');
    }
  } finally {
    await model.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
