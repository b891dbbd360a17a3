/**
 * Draws a list of nodes as a tree view: only what a tree item can show. What a node says is made
 * elsewhere, without the editor, and tested there.
 */
import * as vscode from 'vscode';
import type { TreeNode } from './tree-node.ts';

export class Tree implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #read: () => Promise<readonly TreeNode[]>;
  #parents = new Map<string, TreeNode>();

  /** `read` is asked when the view is shown and after `refresh`. */
  constructor(read: () => Promise<readonly TreeNode[]>) {
    this.#read = read;
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  async getChildren(parent?: TreeNode): Promise<TreeNode[]> {
    if (parent !== undefined) return [...parent.children];
    const nodes = await this.#read();
    this.#parents = new Map();
    const note = (node: TreeNode): void => {
      for (const child of node.children) {
        this.#parents.set(child.id, node);
        note(child);
      }
    };
    nodes.forEach(note);
    return [...nodes];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#parents.get(node.id);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const { TreeItemCollapsibleState: fold } = vscode;
    const collapsible = node.open ? fold.Expanded : fold.Collapsed;
    const item = new vscode.TreeItem(
      node.label,
      node.children.length === 0 ? fold.None : collapsible,
    );
    item.id = node.id;
    item.description = node.description;
    // Plain text: what others wrote is never read as Markdown.
    item.tooltip = node.tooltip;
    item.contextValue = node.context;
    item.iconPath = new vscode.ThemeIcon(
      node.icon,
      node.color === null ? undefined : new vscode.ThemeColor(node.color),
    );
    item.accessibilityInformation = { label: `${node.label}, ${node.description}` };
    if (node.place !== null) {
      const uri = vscode.Uri.file(node.place.path);
      const at = new vscode.Position(Math.max(0, node.place.line - 1), 0);
      const options: vscode.TextDocumentShowOptions = { selection: new vscode.Range(at, at) };
      item.command = { command: 'vscode.open', title: '', arguments: [uri, options] };
      if (node.problems) item.resourceUri = uri;
    } else if (/^skill\b.*\bserver\b/.test(node.context)) {
      item.command = { command: 'gbsAgent.skill.open', title: '', arguments: [node] };
    }
    return item;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
