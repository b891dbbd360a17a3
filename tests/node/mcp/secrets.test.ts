/** What a server was given in secret reaches no log, no message and no model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskerOf } from '../../../extension/mcp/secrets.ts';
import { approved, smallEnvironment, testSet } from './set.ts';

test('values of variables whose names say that they are secret', () => {
  const masked = maskerOf({
    PATH: '/usr/bin:/bin',
    HOME: '/home/me',
    TRACKER_TOKEN: 'tk-12345',
    GITHUB_PAT: 'tk-12345-more',
    dbPassword: 'hunter22',
    API_KEY: 'short',
    privateKey: 'pk-0123456',
    sessionId: 'sid-012345',
    keyboardLayout: 'neo-layout',
    'x-auth.value': 'xa-0123456',
    KEYBOARD: 'querty-layout',
    MONKEY: 'baboon-is-one',
  });
  const cases: readonly (readonly [text: string, seen: string])[] = [
    ['TRACKER_TOKEN=tk-12345', 'TRACKER_TOKEN=••••'],
    ['Bearer tk-12345-more, tk-12345', 'Bearer ••••, ••••'],
    ['password hunter22 is wrong', 'password •••• is wrong'],
    ['pk-0123456 sid-012345 xa-0123456 neo-layout', '•••• •••• •••• neo-layout'],
    ['/home/me and /usr/bin:/bin', '/home/me and /usr/bin:/bin'],
    ['short querty-layout baboon-is-one', 'short querty-layout baboon-is-one'],
  ];
  for (const [text, seen] of cases) assert.equal(masked(text), seen);
});

test('a server that writes its token and exits', { timeout: 60_000 }, async (context) => {
  const code = `console.error('bad token ' + process.env.TRACKER_TOKEN);
    console.log('[startup] ' + process.env.TRACKER_TOKEN);
    process.exit(3);`;
  const env = { ...smallEnvironment, TRACKER_TOKEN: 'tk-12345' };
  const { set, start } = testSet(context);
  const state = await start(approved('tracker', ['-e', code], { env }));
  assert.equal(state?.kind, 'failed');
  const text = JSON.stringify([state, set.lines('tracker')]);
  assert.match(text, /bad token ••••/u);
  assert.doesNotMatch(text, /tk-12345/u);
});
