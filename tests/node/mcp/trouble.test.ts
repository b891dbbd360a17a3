/**
 * Networks that die and that crawl, and servers that flood, under a whole session: the real providers,
 * the real servers' contributor, and a network of the test's own between them and their servers. Each
 * failure is said once, a stop and a message are taken at any time, and nothing said before is lost.
 */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { OpenAiProvider } from '../../../extension/models/openai.ts';
import { withBed, type Bed, type BedOptions } from '../agent/support.ts';
import { loopbackNetwork, type LoopbackNetwork } from '../loopback-network.ts';
import { startScriptedModel, type ScriptedModel } from '../scripted-model.ts';
import { until } from '../until.ts';
import { benchOf, stateFolder } from './contributor-bench.ts';
import { Flood, json, ownServer, said, type OwnServer } from './http-server.ts';
import { approvedAddress } from './set.ts';

const limit = { timeout: 120_000 };

interface Trouble {
  readonly bed: Bed;
  readonly model: ScriptedModel;
  readonly own: OwnServer;
  readonly toModel: LoopbackNetwork;
  readonly toServer: LoopbackNetwork;
  /** Sends it and gives how the turn ended, what was said in it, and its failures. */
  turn(text: string): Promise<Turned>;
  /** As the user does after a failure. */
  reload(): Promise<void>;
}

interface Turned {
  readonly end: string;
  readonly text: string;
  /** Lines that failed, and notices, each as it was last. */
  readonly failures: readonly string[];
}

const rules = [
  {
    // Several messages that nobody answered are sent as one: it is about the last.
    when: '(?:.*\\n)*Read (\\w+)(?:\\s+and more)?$',
    steps: [
      { toolCall: { name: 'mcp__far__echo', arguments: { bed: '{{1}}' } } },
      { text: 'Heard: {{result}}' },
    ],
  },
  { when: 'Talk on', steps: [{ forever: 'word ' }] },
];

async function withTrouble(
  context: TestContext,
  options: Partial<BedOptions>,
  work: (trouble: Trouble) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel(rules);
  const own = await ownServer();
  const toModel = await loopbackNetwork(model.url);
  const toServer = await loopbackNetwork(own.url);
  const far = approvedAddress('far', `${toServer.origin}/mcp`);
  const { contributor } = benchOf(context, await stateFolder(context), [far], {}, () =>
    Promise.resolve(),
  );
  const provider = new OpenAiProvider({
    baseUrl: `${toModel.origin}/v1`,
    apiKey: '',
    firstRetryMs: 1,
  });
  const given = {
    steps: [],
    contributors: [contributor],
    ...options,
    parts: { provider: () => provider },
  };
  try {
    await withBed(given, async (bed) => {
      const turn = async (text: string): Promise<Turned> => {
        const from = bed.events.length;
        const end = await bed.session.send(text);
        // What ends a turn is said at its end, and is no event of its own.
        const last = end.kind === 'failed' ? [end.notice.code] : [];
        return {
          end: end.kind,
          text: textIn(bed, from),
          failures: [...failuresIn(bed, from), ...last],
        };
      };
      const reload = (): Promise<void> => contributor.reload();
      await work({ bed, model, own, toModel, toServer, turn, reload });
    });
  } finally {
    await Promise.all([toModel.close(), toServer.close(), own.close(), model.stop()]);
  }
}

function textIn(bed: Bed, from = 0): string {
  return bed.events
    .map((each, n) => (n >= from && each.type === 'text' ? each.delta : ''))
    .join('');
}

function failuresIn(bed: Bed, from: number): readonly string[] {
  const lines = new Map<string, string>();
  const notices: string[] = [];
  for (const each of bed.events.slice(from)) {
    if (each.type === 'notice') notices.push(each.notice.code);
    if (each.type !== 'line') continue;
    const { id, verb, object, state } = each.line;
    if (state === 'failed') lines.set(id, `${verb} ${object}`);
    else lines.delete(id);
  }
  return [...lines.values(), ...notices];
}

