import gbs = require('gbs-agent-core');

const core: gbs.Core = gbs.createCore();
const session: InstanceType<gbs.Core['Session']> = new core.Session({
  clientInfo: { name: 'consumer', version: '1' },
});
const effects: gbs.Effects = session.start();
console.log(effects.map((effect) => effect.kind).join());
