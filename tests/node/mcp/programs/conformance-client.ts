/**
 * What the public conformance suite runs as the client: the real shell and core, with a user who agrees
 * to everything and fills in no more than what a form holds from the start. The address of the server is
 * the last argument; the suite names its scenario, and what belongs to it, in the environment.
 *
 * Nothing here knows the protocol. It starts the server, signs in where the server wants that, and uses
 * what is offered: each tool once, or the calls that the suite names; each resource; each prompt.
 */
import { firstAnswers } from '../../../../extension/cli/form.ts';
import type { Card, Field, ToolDefinition } from '../../../../extension/core.ts';
import { elicitBy, type Elicit } from '../../../../extension/mcp/elicitation.ts';
import { ServerOffers } from '../../../../extension/mcp/offers.ts';
import { SignIns } from '../../../../extension/mcp/oauth/sign-ins.ts';
import { Desk, MemorySecrets } from '../oauth-bed.ts';
import { approvedAddress, never, testSet } from '../set.ts';

/** Sign-ins before a server that refuses them all is given up, as a person would. */
const MAX_SIGN_INS = 3;

/** Where the suite says that a document about its client stands. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
};
const url = process.argv.at(-1) ?? '';

interface Schema {
  readonly type?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The simplest value that a schema takes, as far as the suite's tools go. */
function valueFor(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type ?? 'object') {
    case 'string':
      return 'text';
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    default: {
      const wanted = Object.entries(schema.properties ?? {}).filter(([name]) =>
        schema.required?.includes(name),
      );
      return Object.fromEntries(wanted.map(([name, inner]) => [name, valueFor(inner)]));
    }
  }
}

function callsOf(tools: readonly ToolDefinition[]): NonNullable<typeof context.toolCalls> {
  if (context.toolCalls !== undefined) return context.toolCalls;
  return tools.map(({ name, inputSchema }) => {
    if (scenario === 'json-schema-2020-12-preservation' && name === 'json_schema_echo') {
      // The suite wants to see what arrived of the other tool's schema.
      const [other] = tools.filter((tool) => tool.name !== name);
      return { name, arguments: { schema: JSON.parse(other?.inputSchema ?? '{}') as unknown } };
    }
    return { name, arguments: valueFor(JSON.parse(inputSchema) as Schema) as object };
  });
}

function say(what: string, value: unknown): void {
  process.stdout.write(`${what}: ${JSON.stringify(value)}\n`);
}

function fieldsOf(card: Card): readonly Field[] {
  return card.form;
}

async function main(): Promise<void> {
  const log = { info: (text: string) => say('log', text) };
  const signIns = new SignIns({
    store: new MemorySecrets(),
    log,
    clientDocument: () => CLIENT_DOCUMENT,
  });
  const after: (() => Promise<void>)[] = [];
  const { core, set } = testSet(
    { after: (act) => after.push(act) },
    undefined,
    undefined,
    undefined,
    true,
    signIns,
  );
  const server = approvedAddress('suite', url, { roots: true });
  const elicit: Elicit = elicitBy(
    {
      core,
      ask: (card) =>
        Promise.resolve({ answer: 'allow', values: JSON.stringify(firstAnswers(fieldsOf(card))) }),
      openAddress: () => Promise.resolve(),
    },
    { server: 'suite', during: '' },
  );
  const options = { signal: never, progress: () => undefined, elicit };
  const desk = new Desk();
  const { client_id: id, client_secret: secret } = context;
  const client = id === undefined ? null : { id, secret: secret ?? null };

  const use = async (): Promise<void> => {
    const state = set.state('suite');
    if (state?.kind !== 'running') return;
    say('running', { peer: state.offer.peer, problems: state.offer.problems });
    for (const call of callsOf(state.offer.tools)) {
      const end = await set.call('suite', call.name, JSON.stringify(call.arguments), options);
      say(call.name, end);
    }
    const offers = new ServerOffers(set);
    if (offers.with('resources').length > 0) {
      for (const { uri, template } of (await offers.resources('suite', never)).items) {
        if (!template) say(uri, await offers.read('suite', uri, options));
      }
    }
    if (offers.with('prompts').length > 0) {
      for (const { name } of (await offers.prompts('suite', never)).items) {
        say(name, await offers.prompt('suite', name, {}, options));
      }
    }
  };

  try {
    for (let times = 0; ; times += 1) {
      await set.start(server);
      await use();
      const need = signIns.need(server);
      const state = set.state('suite');
      say('state', state?.kind === 'failed' ? state.failure : (state?.kind ?? null));
      if (need === null || times >= MAX_SIGN_INS) {
        if (need !== null || state?.kind !== 'running') process.exitCode = 1;
        return;
      }
      say('signing in', need);
      await signIns.signIn(server, desk, { client, signal: never });
    }
  } finally {
    for (const act of after) await act();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(
    `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
});
