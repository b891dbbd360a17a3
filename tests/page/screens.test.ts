/** Every state in every theme and at two widths: nothing for axe to find, no breach of the policy. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Bed, themes } from './bed.ts';
import { transcriptOf } from './sample-turn.ts';
import { moreScenes } from './more-scenes.ts';
import { scenes, type Scene } from './scenes.ts';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let bed: Bed;
let axe: string;
before(async () => {
  axe = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  bed = await Bed.open();
});
after(() => bed.close());

async function show(scene: Scene): Promise<void> {
  await bed.fresh();
  await bed.page.evaluate(axe);
  await bed.start({
    transcript: transcriptOf(scene.events),
    ...(scene.status === undefined ? {} : { status: scene.status }),
    ...(scene.draft === undefined ? {} : { draft: scene.draft }),
    ...(scene.images === undefined ? {} : { images: scene.images }),
  });
  if (scene.then !== undefined) await bed.send(...scene.then);
  await bed.armed();
  for (const selector of scene.clicks ?? []) {
    await bed.page.locator(selector).first().click();
    await bed.drawn();
  }
  if (scene.answers !== undefined) await bed.send(...scene.answers);
  if (scene.types !== undefined) await bed.page.keyboard.type(scene.types);
  if (scene.offers !== undefined) {
    const asked = (await bed.said()).findLast(({ type }) => type === 'complete');
    assert.ok(asked?.type === 'complete');
    await bed.send({ type: 'completions', request: asked.request, items: scene.offers });
  }
  await bed.drawn();
  await bed.page.mouse.move(0, 0);
}

for (const scene of [...scenes, ...moreScenes]) {
  test(`${scene.name}: nothing for axe, and screenshots`, { timeout: 60_000 }, async () => {
    await bed.page.setViewportSize({ width: 340, height: 760 });
    await show(scene);
    const found: string[] = [];
    for (const width of [340, 300, 800]) {
      await bed.page.setViewportSize({ width, height: 760 });
      await bed.drawn();
      assert.equal(
        await bed.page.evaluate('document.documentElement.scrollWidth'),
        width,
        'the page never scrolls sideways',
      );
      assert.deepEqual(
        await bed.page.evaluate(
          `Array.from(document.querySelectorAll('.foot .pick span'))
            .filter((span) => span.scrollWidth > span.clientWidth)
            .map((span) => span.textContent)`,
        ),
        [],
        'the line under the composer is never cut',
      );
      assert.deepEqual(
        await bed.page.evaluate(
          `Array.from(document.querySelectorAll('gbs-card footer vscode-button'))
            .filter((button) => !/\\S/.test(button.querySelector('.key')?.textContent ?? ''))
            .map((button) => button.textContent)`,
        ),
        [],
        'every action of a card has a key that is seen',
      );
      for (const theme of themes) {
        await bed.theme(theme);
        await bed.drawn();
        if (width === 340 && theme !== 'hc-light') await bed.shot(`${scene.name}-${theme}`);
        else if (width === 800 && theme === 'dark') await bed.shot(`${scene.name}-wide-${theme}`);
        if (width === 340) continue;
        const violations: readonly Violation[] = await bed.page.evaluate(
          'axe.run(document).then(({ violations }) => violations)',
        );
        for (const { id, nodes } of violations)
          for (const node of nodes)
            found.push(
              `${theme} ${width}: ${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`,
            );
      }
    }
    assert.deepEqual(found, []);
    assert.deepEqual(await bed.violations(), []);
    assert.deepEqual(
      (await bed.said()).filter(({ type }) => type === 'problem'),
      [],
    );
  });
}
