export const localModelName: string;
/** Why it cannot run here, in a sentence; null when it can. */
export function localModelMissing(): string | null;
/** Installs server and model once; at once when they are there. */
export function installLocalModel(): Promise<void>;
export interface LocalModel {
  readonly url: string;
  /** `url` + `/v1`. */
  readonly baseUrl: string;
  stop(): Promise<void>;
}
/** With `template` the model calls tools natively; without it, its own template drops them. */
export function startLocalModel(options?: {
  readonly template?: boolean;
  readonly threads?: number;
  readonly context?: number;
}): Promise<LocalModel>;
