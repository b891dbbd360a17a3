/** What the tests in a workbench share; apart from it, since a bench opens one as well. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Workbench } from './workbench.ts';

/** Tests that say what stood on the screen when they fail, in the workbench that is open then. */
export function screenTests(
  workbench: () => Workbench | undefined,
): (name: string, options: { readonly timeout: number }, run: () => Promise<void>) => void {
  return (name, options, run) => {
    void test(name, options, async () => {
      try {
        await run();
      } catch (error) {
        const seen = (await workbench()?.seen(`failed ${name}`)) ?? 'no workbench';
        throw new Error(`${String(error)}\nOn the screen:\n${seen}`, { cause: error });
      }
    });
  };
}

/** Waits until a file fits; `nudge` is done once a second meanwhile, such as a key that was dropped. */
export async function onDisk(
  path: string,
  wanted: RegExp,
  nudge: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (wanted.test(text)) return;
    if (tries > 300) assert.match(text, wanted, path);
    if (tries % 10 === 0) await nudge();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
