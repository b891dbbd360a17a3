/** What every consumer does with its core, and shows. */
export async function use(core) {
  const utf8 = (text) => new TextEncoder().encode(text);
  const bytes = utf8('---\nname: a\ndescription: Says ü.\n---\nBody\n');
  const [skill] = await core.parseSkillsAsync([{ bytes, folderName: 'a' }]);
  const session = new core.Session({ clientInfo: { name: 'consumer', version: '1' } });
  const started = session.start().map(({ kind }) => kind);
  const fed = session.feed(utf8('no message\n')).map(({ kind }) => kind);
  session.free();
  const { description, body, usable } = skill;
  return JSON.stringify([
    core.toolName('fs', 'read_file'),
    description,
    body,
    usable,
    started,
    fed,
  ]);
}
