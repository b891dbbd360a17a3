/** The manifest holds together: every text, command, view, file and setting it names is there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { commandIds } from '../../extension/editor/command-ids.ts';

interface Menu {
  readonly command: string;
  readonly when?: string;
}
interface Manifest {
  readonly engines: { readonly vscode: string };
  readonly icon: string;
  readonly categories: readonly string[];
  readonly extensionKind: readonly string[];
  readonly activationEvents: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: {
      readonly supported: string;
      readonly restrictedConfigurations: readonly string[];
    };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly contributes: {
    readonly commands: readonly {
      readonly command: string;
      readonly icon?: string;
      readonly category?: string;
    }[];
    readonly configuration: readonly {
      readonly properties: Readonly<
        Record<
          string,
          {
            readonly scope: string;
            readonly order: number;
            readonly markdownDescription: string;
            readonly enum?: readonly string[];
            readonly markdownEnumDescriptions?: readonly string[];
          }
        >
      >;
    }[];
    readonly menus: Readonly<Record<string, readonly Menu[]>>;
    readonly views: { readonly gbsAgent: readonly { readonly id: string }[] };
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly completionEvents: readonly string[];
        readonly media: { readonly markdown: string };
      }[];
    }[];
    readonly jsonValidation: readonly { readonly url: string }[];
    readonly languages: readonly { readonly id: string }[];
  };
}

const text = readFileSync('package.json', 'utf8');
const manifest = JSON.parse(text) as Manifest;
const words = JSON.parse(readFileSync('package.nls.json', 'utf8')) as Record<string, string>;
const { contributes } = manifest;
const settings = Object.entries(
  Object.assign(
    {},
    ...contributes.configuration.map((section) => section.properties),
  ) as Manifest['contributes']['configuration'][number]['properties'],
);

test('every text is in the language file, and nothing else is', () => {
  const used = [...text.matchAll(/"%([^%"]+)%"/g)].map((match) => match[1] ?? '');
  assert.deepEqual([...new Set(used)].sort(), Object.keys(words).sort());
});

test('the commands of the manifest are the ones that are registered', () => {
  assert.deepEqual(
    contributes.commands.map(({ command }) => command).sort(),
    commandIds.map((id) => `gbsAgent.${id}`).sort(),
  );
  for (const { command, icon, category } of contributes.commands) {
    assert.match(icon ?? '', /^\$\([a-z-]+\)$/, command);
    assert.equal(category, '%category%', command);
  }
});

test('menus, welcomes and the walkthrough name commands and views that are there', () => {
  const ids = new Set(contributes.commands.map(({ command }) => command));
  for (const menu of Object.values(contributes.menus).flat()) assert.ok(ids.has(menu.command));
  const views = new Set(contributes.views.gbsAgent.map(({ id }) => id));
  for (const { view } of contributes.viewsWelcome) assert.ok(views.has(view), view);
  const all = Object.values(words).join('\n');
  for (const [, id] of all.matchAll(/command:(gbsAgent\.[\w.]+)/g))
    assert.ok(ids.has(id ?? ''), id);
  assert.deepEqual(
    contributes.walkthroughs.map(({ steps }) => steps.length <= 5),
    [true],
  );
});

test('a step of the walkthrough is done by a command or setting that is there, or a context that is set', () => {
  const keys = readFileSync('extension/editor/context-keys.ts', 'utf8');
  const ids = new Set([
    ...contributes.commands.map(({ command }) => `onCommand:${command}`),
    ...settings.map(([key]) => `onSettingChanged:${key}`),
    ...[...keys.matchAll(/'(gbsAgent\.\w+)'/g)].map(([, key]) => `onContext:${String(key)}`),
  ]);
  for (const { steps } of contributes.walkthroughs)
    for (const { completionEvents } of steps) {
      assert.ok(completionEvents.length > 0);
      for (const event of completionEvents) assert.ok(ids.has(event), event);
    }
});

test('commands on a row are hidden from the palette', () => {
  const hidden = (contributes.menus['commandPalette'] ?? [])
    .filter(({ when }) => when === 'false')
    .map(({ command }) => command);
  const rows = commandIds.filter((id) => id.includes('.')).map((id) => `gbsAgent.${id}`);
  assert.deepEqual([...hidden].sort(), rows.sort());
});

test('files the manifest names are there', () => {
  const named = [
    manifest.icon,
    'media/activity-bar.svg',
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown)),
    ...contributes.jsonValidation.map(({ url }) => url),
  ];
  assert.deepEqual(
    named.filter((path) => !existsSync(path)),
    [],
  );
  const png = readFileSync(manifest.icon);
  assert.ok(png.readUInt32BE(16) >= 128 && png.readUInt32BE(20) >= 128);
});

test('only what may be switched off can be set by a workspace', () => {
  const byWorkspace = settings.filter(
    ([, { scope }]) => scope !== 'machine' && scope !== 'application',
  );
  assert.deepEqual(
    byWorkspace.map(([key]) => key),
    ['gbsAgent.skills.enabled', 'gbsAgent.skills.readSharedFolders', 'gbsAgent.mcp.enabled'],
  );
  assert.deepEqual(
    [...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
    settings.map(([key]) => key).sort(),
  );
});

test('what says what runs or where data goes is not carried to another machine', () => {
  const machine = [
    'model',
    'openai.baseUrl',
    'permissionMode',
    'shell',
    'skillsPath',
    'mcpServers',
  ];
  for (const key of machine) {
    assert.equal(settings.find(([name]) => name === `gbsAgent.${key}`)?.[1].scope, 'machine', key);
  }
});

test('every setting has a description and a place, every choice a description', () => {
  assert.deepEqual(
    settings.map(([, { order }]) => order),
    settings.map((_, index) => index),
  );
  for (const [key, setting] of settings) {
    assert.ok(setting.markdownDescription, key);
    assert.equal(setting.enum?.length, setting.markdownEnumDescriptions?.length, key);
  }
});

test('a server has the same schema in the setting and in the files', () => {
  const schema = JSON.parse(readFileSync('schemas/mcp.schema.json', 'utf8')) as {
    definitions: { server: unknown };
  };
  const setting = settings.find(([key]) => key === 'gbsAgent.mcpServers')?.[1] as unknown as {
    additionalProperties: unknown;
  };
  assert.deepEqual(setting.additionalProperties, schema.definitions.server);
});

test('it activates for our files and views alone, where files and processes are', () => {
  for (const event of manifest.activationEvents) {
    assert.match(event, /^(onView:gbsAgent\.|workspaceContains:|onLanguage:skill$)/);
  }
  assert.deepEqual(manifest.extensionKind, ['workspace']);
  assert.equal('browser' in manifest, false);
  assert.equal('enabledApiProposals' in manifest, false);
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
  assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies['@types/vscode']}`);
  assert.deepEqual(manifest.categories, ['AI', 'Chat']);
  assert.deepEqual(
    contributes.languages.map(({ id }) => id),
    ['jsonc'],
  );
  for (const absent of ['chatParticipants', 'languageModelTools']) {
    assert.equal(absent in contributes, false);
  }
});
