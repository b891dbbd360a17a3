/** Where a line of log goes: an output channel in the editor, stderr on the command line. */
export interface Log {
  info(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}
