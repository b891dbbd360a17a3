/** The Skills view over real folders: where each comes from, its state and reason first. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { defaultSettings } from '../../extension/agent/settings.ts';
import { createCore } from '../../extension/core.ts';
import { shownReason, skillTree } from '../../extension/editor/skill-tree.ts';
import type { TreeNode } from '../../extension/editor/tree-node.ts';
import { Skills } from '../../extension/skills/skills.ts';
import { StateFolder } from '../../extension/state.ts';

const core = createCore();
let root = '';

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'gbs-tree-')));
});

after(() => rm(root, { recursive: true, force: true }));

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nBody.\n`;

/** A row as one line: icon, label, description, what its menu offers; children below, indented. */
function drawn(nodes: readonly TreeNode[], indent = ''): string[] {
  return nodes.flatMap((node) => [
    `${indent}${node.icon} ${node.label} | ${node.description}${node.context ? ` [${node.context}]` : ''}`,
    ...drawn(node.children, `${indent}  `),
  ]);
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

test('every skill is listed, and what waits or cannot be used says so', async () => {
  await write({
    'w/.gbs/skills/notes/SKILL.md': skill('notes', 'Release notes.'),
    'w/.gbs/skills/Bad/SKILL.md': skill('Bad Name', 'X.'),
    'w/AGENTS.md': 'Be brief.\n',
    'home/.gbs/skills/own/SKILL.md': skill('own', 'Mine.'),
    'home/.claude/skills/own/SKILL.md': skill('own', 'Mine too.'),
  });
  const skills = new Skills({
    core,
    settings: () => ({ ...defaultSettings, skillsPath: join(root, 'home/.gbs/skills') }),
    state: new StateFolder(join(root, 'state')),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    platform: process.platform,
    userHome: join(root, 'home'),
  });
  const workspace = { folders: [join(root, 'w')], trusted: true, openFile: null };
  const parts = {
    visible: (text: string) => core.visibleText(text),
    say: (text: string, ...values: (string | number)[]) =>
      text.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)])),
  };
  const tree = async (): Promise<string[]> =>
    drawn(skillTree(await skills.look(workspace, 0), parts));

  assert.deepEqual(await tree(), [
    'root-folder Project | .gbs/skills, 2 skills',
    '  error Bad Name | unusable: A name has 1 to 64 lower-case letters and digits, with single hyphens between them [skill workspace]',
    '  lock notes | waits for you: new [skill approve workspace]',
    'account User | 2 skills',
    '  book own | full, 4 tokens, ~/.gbs/skills [skill]',
    '  circle-slash own | shadowed by ~/.gbs/skills, ~/.claude/skills [skill]',
    'note Project instructions | 1 file',
    '  lock AGENTS.md | waits for you [skill approve]',
  ]);

  // In the chat's list the state has a word of its own.
  const view = await skills.look(workspace, 0);
  assert.deepEqual(
    view.skills.map(({ report }) => `${report.name}: ${shownReason(report)}`),
    [
      'Bad Name: A name has 1 to 64 lower-case letters and digits, with single hyphens between them',
      'notes: new',
      'own: full, 4 tokens',
      'own: shadowed by ~/.gbs/skills',
    ],
  );

  const approval = await skills.approval(workspace, () => true);
  await approval?.allow();
  const approved = await tree();
  assert.ok(
    approved.includes('  book notes | full, 7 tokens [skill revoke workspace]'),
    approved.join('\n'),
  );
  assert.ok(approved.includes('  note AGENTS.md | used [skill revoke]'), approved.join('\n'));
});
