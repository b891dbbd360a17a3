/** Several workspace folders: their names in paths, and what `@` finds without the editor's search. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { folderNames, pathBelow, shownName } from '../../extension/agent/folder-names.ts';
import { best, walkedFiles, wantedOf } from '../../extension/editor/matching-files.ts';
import { remoteOf } from '../../extension/editor/remote.ts';

test('folders have names where these tell them apart', () => {
  const check = (folders: readonly string[], names: readonly string[]): void => {
    assert.deepEqual([...folderNames(folders).values()], names, folders.join());
  };
  check([], []);
  check(['/w/api'], []);
  check(['/w/api', '/w/web/'], ['api', 'web']);
  check(['C:\\w\\api', 'C:\\w\\web'], ['api', 'web']);
  check(['/a/app', '/b/app'], []);
  check(['/a', '/'], []);
});

test('what leads a path where several folders are open', () => {
  const check = (folder: string, folders: readonly string[], expected: string): void => {
    assert.equal(shownName(folder, folders), expected, folder);
  };
  check('/w/api', ['/w/api'], '');
  check('/w/api', ['/w/api', '/w/web'], 'api');
  check('/a/app', ['/a/app', '/b/app'], '/a/app');
  check('/home/u', ['/w/api', '/w/web'], '');
});

test('a path below a folder, as tools take it', () => {
  const check = (path: string, folders: readonly string[], expected: string): void => {
    assert.equal(pathBelow(path, folders), expected, path);
  };
  check('/w/api/src/a.ts', ['/w/api'], 'src/a.ts');
  check('/w/api', ['/w/api'], '.');
  check('/w/api-2/a.ts', ['/w/api'], '/w/api-2/a.ts');
  check('/w/api/a\\b', ['/w/api'], 'a\\b');
  check('/w/api/a.ts', ['/w/api', '/w/web'], 'api/a.ts');
  check('/w/web', ['/w/api', '/w/web/'], 'web');
  check('/other/a.ts', ['/w/api', '/w/web'], '/other/a.ts');
  check('C:\\w\\web\\src\\a.ts', ['C:\\w\\api', 'C:\\w\\web'], 'web/src/a.ts');
  // Names that would not tell: the first folder's paths are relative, the others' whole.
  check('/a/app/x', ['/a/app', '/b/app'], 'x');
  check('/b/app/x', ['/a/app', '/b/app'], '/b/app/x');
});

test('files by what was typed, the best ones first, without the search of the editor', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'gbs-files-')));
  try {
    const paths = [
      'api/src/Retry.ts',
      'api/src/not-retry.ts',
      'api/retry/readme.md',
      'api/node_modules/retry/index.js',
      'api/ignored/retry.ts',
      'web/retry.css',
    ];
    for (const path of paths) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), '');
    }
    await writeFile(join(root, 'api/.gitignore'), 'ignored\n');
    const found = async (folders: readonly string[], query: string): Promise<readonly string[]> => {
      const wanted = wantedOf(query);
      const places = folders.map((folder) => join(root, folder));
      const never = new AbortController().signal;
      return best(await walkedFiles(places, wanted, 100, never), wanted, 3);
    };
    assert.deepEqual(await found(['api'], 'RETRY'), [
      'src/Retry.ts',
      'src/not-retry.ts',
      'retry/readme.md',
    ]);
    assert.deepEqual(await found(['api', 'web'], 'retry'), [
      'web/retry.css',
      'api/src/Retry.ts',
      'api/src/not-retry.ts',
    ]);
    assert.deepEqual(await found(['api', 'web'], 'api\\src\\r'), ['api/src/Retry.ts']);
    assert.deepEqual(await found(['gone'], 'retry'), []);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

test('where the extension runs, by the name that the editor has for it', () => {
  const names = {
    'ssh-remote': 'ssh',
    wsl: 'wsl',
    'dev-container': 'container',
    'attached-container': 'container',
    'k8s-container': 'container',
    codespaces: 'container',
    tunnel: 'other',
    '127.0.0.1:8080': 'other',
  };
  for (const [name, kind] of Object.entries(names)) assert.equal(remoteOf(name), kind, name);
  assert.equal(remoteOf(undefined), null);
});
