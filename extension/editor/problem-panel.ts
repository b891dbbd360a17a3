/**
 * Findings about SKILL.md and MCP configuration files → the Problems panel, with quick fixes.
 *
 * In: problems by file, each with the version of the document they were found in. Deliberately not
 * here: who finds them.
 */
import * as vscode from 'vscode';
import type { Position, Problem, Severity, TextEdit } from '../core.ts';
import { never } from '../never.ts';
import type { SkillFix } from '../skills/fixes.ts';
import { fixTitle } from './words.ts';

export const source = 'GBS Agent';

/** Configuration files of servers. */
export const configFiles: readonly vscode.DocumentFilter[] = [
  '**/.mcp.json',
  '**/.gbs/mcp.json',
  '**/.claude/mcp.json',
].map((pattern) => ({ scheme: 'file', pattern }));

/** The files we know about. The name is compared without case: `skill.md` is accepted too. */
export const ourFiles: readonly vscode.DocumentFilter[] = [
  { scheme: 'file', pattern: '**/[sS][kK][iI][lL][lL].[mM][dD]' },
  ...configFiles,
];

/** Findings that VS Code's own validators make too; where they do, ours is not repeated. */
const saidByEditor = new Set(['name-differs-from-folder', 'missing-description', 'invalid-json']);

/** What others say about a file says this too. */
function isSaid({ code, start }: Problem, others: readonly vscode.Diagnostic[]): boolean {
  if (!saidByEditor.has(code)) return false;
  // A bracket that is never closed is missed at the end of the file by one, where it stands by the other.
  return code === 'invalid-json'
    ? others.some(
        (other) =>
          /^jsonc?$/.test(other.source ?? '') && other.severity === vscode.DiagnosticSeverity.Error,
      )
    : others.some((other) => other.range.start.line === place(start).line);
}

export interface FileProblems {
  /** Absolute. */
  readonly path: string;
  readonly problems: readonly Problem[];
}

interface Found {
  readonly problems: readonly Problem[];
  /** The version of the open document, or null when they were found in the file on disk. */
  readonly version: number | null;
}

/** What can be done about a finding. */
export type FixesOf = (
  document: vscode.TextDocument,
  problem: Problem,
) => Promise<readonly SkillFix[]>;

/** Not in the manifest: only a quick fix calls it. */
const saveAsUtf8 = 'gbsAgent.fix.saveAsUtf8';

/** Who found problems: each replaces its own findings only. */
export type Finder = 'skills' | 'servers';

export class ProblemPanel implements vscode.CodeActionProvider, vscode.Disposable {
  readonly #collection = vscode.languages.createDiagnosticCollection('gbs-agent');
  readonly #found: Record<Finder, Map<string, Found>> = { skills: new Map(), servers: new Map() };
  /** What stands in the collection, by file: setting it again would call this back without end. */
  readonly #drawn = new Map<string, string>();
  readonly #disposables: vscode.Disposable[];
  readonly #fixes: FixesOf;

