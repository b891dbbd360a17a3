/** Stands for an editor: starts servers, says so, and waits to be killed. */
import { inMode, smallEnvironment, testSet } from '../set.ts';

const env = { ...smallEnvironment, GBS_MARK: process.argv[2] ?? '' };
const { start } = testSet({ after: () => undefined });
const modes = ['well', 'stubborn', 'grandchild'];
start(...modes.map((mode) => inMode(mode, { env }))).then(
  () => {
    process.stdout.write('ready\n');
    setInterval(() => undefined, 1000);
  },
  (error: unknown) => {
    throw error;
  },
);
