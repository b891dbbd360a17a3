/**
 * Completion, hover and quick fixes for MCP configuration files.
 * What the fields are stands in the JSON schema; here is what a schema cannot know.
 */
import * as vscode from 'vscode';
import type * as Authoring from '../mcp/config-authoring.ts';
import type { ConfigFix } from '../mcp/config-fixes.ts';
import type { Surroundings, VariableAbout } from '../mcp/config-hints.ts';
import { never } from '../never.ts';
import { configFiles, source } from './problem-panel.ts';

const { l10n } = vscode;

export class ConfigLanguage
  implements
    vscode.CompletionItemProvider,
    vscode.HoverProvider,
    vscode.CodeActionProvider,
    vscode.Disposable
{
  readonly #registered: vscode.Disposable;

  constructor() {
    const { languages, CodeActionKind } = vscode;
    this.#registered = vscode.Disposable.from(
      languages.registerCompletionItemProvider(configFiles, this, '$', '{', '<'),
      languages.registerHoverProvider(configFiles, this),
      languages.registerCodeActionsProvider(configFiles, this, {
        providedCodeActionKinds: [CodeActionKind.QuickFix],
      }),
    );
  }

  async provideCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.CompletionItem[]> {
    const { variablesAt } = await parser();
    const offset = document.offsetAt(position);
    const offers = variablesAt(document.getText(), offset, surroundings());
    return offers.map(({ form, about, from, to }, order) => {
      const item = new vscode.CompletionItem(form, vscode.CompletionItemKind.Variable);
      item.detail = words(about);
      item.range = new vscode.Range(document.positionAt(from), document.positionAt(to));
      item.filterText = form;
      item.sortText = String(order).padStart(4, '0');
      return item;
    });
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    const { variableAt } = await parser();
    const offset = document.offsetAt(position);
    const found = variableAt(document.getText(), offset, surroundings());
    if (found === null) return undefined;
    const range = new vscode.Range(document.positionAt(found.from), document.positionAt(found.to));
    // A name is letters, digits and underscores: nothing in it is Markdown.
    const text = new vscode.MarkdownString(`\`${found.name}\`: ${words(found.about)}`);
    return new vscode.Hover(text, range);
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    _: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    const ours = diagnostics.filter((each) => each.source === source);
    if (ours.length === 0) return [];
    const { configFixes } = await parser();
    const text = document.getText();
    return ours.flatMap((diagnostic) => {
      const { start, end } = diagnostic.range;
      const about = [document.offsetAt(start), document.offsetAt(end)] as const;
      return configFixes(String(diagnostic.code), text, about, surroundings()).map((fix) => {
        const action = new vscode.CodeAction(title(fix), vscode.CodeActionKind.QuickFix);
        action.diagnostics = [diagnostic];
        action.edit = new vscode.WorkspaceEdit();
        for (const { from, to, text: instead } of fix.edits) {
          const range = new vscode.Range(document.positionAt(from), document.positionAt(to));
          action.edit.replace(document.uri, range, instead);
        }
        return action;
      });
    });
  }

  dispose(): void {
    this.#registered.dispose();
  }
}

/** Read where it is first needed, from the bundle that reads JSON anyway. */
function parser(): Promise<typeof Authoring> {
  return import(/* webpackChunkName: "engine" */ '../mcp/config-authoring.ts');
}

function surroundings(): Surroundings {
  const set = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { environment: Object.fromEntries(set), ignoresCase: process.platform === 'win32' };
}

function words(about: VariableAbout): string {
  switch (about) {
    case 'workspaceFolder':
      return l10n.t('The folder of this workspace.');
    case 'userHome':
      return l10n.t('Your home folder.');
    case 'set':
      return l10n.t('Set in your environment. Its value is not shown.');
    case 'unset':
      return l10n.t('Not set, and without a default.');
    case 'default':
      return l10n.t('Not set, so its default is used.');
    default:
      return never(about);
  }
}

function title(fix: ConfigFix): string {
  switch (fix.kind) {
    case 'addDefault':
      return l10n.t('Add a default to {0}', fix.name);
    case 'write':
      return l10n.t('Write {0}', fix.text);
    case 'wrapInServers':
      return l10n.t('Put the servers in "mcpServers"');
    default:
      return never(fix);
  }
}
