import { parentPort } from 'node:worker_threads';
import { createCore } from 'gbs-agent-core';
import { use } from '../use.mjs';
parentPort.postMessage(await use(createCore()));