  /** `fixes` gives those of a finding in a document, which stands as it was found in. */
  constructor(fixes: FixesOf) {
    this.#fixes = fixes;
    this.#disposables = [
      this.#collection,
      vscode.languages.registerCodeActionsProvider(ourFiles, this, {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
      vscode.commands.registerCommand(saveAsUtf8, encodeAgain),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) if (this.#repeats(uri)) this.#draw(uri);
      }),
    ];
  }

  /** All findings in files on disk; an open document with changes keeps its own. */
  setAll(finder: Finder, files: readonly FileProblems[]): void {
    const before = this.#found[finder];
    const after = new Map<string, Found>();
    const open = new Map(vscode.workspace.textDocuments.map((doc) => [doc.uri.toString(), doc]));
    for (const { path, problems } of files) {
      const key = vscode.Uri.file(path).toString();
      after.set(key, { problems, version: null });
    }
    for (const [key, found] of before) {
      if (open.get(key)?.isDirty === true) after.set(key, found);
    }
    this.#found[finder] = after;
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      this.#draw(vscode.Uri.parse(key));
    }
  }

  /** The findings in an open document as it stands. */
  setDocument(finder: Finder, document: vscode.TextDocument, problems: readonly Problem[]): void {
    this.#found[finder].set(document.uri.toString(), { problems, version: document.version });
    this.#draw(document.uri);
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    at: vscode.Range,
  ): Promise<vscode.CodeAction[]> {
    const here = this.#of(document.uri)
      .filter(({ version }) =>
        // Found in another text than the one that stands there, its places may be wrong.
        version === null ? !document.isDirty : version === document.version,
      )
      .flatMap(({ problems }) => problems)
      .filter((problem) => range(problem).intersection(at) !== undefined);
    const actions: vscode.CodeAction[] = [];
    const seen = new Set<string>();
    for (const problem of here) {
      // Findings of one kind at one place have one fix, and each look for it reads the file.
      const { start, end } = range(problem);
      const place = [problem.code, start.line, start.character, end.line, end.character].join();
      if (seen.has(place)) continue;
      seen.add(place);
      const fixes = await this.#fixes(document, problem);
      actions.push(...fixes.map((fix) => action(document, problem, fix)));
    }
    return actions;
  }

  dispose(): void {
    for (const each of this.#disposables) each.dispose();
  }

  #of(uri: vscode.Uri): Found[] {
    const key = uri.toString();
    return [this.#found.skills.get(key), this.#found.servers.get(key)].filter(
      (found) => found !== undefined,
    );
  }

  #draw(uri: vscode.Uri): void {
    const others = this.#others(uri);
    const shown = this.#of(uri)
      .flatMap(({ problems }) => problems)
      .filter((problem) => !isSaid(problem, others));
    const text = JSON.stringify(shown);
    const key = uri.toString();
    if ((this.#drawn.get(key) ?? '[]') === text) return;
    this.#drawn.set(key, text);
    this.#collection.set(uri, shown.map(diagnostic));
  }

  /** True when what is shown of a file no longer fits what others say about it. */
  #repeats(uri: vscode.Uri): boolean {
    return this.#of(uri).some(({ problems }) =>
      problems.some(({ code }) => saidByEditor.has(code)),
    );
  }

  #others(uri: vscode.Uri): vscode.Diagnostic[] {
    return vscode.languages.getDiagnostics(uri).filter((each) => each.source !== source);
  }
}

/**
 * Writes a file again as UTF-8 without a byte order mark. It is decoded by the mark that it has; without
 * one, what is no UTF-8 is Windows-1252, in which every byte is a character.
 */
async function encodeAgain(uri: vscode.Uri): Promise<void> {
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === `${uri}`);
  if (open?.isDirty === true && !(await open.save())) return;
  const bytes = await vscode.workspace.fs.readFile(uri);
  const [first, second] = bytes;
  const marked =
    first === 0xff && second === 0xfe
      ? 'utf-16le'
      : first === 0xfe && second === 0xff
        ? 'utf-16be'
        : null;
  const encoding = marked ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  const text = new TextDecoder(encoding).decode(bytes);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function diagnostic(problem: Problem): vscode.Diagnostic {
  const drawn = new vscode.Diagnostic(range(problem), problem.message, severity(problem.severity));
  drawn.source = source;
  drawn.code = problem.code;
  return drawn;
}

function severity(of: Severity): vscode.DiagnosticSeverity {
  switch (of) {
    case 'error':
      return vscode.DiagnosticSeverity.Error;
    case 'warning':
      return vscode.DiagnosticSeverity.Warning;
    case 'info':
      return vscode.DiagnosticSeverity.Information;
    default:
      return never(of);
  }
}

function action(document: vscode.TextDocument, problem: Problem, fix: SkillFix): vscode.CodeAction {
  const title = fixTitle(fix.title);
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.diagnostics = [diagnostic(problem)];
  made.edit = new vscode.WorkspaceEdit();
  switch (fix.kind) {
    case 'splitBody': {
      const file = vscode.Uri.joinPath(document.uri, '..', fix.file);
      made.edit.createFile(file, { contents: new TextEncoder().encode(fix.text) });
      replaceAll(made.edit, document, fix.edits);
      break;
    }
    case 'edit':
      replaceAll(made.edit, document, fix.edits);
      break;
    case 'renameFile':
      made.edit.renameFile(document.uri, vscode.Uri.joinPath(document.uri, '..', fix.to));
      break;
    case 'renameFolder': {
      const folder = vscode.Uri.joinPath(document.uri, '..');
      made.edit.renameFile(folder, vscode.Uri.joinPath(folder, '..', fix.to));
      break;
    }
    case 'saveAsUtf8':
      made.command = { command: saveAsUtf8, title, arguments: [document.uri] };
      break;
    default:
      never(fix);
  }
  return made;
}

function replaceAll(
  into: vscode.WorkspaceEdit,
  document: vscode.TextDocument,
  edits: readonly TextEdit[],
): void {
  for (const { start, end, text } of edits) {
    into.replace(document.uri, new vscode.Range(place(start), place(end)), text);
  }
}

function range(problem: Problem): vscode.Range {
  return new vscode.Range(place(problem.start), place(problem.end));
}

/** Ours count from 1. */
function place({ line, column }: Position): vscode.Position {
  return new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
}
