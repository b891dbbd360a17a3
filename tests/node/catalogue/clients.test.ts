/** The server's command, driven by the official clients over stdio, in both eras of the protocol. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { usage } from '../../../extension/catalogue/texts.ts';
import { tree } from '../skills/tree.ts';
import { incident, picture, serverCommand, twoSkills } from './support.ts';

const summary = {
  id: 'incident-response',
  name: 'Incident Response',
  description: 'Runbooks for on-call incident handling',
  version: '1.2.0',
  tags: ['ops', 'sre', 'on-call'],
  author: 'SRE Team',
  license: 'Apache-2.0',
};
const other = {
  id: 'review-sql',
  name: 'review-sql',
  description: 'Check a migration before it runs.',
  version: null,
  tags: ['sql'],
  author: null,
  license: null,
};
const body = incident.slice(incident.indexOf('---\n\n') + 4);
const at = { skill_id: 'incident-response' };

/** Tool, arguments, and the result; text holds it bare, the structured content in `result`. */
const calls: readonly (readonly [string, Readonly<Record<string, unknown>>, unknown])[] = [
  ['list_skills', {}, [summary, other]],
  ['list_skills', { tag: 'SQL' }, [other]],
  ['search_skills', { query: 'incident' }, [{ ...summary, score: 10 }]],
  ['search_skills', { query: 'sql incident', limit: 1 }, [{ ...other, score: 12 }]],
  ['search_skills', { query: 'zebra' }, []],
  [
    'get_skill_metadata',
    at,
    {
      name: 'Incident Response',
      version: '1.2.0',
      description: 'Runbooks for on-call incident handling',
      tags: ['ops', 'sre', 'on-call'],
      author: 'SRE Team',
      license: 'Apache-2.0',
    },
  ],
  ['get_skill_body', at, body],
  ['get_skill_body', { skill_id: '../../etc/passwd' }, null],
  ['get_skill_body', { skill_id: 'none' }, null],
  ['get_skill_metadata', { skill_id: '' }, null],
  ['list_skill_references', at, [{ name: 'checklist.md', size: 12, type: 'text/markdown' }]],
  ['list_skill_scripts', at, [{ name: 'run.py', size: 17, type: 'text/x-python' }]],
  ['list_skill_assets', at, [{ name: 'logo.png', size: 8, type: 'image/png' }]],
  ['list_skill_assets', { skill_id: 'none' }, null],
  ['get_skill_reference', { ...at, name: 'checklist.md' }, '# Checklist\n'],
  ['get_skill_script', { ...at, name: 'run.py' }, 'print("on call")\n'],
  [
    'get_skill_asset',
    { ...at, name: 'logo.png' },
    { type: 'image/png', size: 8, base64: Buffer.from(picture).toString('base64') },
  ],
  ['get_skill_asset', { ...at, name: '../SKILL.md' }, null],
  ['get_skill_reference', { ...at, name: 'none.md' }, null],
];

const uris = [
  'skills://catalog/xml',
  'skills://catalog/markdown',
  'skills://tools-usage-instructions',
];

/** What both generations of clients can do. */
interface AnyClient {
  listTools(): Promise<{
    tools: readonly {
      name: string;
      title?: string | undefined;
      description?: string | undefined;
      outputSchema?: object | undefined;
      annotations?: { readOnlyHint?: boolean | undefined } | undefined;
    }[];
  }>;
  listResources(): Promise<{ resources: readonly { uri: string }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  readResource(params: { uri: string }): Promise<{ contents: readonly object[] }>;
}

function textOf(contents: readonly object[]): unknown {
  const [first = {}] = contents;
  return 'text' in first ? first.text : null;
}

async function checkEverything(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name).sort(),
    [...new Set(calls.map(([name]) => name))].sort(),
  );
  for (const { name, title, description, outputSchema, annotations } of tools) {
    assert.equal(typeof title, 'string', name);
    assert.ok((description ?? '').length > 40, name);
    assert.match(JSON.stringify(outputSchema), /"required":\["result"\]/, name);
    assert.equal(annotations?.readOnlyHint, true, name);
  }
  for (const [name, args, result] of calls) {
    const text = typeof result === 'string' ? result : JSON.stringify(result);
    const { content, structuredContent, isError } = (await client.callTool({
      name,
      arguments: { ...args },
    })) as Record<string, unknown>;
    assert.deepEqual(
      { content, structuredContent, isError },
      { content: [{ type: 'text', text }], structuredContent: { result }, isError: undefined },
      `${name} ${JSON.stringify(args)}`,
    );
  }
  const wrong = await client.callTool({ name: 'get_skill_body', arguments: { skill_id: 3 } });
  assert.equal((wrong as { isError?: boolean }).isError, true);

  const { resources } = await client.listResources();
  assert.deepEqual(
    resources.map(({ uri }) => uri),
    uris,
  );
  const [xml, markdown, instructions] = await Promise.all(
    uris.map(async (uri) => textOf((await client.readResource({ uri })).contents)),
  );
  assert.match(String(xml), /<skill>\s*<id>incident-response<\/id>\s*<name>Incident Response</);
  assert.match(String(markdown), /^- \*\*incident-response\*\* \(Incident Response\): Runbooks/m);
  assert.equal(instructions, usage);
}

