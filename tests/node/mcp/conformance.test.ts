/** The public conformance suite against our client, every scenario that applies, in each revision it has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Conformance } from './conformance.ts';
import { root } from './set.ts';

/** Scenarios that do not apply; `docs/mcp-client.md` says why. */
const leftOut = new Set([
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
]);

/** Scenarios that run at once. */
const AT_ONCE = 2;

const limits = { timeout: 600_000, concurrency: AT_ONCE };

describe('the conformance suite for clients', limits, async () => {
  const suite = await Conformance.make();
  after(() => suite.remove());
  const scenarios = await suite.scenarios();

  test('what is left out is there, and the documentation says why', () => {
    const names = new Set(scenarios.map(({ name }) => name));
    const page = readFileSync(join(root, 'docs/mcp-client.md'), 'utf8');
    for (const name of leftOut) {
      assert.ok(names.has(name), `the suite has no ${name}`);
      assert.ok(page.includes(`\`${name}\``), `docs/mcp-client.md says nothing of ${name}`);
    }
  });

  for (const { name, revisions } of scenarios.filter(({ name }) => !leftOut.has(name))) {
    for (const revision of revisions.length === 0 ? [null] : revisions) {
      test(`${name}${revision === null ? '' : `, ${revision}`}`, async () => {
        const { checks, said } = await suite.run(name, revision);
        const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
        const passed = checks.filter(({ status }) => status === 'SUCCESS');
        assert.deepEqual(bad, [], said);
        assert.ok(passed.length > 0, `nothing was checked:\n${said}`);
      });
    }
  }
});
