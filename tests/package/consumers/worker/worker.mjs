import { createCore } from '/node_modules/gbs-agent-core/web.mjs';
import { use } from '../use.mjs';
postMessage(await use(await createCore()));
