/**
 * Two tools in the place of many: when the definitions of all servers' tools would take too much of
 * the context window, the model searches them by words and calls what it found by name.
 */
import { matchName } from '../agent/names.ts';
import { ToolRefusal, type Arguments, type Tool } from '../agent/tool.ts';
import type { Core } from '../core.ts';
import { SEARCH_RESULTS } from '../limits.ts';

export function deferredTools(core: Core, tools: readonly Tool[]): readonly Tool[] {
  return [searchTool(core, tools), callTool(tools)];
}

function serversOf(tools: readonly Tool[]): string {
  const names = tools.map(({ origin }) => (origin.kind === 'mcp' ? origin.server : ''));
  return [...new Set(names)].map((name) => JSON.stringify(name)).join(', ');
}

function searchTool(core: Core, tools: readonly Tool[]): Tool {
  const index = new core.SkillIndex(
    tools.map(({ name, description, origin }) => ({
      id: name,
      name: origin.kind === 'mcp' ? origin.tool : name,
      description,
      tags: origin.kind === 'mcp' ? [origin.server] : [],
    })),
  );
  const search = (query: string): string => {
    const hits = core.searchSkills(index, query, SEARCH_RESULTS);
    const found = hits.flatMap(({ id }) => tools.filter((tool) => tool.name === id));
    if (found.length === 0) {
      return `No tool fits these words. There are ${tools.length}: ${tools.map(({ name }) => name).join(', ')}`;
    }
    const shown = found.map(
      (tool) => `## ${tool.name}\n${tool.description}\nInput (JSON Schema): ${tool.parameters}`,
    );
    return `${shown.join('\n\n')}\n\nCall one with mcp_call.`;
  };
  return {
    name: 'mcp_search',
    description: `Finds tools by words. There are ${tools.length}, of the servers ${serversOf(tools)}. Gives their names and inputs; then use mcp_call.`,
    parameters:
      '{"type":"object","properties":{"query":{"type":"string","description":"Words for what is to be done."}},"required":["query"]}',
    origin: { kind: 'mcp', server: '', tool: 'mcp_search' },
    parallel: true,
    readOnly: false,
    line: (args) => ({ icon: 'search', verb: 'Searched tools', object: String(args.query) }),
    subject: () => Promise.resolve({ kind: 'harmless' }),
    run: (args) => Promise.resolve({ text: search(String(args.query)), isError: false }),
  };
}

function callTool(tools: readonly Tool[]): Tool {
  const resolve = (args: Arguments): { readonly tool: Tool; readonly args: Arguments } => {
    const names = tools.map(({ name }) => name);
    const name = matchName(String(args.name), names);
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      throw new ToolRefusal(
        `There is no tool ${JSON.stringify(args.name)}. Find its name with mcp_search.`,
      );
    }
    return { tool, args: innerArguments(args.arguments) };
  };
  const refused = (): never => {
    throw new ToolRefusal('mcp_call stands for another tool and does nothing by itself.');
  };
  return {
    name: 'mcp_call',
    description: 'Calls a tool that mcp_search found.',
    parameters:
      '{"type":"object","properties":{"name":{"type":"string","description":"A name that mcp_search gave."},"arguments":{"type":"object","description":"The input of that tool."}},"required":["name","arguments"]}',
    origin: { kind: 'mcp', server: '', tool: 'mcp_call' },
    parallel: false,
    readOnly: false,
    resolve,
    line: (args) => ({ icon: 'server', verb: 'Called', object: String(args.name) }),
    subject: () => Promise.reject(new ToolRefusal('mcp_call was not resolved.')),
    run: () => Promise.resolve(refused()),
  };
}

/** Small models write the inner object as text now and then. */
function innerArguments(given: unknown): Arguments {
  let value = given;
  if (typeof given === 'string') {
    try {
      value = JSON.parse(given);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new ToolRefusal('"arguments" is text and no JSON object. Give it as an object.');
    }
  }
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return { ...value };
  throw new ToolRefusal('"arguments" must be a JSON object.');
}
