export interface ServedWorkbench {
  /** The page with the folder open. */
  readonly url: string;
  /** The home folder that the extension's processes see. */
  readonly home: string;
  /** The user data folder; logs are below it. */
  readonly data: string;
  /** The variables that the extension's processes see. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the server; the processes that run extensions are below it. */
  readonly pid: number;
  /** Ends the server and removes its folders. */
  close(): Promise<void>;
}
export function serveWorkbench(options: {
  /** Folder of the test bed. */
  readonly bed: string;
  /** Absolute path of the folder to open. */
  readonly folder: string;
  readonly vsix: readonly string[];
  /** User settings besides the ones that keep the workbench quiet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Restricted Mode is possible. */
  readonly trust?: boolean;
  /** Variables that the extension's processes see besides PATH and HOME. */
  readonly env?: Readonly<Record<string, string>>;
}): Promise<ServedWorkbench>;
