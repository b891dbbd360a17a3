/** Texts and addresses that a sign-in reads from others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reachOf, safeAddress, speaksFor } from '../../../extension/mcp/oauth/addresses.ts';
import { bearerChallenge } from '../../../extension/mcp/oauth/challenge.ts';
import { SignInFailure } from '../../../extension/mcp/oauth/failure.ts';

describe('what a refusal says', () => {
  const none = { resourceMetadata: null, scope: null, error: null };
  const cases: Readonly<Record<string, Partial<typeof none> | Record<string, string>>> = {
    '': {},
    Bearer: {},
    'bearer realm="x", scope="a b", error=invalid_token': { scope: 'a b', error: 'invalid_token' },
    'Basic realm="Bearer scope=x", Bearer scope="y"': { scope: 'y' },
    'Negotiate abc==, Bearer resource_metadata="https://a/b"': { resourceMetadata: 'https://a/b' },
    'Bearer scope="a", scope="b"': { scope: 'a' },
    'Bearer scope="a", Basic scope="b"': { scope: 'a' },
    'Bearer scope="say \\"hi\\""': { scope: 'say "hi"' },
    'Bearer scope = a , error = b': { scope: 'a', error: 'b' },
    'Bearer error=b, scope="a': { error: 'b' },
    'Digest qop="auth, Bearer scope=evil"': {},
    '=,=": broken': {},
  };
  for (const [header, expected] of Object.entries(cases)) {
    it(JSON.stringify(header), () => {
      assert.deepEqual(bearerChallenge(header), { ...none, ...expected });
    });
  }
  it('none', () => {
    assert.deepEqual(bearerChallenge(null), none);
  });
});

describe('where an address leads', () => {
  const cases: Readonly<Record<string, readonly [readonly string[], string]>> = {
    'https://a.example': [['203.0.113.7'], 'public'],
    'https://b.example': [['203.0.113.7', '10.0.0.1'], 'private'],
    'https://c.example': [['127.0.0.1'], 'loopback'],
    'https://d.example': [[], 'public'],
    'https://e.example': [['fd00::1'], 'private'],
    'https://f.example': [['2606:4700::1111'], 'public'],
    'https://g.example': [['fe80::1%eth0'], 'private'],
    'https://h.example': [['::ffff:192.168.0.1'], 'private'],
    'https://i.example': [['64:ff9b::10.0.0.1'], 'private'],
    'https://j.example': [['2002:a00:1::'], 'private'],
    'https://k.example': [['::ffff:8.8.8.8'], 'public'],
    'http://localhost': [[], 'loopback'],
    'http://localhost.': [[], 'loopback'],
    'http://a.localhost': [[], 'loopback'],
    'http://[::1]': [[], 'loopback'],
    'http://2130706433': [[], 'loopback'],
    'http://0x7f.1': [[], 'loopback'],
    'http://0.0.0.0': [[], 'private'],
    'http://[::]': [[], 'private'],
    'http://[::ffff:127.0.0.1]': [[], 'loopback'],
    'http://169.254.169.254': [[], 'private'],
    'http://100.64.0.1': [[], 'private'],
    'http://172.32.0.1': [[], 'public'],
    'http://localhost.example': [['203.0.113.7'], 'public'],
  };
  for (const [address, [resolved, expected]] of Object.entries(cases)) {
    it(`${address} ${resolved.join(' ')}`, () => {
      assert.equal(reachOf(new URL(address), resolved), expected);
    });
  }
  it('what is safe to ask', () => {
    const wrong = [
      'http://a.example',
      'ftp://a',
      'https://a b',
      'https://a/#x',
      'https://a\\b',
      ' https://a',
      '//a',
      'x',
    ];
    for (const each of wrong) assert.throws(() => safeAddress(each, 'it'), SignInFailure, each);
    for (const each of ['https://a.example/b?c=d', 'http://127.0.0.1:8080/x', 'http://[::1]/']) {
      assert.equal(safeAddress(each, 'it').href, each);
    }
  });
  it('what speaks for a server', () => {
    const speaks = (one: string): boolean => speaksFor(new URL(one), new URL('https://a/b/c?d=e'));
    const yes = [
      'https://a',
      'https://a/',
      'https://a/b',
      'https://a/b/',
      'https://a/b/c',
      'https://a/b/c?d=e',
    ];
    const no = [
      'https://a/b/c/d',
      'https://a/x',
      'https://a/b/cc',
      'https://a:8/b/c',
      'http://a/b/c',
      'https://a/b/c?d=f',
    ];
    assert.deepEqual([yes.filter(speaks), no.filter(speaks)], [yes, []]);
  });
});
