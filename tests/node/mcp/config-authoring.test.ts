/** What is offered and said to authors of configuration files, and how findings are mended. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCore } from '../../../extension/core.ts';
import { configFixes } from '../../../extension/mcp/config-fixes.ts';
import { variableAt, variablesAt } from '../../../extension/mcp/config-hints.ts';

const around = {
  environment: { HOME: '/home/u', TRACKER_TOKEN: 's3cret', VSCODE_PID: '1', 'BAD-NAME': '' },
  ignoresCase: false,
};

/** The text without its `|`, and where that stood. */
function caret(marked: string): readonly [string, number] {
  const at = marked.indexOf('|');
  return [marked.slice(0, at) + marked.slice(at + 1), at];
}

/** What is offered, each as the text that would then stand in the file. */
function offered(marked: string): readonly string[] {
  const [text, at] = caret(marked);
  return variablesAt(text, at, around).map(
    ({ form, from, to }) => text.slice(0, from) + form + text.slice(to),
  );
}

const server = (fields: string): string => `{"mcpServers":{"a":{${fields}}}}`;

test('variables are offered where they are filled in, and nowhere else', () => {
  const forms = ['${workspaceFolder}', '${userHome}', '${HOME}', '${TRACKER_TOKEN}'];
  const places: readonly string[] = [
    '"command":"@"',
    '"command":["x","@"]',
    '"args":["-y","a=@"]',
    '"env":{"T":"@"}',
    '"cwd":"@"',
    '"url":"https://@"',
    '"headers":{"Authorization":"Bearer @"}',
  ];
  for (const place of places) {
    for (const typed of ['$|', '${|', '${HO|', '${HO|}', '${|ME}', '${HO|ME}']) {
      const expected = forms.map((form) => server(place.replace('@', () => form)));
      const marked = server(place.replace('@', () => typed));
      assert.deepEqual(offered(marked), expected, marked);
    }
  }
  const none = [
    server('"command":"x|"'),
    server('"command":"$x|"'),
    server('"description":"${|"'),
    server('"type":"${|"'),
    server('"env":{"${|":""}'),
    server('"${|":""'),
    '{"other":"${|"}',
    '${|',
    '',
  ];
  for (const marked of none) assert.deepEqual(offered(marked), [], marked);
  // Other shapes of the file: a bare map, servers, and what is only half typed.
  for (const marked of ['{"a":{"args":["${|"]}}', '{"servers":{"a":{"args":["${|']) {
    assert.equal(offered(marked).length, 4, marked);
  }
});

test('names that the file uses and nobody set are offered too', () => {
  const marked = server('"args":["${NEW_URL:-x}","$<NEW_KEY>","$<|"]');
  const [text] = caret(marked);
  assert.deepEqual(
    offered(marked),
    ['workspaceFolder', 'userHome', 'NEW_KEY', 'NEW_URL', 'HOME', 'TRACKER_TOKEN'].map((name) =>
      text.replace('"$<"', () => `"$<${name}>"`),
    ),
  );
});

test('a variable is explained, and its value never shown', () => {
  const explain = (form: string): string => {
    const [text, at] = caret(server(`"args":["x ${form}"]`));
    const found = variableAt(text, at, around);
    return found === null ? '' : `${found.name} ${found.about} ${text.slice(found.from, found.to)}`;
  };
  const cases: readonly (readonly [string, string])[] = [
    ['${TRACKER_|TOKEN}', 'TRACKER_TOKEN set ${TRACKER_TOKEN}'],
    ['|$<TRACKER_TOKEN>', 'TRACKER_TOKEN set $<TRACKER_TOKEN>'],
    ['${env:HOM|E}', 'HOME set ${env:HOME}'],
    ['${NO|NE}', 'NONE unset ${NONE}'],
    ['${NONE:-de|fault}', 'NONE default ${NONE:-default}'],
    ['${work|spaceFolder}/${HOME}', 'workspaceFolder workspaceFolder ${workspaceFolder}'],
    ['${NONE:-a${HO|ME}$}', 'NONE default ${NONE:-a${HOME}$}'],
    ['${NONE:-${A:-${HO|ME}}}', 'A default ${A:-${HOME}}'],
    // As long as a file may be, of forms that never end: this takes no more than its length.
    ['|${HOME}' + '${A:-'.repeat(200_000), 'HOME set ${HOME}'],
    ['${HOME}| x', ''],
    ['|x ${HOME}', ''],
  ];
  for (const [form, expected] of cases) assert.equal(explain(form), expected, form);
});

