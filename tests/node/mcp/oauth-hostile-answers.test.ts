/** What comes back of a sign-in: registrations, answers from the browser, tokens. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SignInDesk } from '../../../extension/mcp/oauth/flow.ts';
import { brought, listen } from '../../../extension/mcp/oauth/landing.ts';
import {
  about,
  deskOf,
  Hostile,
  issuer,
  metadata,
  said,
  token,
  type Answers,
  type Case,
} from './oauth-hostile-bed.ts';

describe('hostile answers', { timeout: 60_000 }, () => {
  const hostile = new Hostile();
  before(() => hostile.start());
  after(() => hostile.stop());

  const cases: Readonly<Record<string, Case & { readonly expected: unknown }>> = {
    // Clients.
    'nobody may register': {
      answers: said({ registration_endpoint: undefined }),
      expected: 'needs-client',
    },
    'registration is refused, with hidden characters': {
      answers: {
        [`${issuer}/register`]: {
          status: 400,
          body: JSON.stringify({
            error: 'invalid_redirect_uri',
            error_description: 'n\u202eo\u0007',
          }),
        },
      },
      expected: 'registration-refused',
    },
    'registration redirects': {
      answers: { [`${issuer}/register`]: { status: 307, headers: { location: '/other' } } },
      expected: 'redirected',
    },
    'registration without an id': {
      answers: { [`${issuer}/register`]: { status: 201, body: '{}' } },
      expected: 'broken-metadata',
    },
    'registration that says 200, and a secret without an end': {
      answers: {
        [`${issuer}/register`]: { status: 200, body: '{"client_id":"a","client_secret":"b"}' },
      },
      expected: token,
    },

    // What comes back from the browser.
    'an answer of another issuer': {
      back: { iss: 'https://evil.example' },
      expected: 'wrong-issuer',
    },
    'an error of another issuer': {
      back: { iss: 'https://evil.example', error: 'access_denied', code: null },
      expected: 'wrong-issuer',
    },
    'an answer of the issuer': { back: { iss: issuer }, expected: token },
    'an answer without the issuer that was promised': {
      answers: said({ authorization_response_iss_parameter_supported: true }),
      expected: 'wrong-issuer',
    },
    'an answer with another state': { back: { state: 'other' }, expected: 'wrong-answer' },
    'an answer without a state': { back: { state: null }, expected: 'wrong-answer' },
    'an answer without a code': { back: { code: null }, expected: 'no-token' },
    'an answer with a token in it': { back: { token: 'x' }, expected: 'wrong-answer' },
    'an error': { back: { error: 'access_denied', code: null }, expected: 'refused' },

    // Tokens.
    'tokens redirect': {
      answers: { [`${issuer}/token`]: { status: 308, headers: { location: '/t' } } },
      expected: 'redirected',
    },
    'a token that would write headers of its own': {
      answers: { [`${issuer}/token`]: { access_token: 'a\r\nx: y', token_type: 'Bearer' } },
      expected: 'no-token',
    },
    'a token of another kind': {
      answers: { [`${issuer}/token`]: { access_token: 'a', token_type: 'mac' } },
      expected: 'no-token',
    },
    'no token': { answers: { [`${issuer}/token`]: {} }, expected: 'no-token' },
    'an error in the place of a token': {
      answers: { [`${issuer}/token`]: { status: 400, body: '{"error":"invalid_grant"}' } },
      expected: 'no-token',
    },
  };
  for (const [name, { expected, ...given }] of Object.entries(cases)) {
    it(name, async () => {
      assert.deepEqual((await hostile.attempt(given)).outcome, expected);
    });
  }

  it('puts its own parameters in the place of those that the page brings', async () => {
    const { opened } = await hostile.attempt({
      answers: said({
        authorization_endpoint: `${issuer}/authorize?redirect_uri=https://evil.example&tenant=a&scope=all&request_uri=x`,
      }),
    });
    const [page = ''] = opened;
    const sent = new URL(page).searchParams;
    const names = ['redirect_uri', 'tenant', 'scope', 'request_uri'];
    assert.deepEqual(
      names.map((name) => sent.getAll(name)),
      [['http://127.0.0.1:1/callback'], ['a'], ['files:read'], []],
    );
  });

  describe('one issuer leads the browser to another one (mix-up, RFC 9700, 4.4)', () => {
    const evil = 'https://evil.example';
    const evilAnswers: Answers = {
      ...about({ authorization_servers: [evil] }),
      [`${evil}/.well-known/oauth-authorization-server`]: {
        ...metadata,
        issuer: evil,
        authorization_endpoint: `${evil}/authorize`,
        token_endpoint: `${evil}/token`,
        registration_endpoint: `${evil}/register`,
      },
      [`${evil}/register`]: { status: 201, body: '{"client_id":"ours at evil"}' },
      [`${evil}/token`]: { access_token: 'token', token_type: 'Bearer' },
    };

    const registeredAt = (bodies: ReadonlyMap<string, string>, at: string): URL => {
      const body = JSON.parse(bodies.get(`${at}/register`) ?? '{}') as { redirect_uris?: string[] };
      return new URL(body.redirect_uris?.[0] ?? '');
    };
    const words = { title: 'Back', text: 'Go on.' };

    /** Comes back to other places first, with the state of this sign-in and a code of another issuer. */
    function deskThatIsLed(paths: readonly string[], statuses: number[]): SignInDesk {
      return {
        ...deskOf([]),
        land: (place) => listen(place, words),
        open: async (page) => {
          const own = new URL(page.searchParams.get('redirect_uri') ?? '');
          const state = page.searchParams.get('state') ?? '';
          for (const path of [...paths, own.pathname]) {
            const back = new URL(path, own);
            const code = path === own.pathname ? 'own' : 'of another';
            back.search = new URLSearchParams({ code, state }).toString();
            const response = await fetch(back);
            await response.text();
            statuses.push(response.status);
          }
        },
      };
    }

    it('an answer that comes where those of the other one come is not taken', async () => {
      const first = await hostile.attempt({ desk: deskThatIsLed([], []) });
      assert.deepEqual(first.outcome, token);
      const honest = registeredAt(first.bodies, issuer);
      const statuses: number[] = [];
      const { outcome, bodies } = await hostile.attempt({
        answers: evilAnswers,
        desk: deskThatIsLed([honest.pathname, '/callback'], statuses),
      });
      assert.deepEqual([outcome, statuses], [token, [404, 404, 200]]);
      assert.notEqual(registeredAt(bodies, evil).pathname, honest.pathname);
      assert.equal(new URLSearchParams(bodies.get(`${evil}/token`)).get('code'), 'own');
    });

    it('a client that was registered without us keeps the one address that stands there', async () => {
      const statuses: number[] = [];
      const desk: SignInDesk = {
        ...deskThatIsLed([], statuses),
        client: (at) => Promise.resolve({ issuer: at, id: 'entered', secret: null }),
      };
      const { outcome, bodies } = await hostile.attempt({
        answers: said({ registration_endpoint: undefined }),
        desk,
      });
      const sent = new URLSearchParams(bodies.get(`${issuer}/token`));
      assert.deepEqual([outcome, statuses], [token, [200]]);
      assert.match(sent.get('redirect_uri') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/u);
    });

    it('an address that is pasted has to be where the browser was told to come', async () => {
      const pasting = (other: boolean): SignInDesk => {
        const pages: string[] = [];
        return {
          ...deskOf(pages),
          land: (place) =>
            Promise.resolve(
              brought(
                place,
                () => {
                  const { searchParams } = new URL(pages[0] ?? '');
                  const own = searchParams.get('redirect_uri') ?? '';
                  const state = searchParams.get('state') ?? '';
                  const back = new URL(other ? '/callback' : own, own);
                  back.search = new URLSearchParams({ code: 'c', state }).toString();
                  return Promise.resolve(back.href);
                },
                () => new Error('not given'),
              ),
            ),
        };
      };
      const right = await hostile.attempt({ desk: pasting(false) });
      assert.deepEqual(right.outcome, token);
      const wrong = await hostile.attempt({ desk: pasting(true) });
      assert.equal(wrong.outcome, 'wrong-answer');
      assert.equal(wrong.asked.includes(`${issuer}/token`), false);
    });
  });
});
