/** Who is signed in to servers, as the command line keeps it. */
import { join } from 'node:path';
import { FileSecrets } from '../mcp/oauth/secret-store.ts';
import { SignIns } from '../mcp/oauth/sign-ins.ts';
import type { CliParts } from './parts.ts';

export function signInsOf(parts: Pick<CliParts, 'state' | 'log' | 'settings'>): SignIns {
  return new SignIns({
    store: new FileSecrets(join(parts.state.root, 'sign-ins')),
    log: parts.log,
    clientDocument: () => parts.settings().mcpClientDocument,
  });
}
