/** **Which Skill Fits…**: the ranking for a sentence and, if the user wants, what the model picks. */
import * as vscode from 'vscode';
import type { Core } from '../core.ts';
import { WHICH_ANSWER_CHARS } from '../limits.ts';
import type { Provider } from '../models/provider.ts';
import type { SkillsView } from '../skills/skills.ts';
import { pickByModel, rankSkills, type Picked, type RankedSkill } from '../skills/which.ts';

export interface WhichSkillParts {
  readonly core: Core;
  view(): Promise<SkillsView>;
  /** The model server in use, or null when the user does not want to send anything to it. */
  provider(): Promise<Provider | null>;
  /** The model in use; empty where none is known. */
  model(): string;
  open(name: string): Promise<void>;
}

interface Item extends vscode.QuickPickItem {
  readonly go?: () => Promise<void>;
}

const { l10n, window } = vscode;

export async function whichSkill(parts: WhichSkillParts): Promise<void> {
  const sentence = await window.showInputBox({
    title: l10n.t('Which skill fits?'),
    prompt: l10n.t('Say what you want to do, as you would in the chat.'),
    ignoreFocusOut: true,
  });
  if (!sentence?.trim()) return;
  await show(parts, await parts.view(), sentence, null);
}

async function show(
  parts: WhichSkillParts,
  view: SkillsView,
  sentence: string,
  picked: Picked | null,
): Promise<void> {
  const ranked = rankSkills(parts.core, view, sentence);
  const items: Item[] = ranked.map((skill) => rankedItem(parts, skill, picked));
  if (picked?.name != null && !ranked.some(({ name }) => name === picked.name)) {
    const name = picked.name;
    items.unshift({
      label: `$(chip) ${name}`,
      description: l10n.t('the model picks it; no word of it stands in your sentence'),
      go: () => parts.open(name),
    });
  }
  if (ranked.length === 0) items.push({ label: l10n.t('No skill has these words.') });
  items.push({ label: '', kind: vscode.QuickPickItemKind.Separator });
  if (picked === null) {
    items.push({
      label: `$(chip) ${l10n.t('Ask the model')}`,
      description: parts.model(),
      detail: l10n.t('It sees the same lines as in a chat, and your sentence.'),
      go: async () => {
        const answer = await ask(parts, view, sentence);
        if (answer !== null) await show(parts, view, sentence, answer);
      },
    });
  } else if (picked.name === null) {
    items.push({
      label: l10n.t('The model picks none.'),
      detail: parts.core.visibleText(picked.answer).slice(0, WHICH_ANSWER_CHARS),
    });
  }
  const chosen = await window.showQuickPick(items, {
    title: l10n.t('Which skill fits?'),
    placeHolder: sentence,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.go?.();
}

function rankedItem(parts: WhichSkillParts, skill: RankedSkill, picked: Picked | null): Item {
  const isPicked = picked?.name === skill.name;
  const notes = [
    l10n.t('{0} points', skill.score),
    ...(isPicked ? [l10n.t('the model picks it')] : []),
    ...(skill.state === 'heldBack' ? [l10n.t('waits for you')] : []),
  ];
  return {
    label: isPicked ? `$(chip) ${skill.name}` : skill.name,
    description: notes.join(', '),
    detail: parts.core.visibleText(skill.description),
    go: () => parts.open(skill.name),
  };
}

/** Null when the user does not want to ask after all. */
async function ask(
  parts: WhichSkillParts,
  view: SkillsView,
  sentence: string,
): Promise<Picked | null> {
  const provider = await parts.provider();
  if (provider === null) return null;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: l10n.t('Asking the model which skill fits'),
    cancellable: true,
  };
  return window.withProgress(options, async (_, token) => {
    const stop = new AbortController();
    const cancelled = token.onCancellationRequested(() => stop.abort());
    try {
      return await pickByModel({ provider, model: parts.model() }, view, sentence, stop.signal);
    } catch (error) {
      if (stop.signal.aborted) return null;
      throw error;
    } finally {
      cancelled.dispose();
    }
  });
}
