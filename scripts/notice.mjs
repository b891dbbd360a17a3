// node scripts/notice.mjs: writes NOTICE after the bundles were built; needed when a dependency changed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notice } from './lib/notice.mjs';
import { root } from './lib/paths.mjs';
import { main } from './lib/run.mjs';

main(async () => writeFileSync(join(root, 'NOTICE'), notice()));