/** What the last request to the model held, each message on a line. */
async function lastSent(model: ScriptedModel): Promise<string> {
  const requests = (await model.requests()).filter(({ path }) => path.endsWith('/completions'));
  const { messages } = JSON.parse(requests.at(-1)?.body ?? '{}') as {
    messages: { role: string; content: string }[];
  };
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1;

test('the network to a server dies: in a call, between calls, and comes back', limit, (context) =>
  withTrouble(context, {}, async ({ bed, model, own, toServer, turn }) => {
    const first = await turn('Read south');
    assert.deepEqual([first.end, first.failures], ['answered', []]);
    assert.match(first.text, /"bed":"south"/u);

    // In a call: the server has it, and its answer has no way back.
    own.misbehave = ({ method }) => method === 'tools/call' && (toServer.cut(), true);
    const during = await turn('Read north');
    assert.deepEqual([during.end, during.failures], ['answered', ['Called far echo']]);
    assert.match(during.text, /connection to far broke.*may have taken effect.*not repeated/u);
    assert.equal(own.count('tools/call'), 2, 'it is not repeated');

    // While it is down: said once a call.
    const down = await turn('Read east');
    assert.deepEqual([down.end, down.failures], ['answered', ['Called far echo']]);
    assert.equal(own.count('tools/call'), 2);

    own.misbehave = () => false;
    toServer.mend();
    const back = await turn('Read west');
    assert.deepEqual([back.end, back.failures], ['answered', []]);
    assert.match(back.text, /"bed":"west"/u);
    const sent = await lastSent(model);
    // The result, and what the model said of it; of the last call, the result alone.
    assert.equal(occurrences(sent, '"bed":"south"'), 2, sent);
    assert.equal(occurrences(sent, '"bed":"west"'), 1, sent);
    assert.equal(bed.cards.length, 0);
  }),
);

test(
  'a server that is not there when a chat begins is said once, and is there later',
  limit,
  (context) =>
    withTrouble(context, {}, async ({ toServer, turn, reload }) => {
      toServer.cut();
      const without = await turn('Hello');
      assert.deepEqual([without.end, without.failures], ['answered', ['server-failed']]);
      const again = await turn('Hello again');
      assert.deepEqual([again.end, again.failures], ['answered', []], 'it is not said twice');
      toServer.mend();
      await reload();
      const there = await turn('Read west');
      assert.deepEqual([there.end, there.failures], ['answered', []]);
      assert.match(there.text, /"bed":"west"/u);
    }),
);

test('the network to the model dies in the middle of an answer', limit, (context) =>
  withTrouble(context, {}, async ({ bed, model, toModel, turn }) => {
    assert.equal((await turn('Read south')).end, 'answered');
    const from = bed.events.length;
    const talking = turn('Talk on');
    await until(() => textIn(bed, from).includes('word word'));
    toModel.cut();
    const broken = await talking;
    assert.deepEqual([broken.end, broken.failures.length], ['failed', 1], broken.failures.join());
    assert.match(broken.text, /^word word/u, 'what was said stays');
    const down = await turn('Read north');
    assert.deepEqual([down.end, down.failures.length], ['failed', 1], down.failures.join());
    toModel.mend();
    const back = await turn('Read west');
    assert.deepEqual([back.end, back.failures], ['answered', []]);
    const sent = await lastSent(model);
    assert.equal(occurrences(sent, '"bed":"south"'), 2, sent);
    assert.match(sent, /user: .*Talk on/u);
    assert.match(sent, /assistant: word word/u);
  }),
);

test('slow networks: what comes is whole, and a stop waits for nothing', limit, (context) =>
  withTrouble(context, {}, async ({ bed, own, toModel, toServer, turn }) => {
    assert.equal((await turn('Read south')).end, 'answered');

    toModel.slow();
    const from = bed.events.length;
    const talking = turn('Talk on');
    await until(() => textIn(bed, from).length > 0);
    const queued = bed.session.send('Read later');
    bed.session.stop();
    assert.deepEqual([(await talking).end, (await queued).kind], ['stopped', 'stopped']);
    toModel.mend();

    toServer.slow();
    const calls = own.count('tools/call');
    const before = toServer.passed;
    const calling = bed.session.send('Read north');
    await until(() => own.count('tools/call') > calls && toServer.passed > before);
    bed.session.stop();
    assert.deepEqual(await calling, { kind: 'stopped' });

    const whole = await turn('Read west');
    assert.deepEqual([whole.end, whole.failures], ['answered', []]);
    assert.match(whole.text, /"bed":"west"/u);
  }),
);

test(
  'a server that floods in a call: stop and messages are taken, and all of it ends',
  limit,
  (context) => {
    const never = (): Promise<never> => new Promise(() => undefined);
    return withTrouble(context, { answers: [never] }, async ({ bed, model, own, turn }) => {
      assert.equal((await turn('Read south')).end, 'answered');
      const flood = new Flood();
      own.misbehave = flood.misbehave;
      const calling = turn('Read north');
      await until(() => flood.batches > 20 && bed.cards.length > 0);
      const queued = bed.session.send('and more');
      await until(() => bed.events.some(({ type }) => type === 'progress'));
      bed.session.stop();
      assert.deepEqual([(await calling).end, (await queued).kind], ['stopped', 'stopped']);
      await until(() => flood.closed === 1);
      assert.ok(bed.cards.length <= MAX_CARDS, `${String(bed.cards.length)} cards`);
      // Each further list waits twice as long as the one before.
      assert.ok(own.count('tools/list') <= 12, `${String(own.count('tools/list'))} lists`);

      own.misbehave = ({ method, id, params }, response) =>
        method === 'tools/call' && (json(response, id, said(JSON.stringify(params))), true);
      const back = await turn('Read west');
      assert.deepEqual([back.end, back.failures], ['answered', []]);
      const sent = await lastSent(model);
      assert.equal(occurrences(sent, '"bed":"south"'), 2, sent);
      assert.match(sent, /and more/u, 'what was queued is sent');
    });
  },
);

/** Questions that one server may have before the user at one time (`MAX_OPEN_ASKS` of the core). */
const MAX_CARDS = 4;