/** Resolves with what was told, sorted, once there were `count` of it. */
function heard(count: number): { tell(what: string): void; readonly all: Promise<string[]> } {
  const told: string[] = [];
  let done: (all: string[]) => void = () => undefined;
  const all = new Promise<string[]>((resolve) => {
    done = resolve;
  });
  return {
    all,
    tell: (what) => {
      told.push(what);
      if (told.length === count) done(told.sort());
    },
  };
}

const limits = { timeout: 60_000 };

test('the client of the older SDK', limits, async () => {
  const root = tree(twoSkills);
  const client = new FirstClient({ name: 'test', version: '1' });
  await client.connect(
    new FirstTransport({ ...serverCommand('--skills-root', root), stderr: 'ignore' }),
  );
  try {
    await checkEverything(client);
  } finally {
    await client.close();
  }
});

for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
  const era = mode === 'legacy' ? 'the older era' : '2026-07-28';
  test(`the client of the newer SDK, in ${era}`, limits, async () => {
    const root = tree(twoSkills);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({ ...serverCommand('--skills-root', root), stderr: 'ignore' }),
    );
    try {
      await checkEverything(client);
      await checkPublished(client);
      await checkNotices(client, root, mode === 'legacy');
    } finally {
      await client.close();
    }
  });
}

/** The client checks digests, sizes and the front matter by itself. */
async function checkPublished(client: Client): Promise<void> {
  const skills = new SkillsClient(client);
  assert.deepEqual([skills.supported, skills.directoryRead], [true, true]);
  const { skills: listed } = await skills.list();
  const [entry] = listed;
  assert.ok(entry);
  assert.deepEqual(
    listed.map(({ uri }) => uri),
    ['skill://review-sql/SKILL.md'],
  );
  assert.deepEqual(Array.isArray(entry.resources) && entry.resources.map(({ uri }) => uri), [
    'skill://review-sql/LICENSE.txt',
    'skill://review-sql/SKILL.md',
    'skill://review-sql/assets/deep/er.svg',
    'skill://review-sql/references/rules.md',
  ]);
  assert.deepEqual((await skills.get(entry.uri)).skill, entry);
  const manifest = await skills.read(entry);
  assert.deepEqual([manifest.verified, manifest.frontmatter?.['tags']], [true, ['sql']]);
  assert.equal((await skills.read(entry, 'references/rules.md')).text, '1. No table locks.\n');
  const folder = await skills.readDirectory('skill://review-sql/assets');
  assert.deepEqual(
    folder.resources.map(({ uri, mimeType }) => [uri, mimeType]),
    [['skill://review-sql/assets/deep', 'inode/directory']],
  );
  await assert.rejects(skills.readDirectory(entry.uri), { code: -32602 });
  await assert.rejects(skills.get('skill://incident-response/SKILL.md'));
  for (const uri of [
    'skill://incident-response/SKILL.md',
    'skill://review-sql/../../etc/passwd',
    'skill://review-sql/references%2F..%2FSKILL.md',
    'skill://review-sql/references%5C..%5CSKILL.md',
    'skill://%2e%2e/incident-response/SKILL.md',
    'skill://review-sql/none.md',
    'skill://review-sql/assets',
    'skill://',
  ]) {
    await assert.rejects(client.readResource({ uri }), uri);
  }
}

async function checkNotices(client: Client, root: string, older: boolean): Promise<void> {
  const uri = 'skills://catalog/xml';
  const told = heard(2);
  client.setNotificationHandler('notifications/resources/list_changed', () => told.tell('list'));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    told.tell(params.uri);
  });
  if (older) await client.subscribeResource({ uri });
  else await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] });
  writeFileSync(join(root, 'incident-response/SKILL.md'), incident.replace('Runbooks', 'Steps'));
  assert.deepEqual(await told.all, ['list', uri]);
  const { contents } = await client.readResource({ uri });
  assert.match(JSON.stringify(contents), /Steps for on-call/);
}
