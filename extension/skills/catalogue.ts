/** The catalogue of skills on disk, made anew only when something of it is another. */
import type { Catalogue, CatalogueSource, Core } from '../core.ts';
import { SKILLS_USED } from '../limits.ts';
import type { SkillRecord } from './library.ts';
import type { SkillsFolder } from './sources.ts';

export class LastCatalogue {
  readonly #core: Pick<Core, 'buildCatalogue'>;
  #last: { readonly made: Catalogue; readonly of: readonly unknown[] } | null = null;

  constructor(core: Pick<Core, 'buildCatalogue'>) {
    this.#core = core;
  }

  /** `held` says of each record why it waits; null where it does not. */
  of(
    folders: readonly SkillsFolder[],
    records: readonly SkillRecord[],
    held: readonly (string | null)[],
    openFile: string | null,
    contextWindow: number,
  ): Catalogue {
    const named = folders.map(({ origin, label, path }) => [origin, label, path].join('\0'));
    // A record that did not change is the same object; so equal parts make the same catalogue.
    const of = [openFile, contextWindow, named.length, ...named, ...records, ...held];
    if (this.#last !== null && isSame(this.#last.of, of)) return this.#last.made;
    const sources = folders.map(({ origin, label, path }): CatalogueSource => {
      const skills: CatalogueSource['skills'][number][] = [];
      for (const [index, record] of records.entries()) {
        if (record.source.path === path) skills.push(catalogueSkill(record, held[index] ?? null));
      }
      return { origin, label, skills };
    });
    const options = { openFile, contextWindow, limit: SKILLS_USED };
    const made = this.#core.buildCatalogue(sources, options);
    this.#last = { made, of };
    return made;
  }
}

function isSame(before: readonly unknown[], now: readonly unknown[]): boolean {
  return before.length === now.length && before.every((each, index) => each === now[index]);
}

function catalogueSkill(
  { path, parsed }: SkillRecord,
  heldBack: string | null,
): CatalogueSource['skills'][number] {
  const { usable, name, description, fields, problems } = parsed;
  return { path, usable, name, description, fields, problems, heldBack };
}
