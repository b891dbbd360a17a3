const { createCore } = require('gbs-agent-core');

test('the core works in the realm of Jest', async () => {
  const core = createCore();
  expect(core.toolName('fs', 'read_file')).toBe('mcp__fs__read_file');
  const bytes = Buffer.from('---\nname: a\ndescription: Says ü.\n---\nBody\n');
  expect(core.parseSkill(bytes, 'a').description).toBe('Says ü.');
  const [skill] = await core.parseSkillsAsync([{ bytes: new Uint8Array(bytes), folderName: 'a' }]);
  expect(skill.body).toBe('Body\n');
  expect(() => core.toolName(1, 2)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});
