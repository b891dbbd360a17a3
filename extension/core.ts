/**
 * The one door to the wasm package. Nothing else imports it; everything else is handed a `Core`.
 */
import { createCore } from '../pkg/index.cjs';

export type * from '../pkg/index.cjs';
export { createCore };
