/** The configurations of clients that the documentation shows: each, read as it stands, starts the server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { parse } from 'smol-toml';
import { tree } from '../skills/tree.ts';
import { serverCommand, twoSkills } from './support.ts';

interface Entry {
  readonly type?: string;
  readonly command: string;
  readonly args: readonly string[];
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/skills-server.md'), 'utf8');

/** The first block of code after these words. */
function block(words: string): string {
  const [, text = ''] = /```\w+\n([\s\S]*?)```/.exec(page.slice(page.indexOf(words))) ?? [];
  assert.notEqual(text, '', words);
  return text;
}

/** Client, the words before its configuration, how it reads that, and where its servers stand in it. */
const configurations: readonly (readonly [string, (text: string) => unknown, string])[] = [
  ['Claude Desktop, `', (text) => JSON.parse(text) as unknown, 'mcpServers'],
  ['VS Code, `', (text) => JSON.parse(text) as unknown, 'servers'],
  ['Codex, `', parse, 'mcp_servers'],
];

test('every configuration starts the server', { timeout: 60_000 }, async () => {
  const root = tree(twoSkills);
  const lists = configurations.map(async ([words, read, key]) => {
    const servers = (read(block(words)) as Record<string, Record<string, Entry>>)[key];
    const { type = 'stdio', command, args } = servers?.['skills'] ?? { command: '', args: [] };
    assert.deepEqual([type, command], ['stdio', 'gbs-skills-mcp'], words);
    const named = args.map((argument) => argument.replace('/path/to/skills', root));
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({ ...serverCommand(...named), stderr: 'ignore' }),
    );
    const { structuredContent } = await client.callTool({ name: 'list_skills', arguments: {} });
    await client.close();
    return (structuredContent as { result: readonly unknown[] }).result.length;
  });
  assert.deepEqual(await Promise.all(lists), [2, 2, 2]);
});
