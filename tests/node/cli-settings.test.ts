import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings, type Settings } from '../../extension/agent/settings.ts';
import {
  asTyped,
  readSettings,
  variableOf,
  type SettingSources,
} from '../../extension/cli/settings.ts';

const path = '/home/me/.gbs/settings.json';

interface Input {
  readonly file?: string;
  readonly environment?: Record<string, string>;
  readonly flags?: SettingSources['flags'];
}

function check(
  title: string,
  input: Input,
  expected: {
    readonly changed?: Partial<Settings>;
    readonly refused?: readonly string[];
    readonly problems?: readonly string[];
  },
): void {
  test(title, () => {
    const { named, ...read } = readSettings({
      flags: input.flags ?? [],
      environment: input.environment ?? {},
      file: input.file === undefined ? null : { path, text: input.file },
    });
    // Which settings there are has a test of its own.
    const refused = read.refused.map((text) => text.replace(/ There are: .*$/, ''));
    assert.deepEqual(
      { ...read, refused },
      {
        settings: { ...defaultSettings, ...expected.changed },
        refused: expected.refused ?? [],
        problems: expected.problems ?? [],
      },
    );
    const changed = Object.keys(expected.changed ?? {}) as (keyof Settings)[];
    const strict = (expected.problems ?? []).length > 0;
    if (!strict) assert.ok(changed.every((key) => named.has(key)));
    if (changed.length === 0 && !strict) assert.equal(named.has('openaiBaseUrl'), false);
  });
}

check('nothing set gives the defaults', {}, {});
check('an empty file is nothing', { file: '\uFEFF // later\n' }, {});
check(
  'the file reads as the editor writes it: comments, commas, with or without the prefix',
  {
    file: '{ "gbsAgent.model": "a", "openai.baseUrl": "http://h:1/v1", // mine\n "maxSteps": 7, }',
  },
  { changed: { model: 'a', openaiBaseUrl: 'http://h:1/v1', maxSteps: 7 } },
);
check(
  'environment beats file, flags beat both',
  {
    file: '{"model": "file", "maxSteps": 1, "temperature": 1}',
    environment: { GBS_MODEL: 'environment', GBS_MAX_STEPS: '2', GBS_BASE_URL: 'http://e/v1' },
    flags: [{ name: 'model', value: 'flag' }],
  },
  { changed: { model: 'flag', maxSteps: 2, temperature: 1, openaiBaseUrl: 'http://e/v1' } },
);
check(
  'servers are kept as JSON text',
  { file: '{"gbsAgent.mcpServers": {"__proto__": {"command": "x"}, /* b */ }}' },
  { changed: { mcpServers: '{"__proto__": {"command": "x"}, /* b */ }' } },
);
check(
  'a broken file guards everything it could have guarded',
  { file: '{\n  "permissionMode": "auto"\n  "model": 1 2}' },
  {
    changed: {
      permissionMode: 'ask',
      skillsEnabled: false,
      skillsReadSharedFolders: false,
      mcpEnabled: false,
    },
    problems: [
      `${path}: line 3, column 3: a comma is missing. Correct the file; until then its settings are not used, and where one guards something the strictest value is.`,
    ],
  },
);
for (const [text, said] of [
  ['hello', 'line 1, column 1: this is not JSON; put text into double quotes'],
  ['{"maxSteps": }', 'line 1, column 14: a value is missing'],
  ['{"maxSteps" 3}', 'line 1, column 13: a colon is missing'],
  ['{maxSteps: 3}', 'line 1, column 2: this is not JSON; put text into double quotes'],
  ['{"model": "a}', 'line 1, column 11: this text is never closed; add a double quote at its end'],
  ['{"maxSteps": 3', 'line 1, column 15: a } is missing'],
] as const) {
  check(
    `a broken file says what is wrong with ${text}`,
    { file: text },
    {
      changed: {
        permissionMode: 'ask',
        skillsEnabled: false,
        skillsReadSharedFolders: false,
        mcpEnabled: false,
      },
      problems: [
        `${path}: ${said}. Correct the file; until then its settings are not used, and where one guards something the strictest value is.`,
      ],
    },
  );
}
check(
  'a value of the wrong type names its field and never widens anything',
  { file: '{"permissionMode": "full", "maxSteps": 0, "temperature": "warm", "modle": "x"}' },
  {
    changed: { permissionMode: 'ask' },
    problems: [
      `${path}, permissionMode: "full" is not one of ask, acceptEdits, auto; "ask" is used.`,
      `${path}, maxSteps: 0 is not a whole number from 1 to 1000.`,
      `${path}, temperature: "warm" is not a number from 0 to 2.`,
      `${path}: there is no setting "modle".`,
    ],
  },
);
check(
  'a wrong variable is named',
  { environment: { GBS_MODE: 'yolo', GBS_MCP_ENABLED: 'nope' } },
  {
    changed: { permissionMode: 'ask', mcpEnabled: false },
    problems: [
      'environment variable GBS_MODE: "yolo" is not one of ask, acceptEdits, auto; "ask" is used.',
      'environment variable GBS_MCP_ENABLED: "nope" is not true or false; false is used.',
    ],
  },
);
check(
  'a wrong flag ends the command',
  {
    flags: [
      { name: 'maxSteps', value: '3.5' },
      { name: 'selfConfiguration', value: 'yes' },
      { name: '__proto__', value: 'x' },
    ],
  },
  {
    refused: [
      'maxSteps: "3.5" is not a whole number from 1 to 1000.',
      'selfConfiguration: "yes" is not true or false.',
      'there is no setting "__proto__".',
    ],
  },
);

test('a setting that is not there is answered with those that are', () => {
  const { refused } = readSettings({
    flags: [{ name: 'modle', value: 'x' }],
    environment: {},
    file: null,
  });
  assert.match(refused[0] ?? '', /There are: provider, model, .*, mcp\.startTimeoutSeconds, .*\.$/);
});

test('what the editor calls gbsAgent.x is typed as --set x', () => {
  assert.equal(
    asTyped('For slow starts raise gbsAgent.mcp.startTimeoutSeconds, or set gbsAgent.model.'),
    'For slow starts give a higher --set mcp.startTimeoutSeconds=…, or give --set model=….',
  );
});

test('variables are named after settings', () => {
  assert.deepEqual(['mcp.toolLoading', 'maxSteps', 'openai.baseUrl'].map(variableOf), [
    'GBS_MCP_TOOL_LOADING',
    'GBS_MAX_STEPS',
    'GBS_OPENAI_BASE_URL',
  ]);
});
