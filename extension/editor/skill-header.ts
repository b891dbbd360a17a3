/** Completion and hover for the fields of a SKILL.md's header. */
import * as vscode from 'vscode';
import { headerPlace, skillFields, type SkillField } from '../skills/fields.ts';

const skillFiles: vscode.DocumentSelector = {
  scheme: 'file',
  pattern: '**/[sS][kK][iI][lL][lL].[mM][dD]',
};

export class SkillHeader
  implements vscode.CompletionItemProvider, vscode.HoverProvider, vscode.Disposable
{
  readonly #registered: vscode.Disposable;

  constructor() {
    this.#registered = vscode.Disposable.from(
      vscode.languages.registerCompletionItemProvider(skillFiles, this),
      vscode.languages.registerHoverProvider(skillFiles, this),
    );
  }

  provideCompletionItems(
    document: vscode.TextDocument,
    { line, character }: vscode.Position,
  ): vscode.CompletionItem[] {
    const place = headerPlace(document.getText(), line, character);
    if (place.kind !== 'key') return [];
    const text = document.lineAt(line).text;
    const range = new vscode.Range(line, 0, line, place.key.length);
    const hasColon = text.slice(place.key.length).trimStart().startsWith(':');
    return skillFields
      .filter(({ name }) => !place.present.has(name))
      .map((field, order) => {
        const item = new vscode.CompletionItem(field.name, vscode.CompletionItemKind.Property);
        item.detail = field.required ? vscode.l10n.t('required') : '';
        item.documentation = aboutOf(field);
        // In the order of the list: what is needed comes first.
        item.sortText = String(order).padStart(2, '0');
        item.range = range;
        const gap = field.snippet.startsWith('\n') ? ':' : ': ';
        item.insertText = hasColon
          ? field.name
          : new vscode.SnippetString(`${field.name}${gap}${field.snippet}`);
        return item;
      });
  }

  provideHover(
    document: vscode.TextDocument,
    { line, character }: vscode.Position,
  ): vscode.Hover | undefined {
    const place = headerPlace(document.getText(), line, character);
    if (place.kind !== 'key') return undefined;
    const field = skillFields.find(({ name }) => name === canonical(place.key));
    return field && new vscode.Hover(aboutOf(field));
  }

  dispose(): void {
    this.#registered.dispose();
  }
}

function aboutOf({ about }: SkillField): vscode.MarkdownString {
  const translated = vscode.l10n.bundle?.[about];
  return new vscode.MarkdownString(typeof translated === 'string' ? translated : about);
}

/** Other spellings that are read as the same field. */
function canonical(key: string): string {
  switch (key) {
    case 'auto_attach':
    case 'paths':
    case 'globs':
      return 'autoAttach';
    case 'user-invokable':
      return 'user-invocable';
    default:
      return key;
  }
}