test('a variable is what the core takes it for', () => {
  const forms = [
    ...['${HOME}', '$<HOME>', '${env:HOME}', '$<env:HOME>', '${NONE}', '${NONE:-}', '${NONE:-x}'],
    ...['$<NONE>', '$<NONE:-x>', '${workspaceFolder}', '${env:workspaceFolder}', '$<env:userHome>'],
    ...['${ProgramFiles(x86)}', '${env:ProgramFiles(x86):-x}', '${CLAUDE_PLUGIN_ROOT}'],
    ...[
      '${CLAUDE_PLUGIN_ROOT:-x}',
      '${env:CLAUDE_PLUGIN_ROOT}',
      '${input:a}',
      '${9}',
      '${}',
      '$HOME',
    ],
    ...['${A%x}', '%HOME%', '$<A-B>', '${NONE:-${HOME}}', '${NONE:-${ALSO}}', '$${HOME}'],
  ];
  for (const form of forms) {
    const text = `{"mcpServers":{"a":{"command":"x","args":[${JSON.stringify(form)}]}}}`;
    const { servers } = core.planServers(
      [{ origin: 'repository', path: '.mcp.json', text, folder: '/w' }],
      options,
    );
    const explained = [...Array(form.length).keys()]
      .map((at) => variableAt(text, text.indexOf(form) + at, around))
      .find((found) => found !== null);
    const own = explained?.about === 'workspaceFolder' || explained?.about === 'userHome';
    // The core also reads the variables of a default, which are explained as part of the form.
    const reads = servers[0]?.variables ?? [];
    const read = reads.find(({ name }) => name === explained?.name) ?? reads[0];
    assert.deepEqual(
      own || explained === undefined ? null : [explained.name, explained.about],
      read === undefined ? null : [read.name, read.found],
      form,
    );
  }
});

const core = createCore();
const options = {
  environment: around.environment,
  platform: 'linux',
  workspaceFolder: '/w',
  userHome: '/home/u',
};
const problems = (text: string): ReturnType<typeof core.planServers>['problems'] =>
  core.planServers([{ origin: 'repository', path: '.mcp.json', text, folder: '/w' }], options)
    .problems;

/** Offset of a place that counts lines and columns from 1. */
function offsetOf(
  text: string,
  { line, column }: { readonly line: number; readonly column: number },
): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.join('\n').length + (line > 1 ? 1 : 0) + column - 1;
}

test('a fix makes the finding go', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'unset-variable',
      '"command":"x","args":["--u=${NONE}"]',
      '"command":"x","args":["--u=${NONE:-}"]',
    ],
    ['unset-variable', '"command":"x","cwd":"$<NONE>"', '"command":"x","cwd":"$<NONE:->"'],
    [
      'unset-variable',
      '"command":"x","env":{"A":"${env:NONE}"}',
      '"command":"x","env":{"A":"${env:NONE:-}"}',
    ],
    ['tilde', '"command":"~/bin/x"', '"command":"${userHome}/bin/x"'],
    ['not-text', '"command":"x","args":[8080]', '"command":"x","args":["8080"]'],
    ['not-text', '"command":"x","env":{"ON":true}', '"command":"x","env":{"ON":"true"}'],
    ['unknown-type', '"command":"x","type":"program"', '"command":"x","type":"stdio"'],
    ['wrong-type', '"command":"x","args":"-y"', '"command":"x","args":["-y"]'],
    ['wrong-type', '"command":"x","disabled":"true"', '"command":"x","disabled":true'],
    ['wrong-type', '"command":"x","roots":"false"', '"command":"x","roots":false'],
    ['wrong-type', '"command":"x","timeout":"5000"', '"command":"x","timeout":5000'],
    ['wrong-type', '"command":"x","description":3', '"command":"x","description":"3"'],
  ];
  for (const [code, fields, expected] of cases) {
    const text = server(fields);
    const found = problems(text).find(({ problem }) => problem.code === code);
    assert.ok(found !== undefined, `${code}: ${fields}`);
    const about = [offsetOf(text, found.problem.start), offsetOf(text, found.problem.end)] as const;
    const [fix] = configFixes(code, text, about, around);
    assert.ok(fix !== undefined, fields);
    const mended = applied(text, fix.edits);
    assert.equal(mended, server(expected));
    assert.deepEqual(
      problems(mended).filter(({ problem }) => problem.code === code),
      [],
    );
  }
  const bare = '\n{ "a": { "command": "x" } }\n';
  const [found] = problems(bare);
  assert.equal(found?.problem.code, 'bare-map');
  const about = [offsetOf(bare, found.problem.start), offsetOf(bare, found.problem.end)] as const;
  const [fix] = configFixes('bare-map', bare, about, around);
  assert.equal(
    applied(bare, fix?.edits ?? []),
    '\n{ "mcpServers": { "a": { "command": "x" } } }\n',
  );
});

function applied(
  text: string,
  edits: readonly { readonly from: number; readonly to: number; readonly text: string }[],
): string {
  return edits.reduceRight(
    (now, { from, to, text: instead }) => now.slice(0, from) + instead + now.slice(to),
    text,
  );
}

test('no fix where none is right', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['wrong-type', '"command":"x","args":{}'],
    ['wrong-type', '"command":{}'],
    ['foreign-variable', '"command":"x","args":["${input:key}"]'],
    ['missing-command', '"args":[]'],
  ];
  for (const [code, fields] of cases) {
    const text = server(fields);
    const found = problems(text).find(({ problem }) => problem.code === code);
    assert.ok(found !== undefined, `${code}: ${fields}`);
    const about = [offsetOf(text, found.problem.start), offsetOf(text, found.problem.end)] as const;
    assert.deepEqual(configFixes(code, text, about, around), [], fields);
  }
});
