/** Adds servers to a file, one after the other: keeps-servers.ts FILE NAME COUNT */
import { keepServer } from '../../../../extension/mcp/keep-server.ts';

async function main(): Promise<void> {
  const [path = '', name = '', count = '0'] = process.argv.slice(2);
  for (let n = 0; n < Number(count); n += 1) {
    const kept = await keepServer({ path, within: null }, `${name}${n}`, { command: name });
    if (kept.kind !== 'kept') throw new Error(kept.message);
  }
}

void main();
