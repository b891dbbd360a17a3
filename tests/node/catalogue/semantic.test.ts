/** Search by meaning, with a small embeddings server: a word is a place, so texts are near by words. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { Client } from '@modelcontextprotocol/client';
import { createSkillsServer } from '../../../extension/catalogue/create.ts';
import { smokeTest } from '../../../extension/catalogue/smoke.ts';
import { Embeddings, semanticTool } from '../../../extension/catalogue/semantic.ts';
import { core, skill, tree } from '../skills/tree.ts';

interface Asked {
  readonly model: string;
  readonly input: readonly string[];
}

/** Answers in the reverse order, as a server may. */
async function embeddingsServer(): Promise<{ server: Server; url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const vector = (text: string): number[] => {
    const places = Array.from({ length: 64 }, () => 0);
    for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
      const place = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 64, 7);
      places[place] = 1;
    }
    return places;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (text: Buffer) => (body += text.toString()));
    request.on('end', () => {
      if (request.headers.authorization !== 'Bearer key') {
        response.writeHead(401).end();
        return;
      }
      const { model, input } = JSON.parse(body) as Asked;
      asked.push({ model, input });
      const data = input.map((text, index) => ({ index, embedding: vector(text) })).reverse();
      response.end(JSON.stringify({ data }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${String(port)}/v1`, asked };
}

test('the eleventh tool', { timeout: 60_000 }, async (context) => {
  const { server, url, asked } = await embeddingsServer();
  context.after(() => server.close());
  const skillsRoot = tree({
    'beds/SKILL.md': skill('beds', 'water the garden beds'),
    'sql/SKILL.md': skill('sql', 'check a migration of tables'),
  });
  const open = async (key: string | null): Promise<Client> => {
    const embeddings = new Embeddings({ url, model: 'small', key });
    const moreTools = [semanticTool(embeddings)];
    const { servers } = createSkillsServer({ core, skillsRoot, moreTools });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await servers.create({ era: 'legacy' }).server.connect(theirs);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(ours as unknown as Parameters<Client['connect']>[0]);
    return client;
  };
  const search = async (client: Client, query: string): Promise<unknown> => {
    const { structuredContent, isError, content } = await client.callTool({
      name: 'search_skills_semantic',
      arguments: { query },
    });
    if (isError === true) return JSON.stringify(content);
    const { result } = structuredContent as { result: { id: string; score: number }[] };
    return result.map(({ id, score }) => [id, score > 0.5]);
  };
  const client = await open('key');
  assert.equal((await client.listTools()).tools.length, 11);
  const beds = [
    ['beds', true],
    ['sql', false],
  ];
  assert.deepEqual(await search(client, 'water garden beds'), beds);
  assert.deepEqual(await search(client, 'water garden beds'), beds);
  // The skills once, each query by itself.
  assert.deepEqual(asked, [
    { model: 'small', input: ['beds\nwater the garden beds', 'sql\ncheck a migration of tables'] },
    { model: 'small', input: ['water garden beds'] },
    { model: 'small', input: ['water garden beds'] },
  ]);
  const refused = String(await search(await open(null), 'water'));
  assert.match(refused, /it answered 401.*search_skills needs no such server/);

  // The smoke test calls it too, and says why it failed.
  const smoke = async (at: string): Promise<string | undefined> => {
    const embeddings = new Embeddings({ url: at, model: 'small', key: 'key' });
    const moreTools = [semanticTool(embeddings)];
    const lines = await smokeTest(createSkillsServer({ core, skillsRoot, moreTools }));
    const line = lines.find(({ what }) => what === 'search_skills_semantic');
    return line && `${String(line.ok)} ${line.saw}`;
  };
  assert.equal(await smoke(url), 'true 2 hits');
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  assert.match(
    (await smoke(url)) ?? '',
    /^false The embeddings server at .* gave nothing: (ECONNREFUSED|UND_ERR_SOCKET)\./,
  );
});

test('a port that is taken is named, and what to do', { timeout: 60_000 }, async (context) => {
  const { server, url } = await embeddingsServer();
  context.after(() => server.close());
  const { host, port } = new URL(url);
  const own = createSkillsServer({ core, skillsRoot: tree({}) });
  await assert.rejects(own.run({ transport: 'streamable-http', port: Number(port) }), {
    message: `${host} is taken by another program. Choose another port, or 0 for any`,
  });
});
