/** What a command of the agent inherits: the user's environment without the editor's own variables. */

/** They change how the editor's own programs behave, and would do so in a child. */
const EDITORS = /^(?:VSCODE_|ELECTRON_|CHROME_|APPLICATION_INSIGHTS|RIPGREP_CONFIG_PATH$)/iu;

export function childEnvironment(
  environment: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !EDITORS.test(name));
  return {
    ...Object.fromEntries(kept),
    // Nothing waits for a key press that nobody gives, and nothing colours what a model reads.
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    PAGER: 'cat',
    TERM: 'dumb',
    NO_COLOR: '1',
    // Windows looks for programs in the current folder, which a repository fills.
    ...(platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {}),
  };
}
