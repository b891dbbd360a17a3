/** Arguments that every door of the core takes: what is changed to see what else it takes. */
import type { Core } from '../../extension/core.ts';

type Door = Exclude<keyof Core, 'Session' | 'SkillIndex'>;

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const sha256 = 'a'.repeat(64);
const skillText =
  '---\nname: sql\ndescription: "Check: a migration"\ntags: [a, b]\nmetadata:\n  x: {y: 1}\nglobs: "*.sql"\n---\n# One\n\nBody ü\n';
const of = { name: 'sql', origin: 'project', part: 1, contextWindow: 32768 } as const;
const files = [{ path: 'references/a.md', size: 120 }];
const digests = [
  { path: 'SKILL.md', sha256 },
  { path: 'a.sh', sha256: 'b'.repeat(64) },
];
const offeredPage = JSON.stringify({
  skills: [
    {
      uri: 'skill://sql/SKILL.md',
      frontmatter: { name: 'sql', description: 'Check: a migration', n: 1.5 },
      resources: [{ uri: 'skill://sql/SKILL.md', digest: `sha256:${sha256}`, size: 120 }],
    },
    { uri: 'skill://../SKILL.md' },
  ],
});
const entries = [{ id: 'sql', name: 'sql', description: 'Check a migration.', tags: ['db'] }];
const limits = { server: 's', tool: 't', maxCharacters: 2000 };

const configText = JSON.stringify({
  mcpServers: {
    fs: {
      command: 'npx',
      args: ['-y', '${PKG:-server}', '${workspaceFolder}/a.js'],
      env: { TOKEN: '${TOKEN}' },
      cwd: 'sub',
      timeout: 5000,
    },
    web: { type: 'http', url: 'https://example.com/${A:-b}', headers: { k: '${TOKEN}' } },
  },
});
const sources = [
  { origin: 'user', path: '/home/me/.gbs/mcp.json', text: configText, guarded: true },
  { origin: 'repository', path: '/repo/.mcp.json', text: configText, folder: '/repo' },
];
const options = {
  environment: { TOKEN: 'secret', PATH: '/bin' },
  platform: 'linux',
  workspaceFolder: '/repo',
  userHome: '/home/me',
};
const facts = {
  resolved: '/usr/bin/npx',
  inside: '/usr/lib/npx-cli.js',
  realFolder: '/repo/sub',
  digests: [{ path: 'a.js', field: 'args', secret: false, real: '/repo/a.js', sha256 }],
  salt: 'salt',
};

const tool = {
  name: 'read',
  title: 'Read',
  description: 'Reads.',
  inputSchema: '{"type":"object","properties":{"p":{"type":"string"}}}',
  hints: { readOnly: true, destructive: null, idempotent: null, openWorld: false },
};
const pinned = {
  server: 's',
  version: '1',
  approvedOn: '2026-01-01',
  instructions: 'Use it.',
  tools: [tool],
};
const result =
  '{"content":[{"type":"text","text":"hi"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"isError":false,"structuredContent":{"a":1}}';

const calls = [
  { tool: 'read_file', kind: 'read', arguments: '{}', paths: ['/w/a.txt'], creates: false },
  { tool: 'edit', kind: 'write', arguments: '{"a":1}', paths: ['/w/.env'], diff: '-a\n+b\n' },
  {
    tool: 'run',
    kind: 'command',
    arguments: '{}',
    command: { line: 'git status && ls', shell: 'posix', folder: '/w', timeoutSeconds: 60 },
  },
  {
    tool: 'mcp__s__t',
    kind: 'mcp',
    arguments: '{"x":[1,2]}',
    repairedFrom: '{x:1}',
    server: { server: 's', tool: 't', description: 'd', readOnly: false, goesTo: '', from: 'f' },
  },
];
const rules = {
  folders: ['/w'],
  readable: ['/skills'],
  session: [{ kind: 'edits' }, { kind: 'command', line: 'npm test', folder: '/w' }],
};
const consentFile = {
  path: 'SKILL.md',
  place: '/w/SKILL.md',
  state: 'changed',
  text: 'a',
  diff: '-a',
};
const consentSkill = {
  name: 'sql',
  origin: 'project',
  label: '.gbs/skills',
  files: [consentFile],
  allowedTools: ['Bash'],
  approvedOn: null,
  outside: null,
};
const prompt = {
  environment: { system: 'Linux', shell: 'bash', folders: ['/w'] },
  tools: [{ name: 'read_file', description: 'd', parameters: '{}', origin: 'builtin' }],
  nativeTools: true,
  instructions: [{ path: 'AGENTS.md', text: 'Do.' }],
  catalogue: '# Skills\n',
  servers: [{ name: 's', instructions: 'i' }],
  contextWindow: 8192,
};

/** Those whose arguments other doors make. */
function made(core: Core): Pick<Record<Door, readonly (readonly unknown[])[]>, MadeDoor> {
  const { servers } = core.planServers(sources as never, options);
  const runnable = servers.filter(({ reach }) => 'command' in reach);
  const consents = servers.map((server) => core.consentFingerprint(server, facts as never));
  const skill = core.parseSkill(utf8(skillText), 'other');
  const listed = { path: '.gbs/skills/sql', heldBack: null, ...skill };
  const source = { origin: 'project', label: '.gbs/skills', skills: [listed] };
  return {
    buildCatalogue: [
      [[source, source], { openFile: 'db/a.sql', contextWindow: 8192, limit: 5 }],
      [[source], {}],
    ],
    commandLine: runnable.map((server) => [
      server,
      { platform: 'win32', resolved: 'C:\\node\\npx.cmd', systemRoot: 'C:\\Windows' },
    ]),
    compareConsent: consents.map((consent) => [consent, consents[0]]),
    consentFingerprint: servers.map((server) => [server, facts]),
    serverCard: servers.map((server, n) => [
      { server, facts, platform: 'linux', before: consents[n], approvedOn: '2026-01-01' },
    ]),
  };
}

