/**
 * npm run eval: the tasks, one after the other, by a model; prints what was solved, in how many steps
 * and tokens. Which model: --base-url and --model, else GBS_BASE_URL and GBS_MODEL, else what is found
 * on the usual ports. --tiny takes the tiny local model, --scripted the scripted model server, which
 * carries out the reference solutions. --write puts the table into docs/eval.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { findServers } from '../../extension/models/discover.ts';
import {
  installLocalModel,
  localModelMissing,
  localModelName,
  startLocalModel,
} from '../../scripts/local-model/local-model.mjs';
import { startScriptedModel } from '../node/scripted-model.ts';
import { runTask, type Model, type Result } from './run.ts';
import { scriptOf } from './script.ts';
import { tasks } from './tasks.ts';

const page = join(import.meta.dirname, '../../docs/eval.md');

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    model: { type: 'string' },
    set: { type: 'string', multiple: true, default: [] },
    tiny: { type: 'boolean', default: false },
    scripted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '300' },
    write: { type: 'boolean', default: false },
  },
});

interface Chosen extends Model {
  /** For the heading. */
  readonly title: string;
  stop(): Promise<void>;
}

async function choose(): Promise<Chosen> {
  const settings = [...values.set, 'temperature=0'];
  const stop = (): Promise<void> => Promise.resolve();
  if (values.scripted) {
    const server = await startScriptedModel(scriptOf(tasks));
    const title = 'The scripted model server (the reference solutions)';
    return { title, baseUrl: server.baseUrl, model: 'scripted', settings, stop: server.stop };
  }
  if (values.tiny) {
    const missing = localModelMissing();
    if (missing !== null) throw new Error(missing);
    await installLocalModel();
    const server = await startLocalModel();
    const title = 'SmolLM2-135M, the tiny local model of the demo';
    const own = [...settings, 'maxSteps=6', 'maxOutputTokens=256'];
    return {
      title,
      baseUrl: server.baseUrl,
      model: localModelName,
      settings: own,
      stop: server.stop,
    };
  }
  const { GBS_BASE_URL, GBS_MODEL } = process.env;
  const named = values['base-url'] ?? GBS_BASE_URL;
  const found =
    named === undefined ? (await findServers(AbortSignal.timeout(10_000)))[0] : undefined;
  const baseUrl = named ?? found?.baseUrl;
  if (baseUrl === undefined) {
    throw new Error('No model server was found. Name one with --base-url, or take --tiny.');
  }
  const model = values.model ?? GBS_MODEL ?? found?.models[0]?.id ?? '';
  return {
    title: model === '' ? `The first model of ${baseUrl}` : model,
    baseUrl,
    model,
    settings,
    stop,
  };
}

function table(results: readonly Result[]): string {
  const rows = results.map((each) => [
    each.name,
    each.wrong === null ? 'solved' : `no: ${each.wrong.replaceAll('|', '\\|').slice(0, 90)}`,
    String(each.steps),
    String(each.promptTokens),
    String(each.outputTokens),
    each.seconds.toFixed(1),
  ]);
  const solved = results.filter(({ wrong }) => wrong === null).length;
  const sum = (of: (result: Result) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const all = [
    ['Task', 'Result', 'Steps', 'Prompt tokens', 'Output tokens', 'Seconds'],
    ...rows,
    [
      '**all**',
      `**${String(solved)} of ${String(results.length)} solved**`,
      String(sum(({ steps }) => steps)),
      String(sum(({ promptTokens }) => promptTokens)),
      String(sum(({ outputTokens }) => outputTokens)),
      sum(({ seconds }) => seconds).toFixed(1),
    ],
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

/** Puts the section of this model into the page, in the place of its last one. */
async function write(title: string, text: string): Promise<void> {
  const old = readFileSync(page, 'utf8');
  const sections = old.split(/^(?=## )/m);
  const [head = '', ...models] = sections;
  const others = models.filter((section) => !section.startsWith(`## ${title}\n`));
  const section = `## ${title}\n\n${text}\n\n`;
  const written = [head, ...others, section].join('');
  const style = await resolveConfig(page);
  writeFileSync(page, await format(written, { ...style, filepath: page }));
}

async function main(): Promise<void> {
  const chosen = await choose();
  try {
    process.stdout.write(`${chosen.title}, ${chosen.baseUrl}\n`);
    const results: Result[] = [];
    for (const task of tasks.filter(({ name }) => name.includes(values.only))) {
      const result = await runTask(task, chosen, Number(values.seconds) * 1000);
      results.push(result);
      const { name, wrong, steps, seconds } = result;
      process.stdout.write(
        `${wrong === null ? '✓' : '✗'} ${name} (${String(steps)} steps, ${seconds.toFixed(1)} s)${wrong === null ? '' : `: ${wrong}`}\n`,
      );
    }
    const on = `${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${String(cpus().length)} cores, ${process.platform} ${process.arch}; at most ${values.seconds} s a task; settings: ${chosen.settings.join(', ')}.`;
    process.stdout.write(`\n${table(results)}\n`);
    if (values.write) await write(chosen.title, `${on}\n\n${table(results)}`);
  } finally {
    await chosen.stop();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
