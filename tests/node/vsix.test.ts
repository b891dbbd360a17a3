/** What is in gbs-agent.vsix: these files and no others, small, with the licences of all of it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

const vsix = 'gbs-agent.vsix';
const golden = 'tests/golden/vsix.txt';
const mostBytes = 4 * 1024 * 1024;

/** The names in a zip's central directory, in its order. */
function entries(zip: Buffer): string[] {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  assert.ok(end >= 0, 'not a zip');
  const names: string[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    assert.ok(name !== undefined && extra !== undefined && comment !== undefined);
    names.push(zip.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

test('the files are the ones of the list', () => {
  assert.ok(existsSync(vsix), `there is no ${vsix}: run npm run build`);
  const list = `${entries(readFileSync(vsix)).sort().join('\n')}\n`;
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, list);
  assert.equal(list, readFileSync(golden, 'utf8'));
});

test('it is under 4 MB', () => {
  assert.ok(statSync(vsix).size < mostBytes);
});

test('NOTICE has the licences of everything that is bundled', () => {
  const print = "import('./scripts/lib/notice.mjs').then((m) => process.stdout.write(m.notice()))";
  const text = execFileSync(process.execPath, ['-e', print], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync('NOTICE', text);
  assert.equal(readFileSync('NOTICE', 'utf8'), text);
});

test('what was built from other sources is neither packed nor read', () => {
  const script = `
    import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
    import { refuseStale, whenChanged } from './scripts/lib/stamp.mjs';
    const [name, folder] = ['stale-test', '.cache/stale-test'];
    const step = { inputs: [folder + '/in'], outputs: [folder + '/out'] };
    const put = (file, text) => writeFileSync(folder + '/' + file, text);
    const said = [];
    const look = () => {
      try {
        refuseStale(name, step, 'It');
        said.push('');
      } catch (error) {
        said.push(error.message);
      }
    };
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    put('in', 'one');
    look();
    await whenChanged(name, step, async () => put('out', 'made'));
    look();
    put('in', 'two');
    look();
    await whenChanged(name, step, async () => put('out', 'made'));
    rmSync(folder + '/out');
    look();
    rmSync(folder, { recursive: true });
    rmSync('.cache/stamps/' + name);
    console.log(JSON.stringify(said));
  `;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const refused =
    'It is missing, or was built from other sources than those that are there now.\n  Run npm run build, then this again.';
  assert.deepEqual(JSON.parse(said), [refused, '', refused, refused]);
});
