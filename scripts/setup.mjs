// npm run setup: brings what the build needs, and says what it did.
import { main } from './lib/run.mjs';
import { setupBuild } from './lib/setup.mjs';

main(setupBuild);
