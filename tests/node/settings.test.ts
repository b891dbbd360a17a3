/** The editor's settings: user scope alone for what may run, workspace only switches off. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { defaultSettings, type Settings } from '../../extension/agent/settings.ts';
import { readSettings, type Inspection } from '../../extension/settings.ts';

function check(
  values: Readonly<Record<string, Inspection>>,
  expected: Partial<Settings>,
  problems: readonly string[] = [],
): void {
  assert.deepEqual(
    readSettings((key) => values[key]),
    {
      settings: { ...defaultSettings, ...expected },
      problems,
    },
  );
}

test('nothing set gives the defaults', () => check({}, {}));

test("the user's own values count", () =>
  check(
    {
      model: { globalValue: ' qwen ' },
      temperature: { globalValue: 0.7 },
      permissionMode: { globalValue: 'ask' },
      mcpServers: { globalValue: { a: { command: 'x' } } },
      'skills.enabled': { globalValue: false },
      selfConfiguration: { globalValue: true },
      subagentModel: { globalValue: 'small' },
    },
    {
      model: 'qwen',
      temperature: 0.7,
      permissionMode: 'ask',
      mcpServers: '{\n  "a": {\n    "command": "x"\n  }\n}',
      skillsEnabled: false,
      selfConfiguration: true,
      subagentModel: 'small',
    },
  ));

test('a workspace cannot say what runs, where data goes, or that less is asked', () =>
  check(
    {
      'openai.baseUrl': { workspaceValue: 'http://elsewhere', workspaceFolderValue: 'http://else' },
      mcpServers: { workspaceValue: { a: { command: 'x' } } },
      permissionMode: { workspaceValue: 'auto' },
      shell: { workspaceFolderValue: '/tmp/sh' },
      skillsPath: { workspaceValue: '/tmp' },
      maxSteps: { workspaceValue: 1000 },
      selfConfiguration: { workspaceValue: true, workspaceFolderValue: true },
      subagentModel: { workspaceValue: 'elsewhere' },
    },
    {},
  ));

test('a workspace switches off, never on', () => {
  check({ 'mcp.enabled': { workspaceValue: false } }, { mcpEnabled: false });
  check({ 'skills.enabled': { workspaceFolderValue: false } }, { skillsEnabled: false });
  check(
    { 'mcp.enabled': { globalValue: false, workspaceValue: true, workspaceFolderValue: true } },
    { mcpEnabled: false },
  );
  check(
    { 'skills.readSharedFolders': { globalValue: true, workspaceValue: false } },
    { skillsReadSharedFolders: false },
  );
});

test('a value of the wrong type is named and not used', () =>
  check(
    {
      model: { globalValue: 3 },
      maxSteps: { globalValue: 0 },
      temperature: { globalValue: NaN },
      permissionMode: { globalValue: 'everything' },
      mcpServers: { globalValue: [] },
      'mcp.enabled': { globalValue: 'no' },
    },
    {},
    [
      'The setting gbsAgent.model must be a text; its default is used.',
      'The setting gbsAgent.temperature must be a number from 0 to 2; its default is used.',
      'The setting gbsAgent.maxSteps must be a whole number from 1 to 1000; its default is used.',
      'The setting gbsAgent.permissionMode must be one of ask, acceptEdits, auto; its default is used.',
      'The setting gbsAgent.mcpServers must be an object of servers by name; its default is used.',
      'The setting gbsAgent.mcp.enabled must be true or false; its default is used.',
    ],
  ));

test('the manifest declares what is read, with the same defaults and bounds', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: {
      configuration: {
        properties: Record<
          string,
          { type: string; default: unknown; minimum?: number; maximum?: number }
        >;
      }[];
    };
  };
  const declared = manifest.contributes.configuration.flatMap((c) => Object.entries(c.properties));
  const read: string[] = [];
  readSettings((key) => {
    read.push(`gbsAgent.${key}`);
    return undefined;
  });
  assert.deepEqual([...new Set(read)].sort(), declared.map(([key]) => key).sort());
  // Every default of the manifest, taken as the user's value, is the default of the code.
  check(
    Object.fromEntries(
      declared.map(([key, value]) => [
        key.slice('gbsAgent.'.length),
        { globalValue: value.default },
      ]),
    ),
    {},
  );
  const numbers = declared.filter(([, { type }]) => type === 'integer' || type === 'number');
  const taken = (key: string, value: number | undefined): boolean =>
    readSettings((asked) => (`gbsAgent.${asked}` === key ? { globalValue: value } : undefined))
      .problems.length === 0;
  assert.deepEqual(
    numbers.map(([key, { type, minimum = NaN, maximum = NaN }]) => [
      key,
      [minimum - 1, minimum, minimum + 0.5, maximum, maximum + 1].map((value) => taken(key, value)),
      type,
    ]),
    numbers.map(([key, { type }]) => [key, [false, true, type === 'number', true, false], type]),
  );
});
