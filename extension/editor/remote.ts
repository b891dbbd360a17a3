/** Where the extension runs, by the editor's name for it. Pure. */
import type { Remote } from '../chat/protocol.ts';

/**
 * `name` is `vscode.env.remoteName`: `ssh-remote`, `wsl`, `dev-container`, `attached-container`,
 * `k8s-container`, `codespaces`, `tunnel`; a host and port where the editor is served to a browser.
 */
export function remoteOf(name: string | undefined): Remote | null {
  if (name === undefined) return null;
  if (/container|codespaces/.test(name)) return 'container';
  if (name === 'wsl') return 'wsl';
  return name.startsWith('ssh') ? 'ssh' : 'other';
}
