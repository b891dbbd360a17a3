import type { Core } from 'gbs-agent-core';
export function use(core: Core): Promise<string>;
