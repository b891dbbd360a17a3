/** A row of a tree view, as data. The description begins with the state and its reason. */
export interface TreeNode {
  /** Unique in its tree and stable, so that what is unfolded stays so. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  /** A codicon. */
  readonly icon: string;
  /** A theme colour, or null for the ordinary one. */
  readonly color: string | null;
  /** Words that the menus of the manifest look for, such as `server running log`. */
  readonly context: string;
  /** What is opened by choosing the row; absolute path, line from 1. */
  readonly place: { readonly path: string; readonly line: number } | null;
  /** Show the number of problems of the file at `place`. */
  readonly problems: boolean;
  /** Unfolded at first. */
  readonly open: boolean;
  readonly children: readonly TreeNode[];
  /** What commands on the row are about: a server's or a skill's name, or empty. */
  readonly subject: string;
}

/** A row; what is left out is empty. */
export function node(parts: Partial<TreeNode> & Pick<TreeNode, 'id' | 'label' | 'icon'>): TreeNode {
  return {
    description: '',
    tooltip: '',
    color: null,
    context: '',
    place: null,
    problems: false,
    open: false,
    children: [],
    subject: '',
    ...parts,
  };
}

/** Theme colours of states. */
export const color = {
  good: 'testing.iconPassed',
  waits: 'list.warningForeground',
  bad: 'list.errorForeground',
  muted: 'disabledForeground',
} as const;
