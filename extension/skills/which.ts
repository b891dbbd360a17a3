/** Which skill fits a sentence: the ranking by words, and what a model picks by the lines it is told. */
import type { Core, SkillState } from '../core.ts';
import { WHICH_ANSWER_TOKENS, WHICH_SHOWN } from '../limits.ts';
import type { Provider } from '../models/provider.ts';
import type { SkillsView } from './skills.ts';

export interface RankedSkill {
  readonly name: string;
  /** As `searchSkills` of the core counts; higher fits better. */
  readonly score: number;
  readonly description: string;
  readonly state: SkillState;
  /** Absolute folder. */
  readonly path: string;
}

/** Best first; skills that cannot be used, or that another one shadows, are not ranked. */
export function rankSkills(
  core: Pick<Core, 'SkillIndex' | 'searchSkills'>,
  view: SkillsView,
  sentence: string,
  most = WHICH_SHOWN,
): readonly RankedSkill[] {
  const usable = view.skills.filter(
    ({ report }) => report.state !== 'unusable' && report.state !== 'shadowed',
  );
  const index = new core.SkillIndex(
    // By place: one that waits and the one it would shadow have the same name.
    usable.map(({ report, record }, place) => ({
      id: String(place),
      name: report.name,
      description: record.parsed.description ?? '',
      tags: [...record.parsed.fields.tags],
    })),
  );
  try {
    return core.searchSkills(index, sentence, most).flatMap(({ id, score }) => {
      const entry = usable[Number(id)];
      if (entry === undefined) return [];
      const { record, report } = entry;
      const description = record.parsed.description ?? '';
      return [{ name: report.name, score, description, state: report.state, path: record.path }];
    });
  } finally {
    index.free();
  }
}

export interface Picked {
  /** A skill of the catalogue, or null: the model takes none, or named something else. */
  readonly name: string | null;
  /** What it wrote, without blanks around it. */
  readonly answer: string;
}

/**
 * What the model picks: it sees the very lines that a run shows it, so a description that misleads it
 * here misleads it there. Throws `ModelError`, or the signal's reason.
 */
export async function pickByModel(
  { provider, model }: { readonly provider: Provider; readonly model: string },
  view: SkillsView,
  sentence: string,
  signal: AbortSignal,
): Promise<Picked> {
  const names = view.skills.flatMap(({ report }) =>
    report.state === 'full' || report.state === 'shortened' ? [report.name] : [],
  );
  const system = `${view.catalogue.block}\n\nSay which one of these skills you would load for the user's request: answer with its name alone, or with none.`;
  let answer = '';
  const request = {
    model,
    messages: [
      { role: 'system' as const, content: system },
      { role: 'user' as const, content: sentence },
    ],
    tools: [],
    temperature: 0,
    maxOutputTokens: WHICH_ANSWER_TOKENS,
  };
  for await (const delta of provider.chat(request, signal)) {
    if (delta.type === 'text') answer += delta.text;
  }
  answer = answer.trim();
  return { name: namedIn(answer, names), answer };
}

/** The one name that the answer is, or holds; null where it holds none or several. */
function namedIn(answer: string, names: readonly string[]): string | null {
  const words = new Set(answer.toLowerCase().match(/[a-z0-9]+(?:-[a-z0-9]+)*/g) ?? []);
  const held = names.filter((name) => words.has(name));
  return held.length === 1 ? (held[0] ?? null) : null;
}