type MadeDoor =
  'buildCatalogue' | 'commandLine' | 'compareConsent' | 'consentFingerprint' | 'serverCard';

const formFields = [
  {
    name: 't',
    label: 'T',
    description: 'd',
    required: true,
    entry: { kind: 'text', format: 'date-time', min: 1, max: null, value: '' },
  },
  {
    name: 'n',
    label: 'N',
    description: '',
    required: false,
    entry: { kind: 'number', whole: true, min: '1', max: null, value: '' },
  },
  {
    name: 'c',
    label: 'C',
    description: '',
    required: false,
    entry: {
      kind: 'choices',
      options: [{ value: 'a', label: 'A' }],
      min: null,
      max: 2,
      value: ['a'],
    },
  },
];

const skillFile = { bytes: utf8(skillText), folderName: 'sql' };

const given: Readonly<
  Record<Exclude<Door, MadeDoor | 'searchSkills'>, readonly (readonly unknown[])[]>
> = {
  compareSkillFiles: [[digests, digests.slice(1)]],
  compareTools: [[pinned, { ...pinned, version: '2', tools: [{ ...tool, name: 'b' }, tool] }]],
  credentialPaths: [[['/w/.env', '/home/me/.ssh/id_rsa', 'a']]],
  decideApproval: calls.map((call) => [call, 'ask', rules]),
  elicitationCard: [
    [
      { message: 'Which?', wish: { kind: 'form', fields: formFields } },
      { server: 's', during: 't' },
    ],
    [
      { message: 'Pay', wish: { kind: 'address', url: 'https://a.example/', host: 'a.example' } },
      { server: 's', during: '' },
    ],
  ],
  fileText: [['a.md', utf8('hé')]],
  hostCard: [[{ host: 'example.com', model: 'm' }]],
  isOfferedHeader: [['{"name":"sql","description":"Check: a migration"}', utf8(skillText)]],
  isWithin: [
    ['/a', '/a/b', 'posix'],
    ['C:\\a', 'c:\\A\\b', 'windows'],
  ],
  listResources: [[{ of, folder: 'references', files }]],
  loadBody: [[{ of, body: '# One\n\n'.repeat(3000), files }]],
  loadResource: [[{ of, resource: 'references/a.md' }, utf8('text')]],
  loadedPointer: [['sql', 'a.md', 1, 3]],
  matchGlob: [['**/*.{ts,sql}', ['a/b.ts', 'c.sql']]],
  parseSkill: [[utf8(skillText), 'sql']],
  parseSkills: [[[skillFile, skillFile]]],
  parseSkillsAsync: [[[skillFile, skillFile]]],
  planServers: [[sources, options]],
  projectInstructions: [[[{ path: 'AGENTS.md', text: 'Do.' }], 8192]],
  promptCard: [['s', '{"name":"p","arguments":[{"name":"a","required":true}]}']],
  readOfferedSkills: [['shop', [offeredPage, '{']]],
  readForm: [[formFields, '{"n":"2","c":["a"],"t":""}']],
  repeatCard: [[{ tool: 'run', arguments: '{"a":1}', times: 3 }]],
  resourcePath: [['references/./a.md']],
  skillConsentCard: [[{ skills: [consentSkill], instructions: [consentFile] }]],
  skillFingerprint: [[digests]],
  skillLines: [[entries]],
  systemPrompt: [[prompt]],
  toolError: [['failed', '{"a":1}', limits]],
  toolName: [['a.b', 'read_file']],
  toolOutput: [[result, limits]],
  toolParameters: [[tool.inputSchema]],
  version: [[]],
  visibleText: [['a\u001b[2K\u202e']],
};

/** For each function, lists of arguments. `searchSkills` is asked with an index of its own. */
export function doors(core: Core): Readonly<Record<string, readonly (readonly unknown[])[]>> {
  const index = new core.SkillIndex(entries);
  return { ...given, ...made(core), searchSkills: [[index, 'migration', 10]] };
}

const initialized =
  '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}\n';
const listed = `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}\n`;

/** Options of a session, and calls of its methods. */
export const conversation: readonly [unknown, readonly (readonly [string, readonly unknown[]])[]] =
  [
    {
      clientInfo: { name: 'a', version: '1' },
      capabilities: '{"roots":{}}',
      limits: { maxMessageBytes: 65536, startMs: 1000, callMs: 1000 },
      roots: [{ uri: 'file:///w', name: 'w' }],
      elicitation: true,
      era: 'legacy',
    },
    [
      ['start', []],
      ['feed', [utf8(initialized)]],
      ['feed', [utf8(listed.slice(0, 40))]],
      ['feed', [utf8(listed.slice(40))]],
      ['request', ['tools/call', '{"name":"t","arguments":{}}']],
      ['notify', ['notifications/cancelled', '']],
      ['setRoots', [[{ uri: 'file:///v', name: 'v' }]]],
      ['feed', [utf8('{"jsonrpc":"2.0","id":4,"result":{"content":[]}}\n{"jsonrpc":"2.0","me')]],
      ['answer', [5, 'decline', '']],
      ['cancel', [4]],
      ['expire', [1]],
      ['feed', [utf8('thod":"notifications/tools/list_changed"}\nnoise\n')]],
      ['end', []],
      ['free', []],
    ],
  ];
export const indexed: readonly unknown[] = [entries];
