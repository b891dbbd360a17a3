import { createCore } from 'gbs-agent-core';
import { use } from '../use.mjs';
console.log(await use(createCore()));
