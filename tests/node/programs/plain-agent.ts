/**
 * A second composition root: the agent as it would be if this project had no skills and no servers.
 * It loads the loop, the built-in tools and the model's side, and nothing of `skills/` or `mcp/`
 * (tests/tidy.rs: those rooms do not know these). `plain-request.test.ts` compares what it sends with
 * what `gbs run` sends.
 *
 *   plain-agent.ts BASE_URL STORAGE MODE MESSAGE      in the workspace folder
 */
import { join } from 'node:path';
import { AgentSession } from '../../../extension/agent/session.ts';
import { defaultSettings } from '../../../extension/agent/settings.ts';
import { createCore } from '../../../extension/core.ts';
import { OpenAiProvider } from '../../../extension/models/openai.ts';
import { StateFolder } from '../../../extension/state.ts';

async function main(): Promise<void> {
  const [baseUrl = '', storage = '', mode = '', message = ''] = process.argv.slice(2);
  const provider = new OpenAiProvider({ baseUrl, apiKey: '' });
  const [model] = await provider.models(AbortSignal.timeout(5000));
  if (!model) throw new Error('the model server has no model');
  const say = (text: string): void => {
    process.stderr.write(`${text}\n`);
  };
  const session = new AgentSession({
    core: createCore(),
    settings: () => ({
      ...defaultSettings,
      openaiBaseUrl: baseUrl,
      model: model.id,
      contextWindow: model.contextWindow ?? 0,
      permissionMode: mode === 'auto' ? 'auto' : 'acceptEdits',
    }),
    provider: () => provider,
    contributors: [],
    workspace: () => ({ folders: [process.cwd()], trusted: true, openFile: null }),
    ask: () => Promise.resolve({ answer: 'deny' }),
    emit: () => undefined,
    state: new StateFolder(join(storage, 'state')),
    log: { info: () => undefined, warn: say, error: say },
    environment: Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    platform: process.platform,
    storage,
  });
  const end = await session.send(message);
  await session.dispose();
  if (end.kind !== 'answered') throw new Error(`the turn ended with ${end.kind}`);
}

void main();
