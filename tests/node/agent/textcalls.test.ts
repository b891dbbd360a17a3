import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTextCalls } from '../../../extension/agent/textcalls.ts';

const tools = [
  {
    name: 'read_file',
    parameters:
      '{"type":"object","properties":{"path":{"type":"string"},"part":{"type":"integer"}}}',
  },
  {
    name: 'run_command',
    parameters: '{"type":"object","properties":{"command":{"type":"string"}}}',
  },
];

/** `calls` as `name arguments`, one a line; `none` or `cut` for the other kinds. */
function check(text: string, expected: string, before = ''): void {
  const found = readTextCalls(text, tools);
  const shown =
    found.kind === 'calls'
      ? found.calls
          .map((c) => `${c.name} ${c.arguments}${c.repairedFrom === null ? '' : ' (repaired)'}`)
          .join('\n')
      : found.kind;
  assert.equal(shown, expected, text);
  if (found.kind === 'calls') assert.equal(found.before, before, text);
}

const read = 'read_file {"path":"a.md"}';

test('calls that models write as text', () => {
  const json = '{"name": "read_file", "arguments": {"path": "a.md"}}';
  check(json, read);
  check(`  ${json}\n\n`, read, '');
  check(`I look.\n${json}`, read, 'I look.\n');
  check('```json\n' + json + '\n```', read);
  check('Look:\n```\n' + json + '\n```\n', read, 'Look:\n');
  check('```json\n' + json, read);
  check('```tool_call\n' + json + '\n```', read);
  check(`<tool_call>\n${json}\n</tool_call>`, read);
  check(`<tool_call>${json}`, read);
  check(`<tool_call>${json}<tool_call>`, read);
  check(`<tool_call>${json}</tool_call><|im_end|>`, read);
  check('```xml\n<tool_call>\n' + json + '\n</tool_call>\n```', read);
  check(`<tools>${json}</tools>`, read);
  check(`[TOOL_CALLS][${json}]`, read);
  check('[TOOL_CALLS]read_file[ARGS]{"path":"a.md"}', read);
  check(`<|python_tag|>{"name": "read_file", "parameters": {"path": "a.md"}}<|eom_id|>`, read);
  check(
    '{"type":"function","function":{"name":"read_file","arguments":"{\\"path\\":\\"a.md\\"}"}}',
    read,
  );
  check(
    '{"tool_calls":[{"id":"1","function":{"name":"read_file","arguments":{"path":"a.md"}}}]}',
    read,
  );
  check('{"tool": "read_file", "args": {"path": "a.md"}}', read);
  check('{"read_file": {"path": "a.md"}}', read);
  check('<function=read_file>{"path":"a.md"}</function>', read);
  check(
    '<tool_call>\n<function=read_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=part>\n2\n</parameter>\n</function>\n</tool_call>',
    'read_file {"path":"a.md","part":2}',
  );
  check(
    '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.md</arg_value>\n</tool_call>',
    read,
  );
  check('<invoke name="read_file">\n<parameter name="path">a.md</parameter>\n</invoke>', read);
  check(
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n{"path":"a.md"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>',
    read,
  );
  check(
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path":"a.md"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    read,
  );
  check(
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path":"a.md"}<|tool_call_end|><|tool_calls_section_end|>',
    'functions.read_file {"path":"a.md"}',
  );
  check(
    '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path":"a.md"}<|call|>',
    'functions.read_file {"path":"a.md"}',
  );
  check(
    '<|START_ACTION|>[{"tool_call_id":"0","tool_name":"read_file","parameters":{"path":"a.md"}}]<|END_ACTION|>',
    read,
  );
});

test('two calls in one block', () => {
  const one = '{"name":"read_file","arguments":{"path":"a"}}';
  const two = '{"name":"read_file","arguments":{"path":"b"}}';
  const both = 'read_file {"path":"a"}\nread_file {"path":"b"}';
  check('```json\n' + one + '\n' + two + '\n```', both);
  check('```json\n[' + one + ',' + two + ']\n```', both);
  check(`<tool_call>${one}</tool_call>\n<tool_call>${two}</tool_call>`, both);
  check('```json\n' + one + '\n```\n\n```json\n' + two + '\n```', both);
  check(`<|python_tag|>${one}; ${two}`, both);
  check(`${one}\n${two}`, both);
});

test('damage that is repaired, and a call cut off in the middle', () => {
  check("{'name': 'read_file', 'arguments': {'path': 'a.md'}}", `${read} (repaired)`);
  check(
    '<tool_call>{"name": "read_file", "arguments": {"path": "a.md",}}</tool_call>',
    `${read} (repaired)`,
  );
  check('<tool_call>{"name": "run_command", "arguments": {"command": "rm -rf bu', 'cut');
  check('{"name": "run_command", "arguments": {"command": "rm -rf bu', 'cut');
  check('```json\n{"name": "run_command", "arguments": {"command": "rm', 'cut');
  check('<tool_call>', 'cut');
  check('<function=run_command>\n<parameter=command>\nrm -rf bu', 'cut');
  check('[TOOL_CALLS]read_file[ARGS]{"pa', 'cut');
});

test('text that is only about a call is not one', () => {
  const json = '{"name": "run_command", "arguments": {"command": "ls"}}';
  check('You would write:\n```json\n' + json + '\n```\nand then read the result.', 'none');
  check(`${json}\nThat is how a call looks.`, 'none');
  check(`<tool_call>${json}</tool_call> is the form.`, 'none');
  check('The package:\n```json\n{"name": "my-app", "version": "1.0.0"}\n```', 'none');
  check('{"name": "my-app", "arguments": {}, "version": "1.0.0"}', 'none');
  check('{"name": "my-app"', 'none');
  check('```ts\n' + json + '\n```', 'none');
  check('', 'none');
  check('Done.', 'none');
  // An example first, then the real one.
  check(
    'Like this:\n```json\n' +
      json +
      '\n```\nNow:\n' +
      '{"name":"read_file","arguments":{"path":"a.md"}}',
    read,
    'Like this:\n```json\n' + json + '\n```\nNow:\n',
  );
});

test('a made-up tool is a call where the form says so', () => {
  check('<tool_call>{"name": "open_browser", "arguments": {}}</tool_call>', 'open_browser {}');
  check('{"name": "open_browser", "arguments": {"url": "x"}}', 'open_browser {"url":"x"}');
});

test('text in a parameter may hold tags', () => {
  check(
    '<function=run_command><parameter=command>echo "</function></parameter>"</parameter></function>',
    'run_command {"command":"echo \\"</function></parameter>\\""}',
  );
});

test('hostile text ends', { timeout: 60_000 }, () => {
  for (const piece of ['{\n', '<tool_call>', '```\n', '[{"name":', '<function=a>']) {
    assert.notEqual(readTextCalls(piece.repeat(20_000), tools).kind, 'calls');
  }
});
