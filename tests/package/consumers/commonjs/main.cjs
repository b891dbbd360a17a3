'use strict';
const { createCore } = require('gbs-agent-core');
import('../use.mjs').then(async ({ use }) => console.log(await use(createCore())));
