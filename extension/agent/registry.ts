/**
 * The tools there are now. They join and leave while the agent runs; a run takes the list as it
 * stands when it fixes its tools.
 */
import type { Tool } from './tool.ts';

export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  /** Adds a tool; false when the name is taken by another, which stays. */
  register(tool: Tool): boolean {
    if (this.#tools.has(tool.name)) return false;
    this.#tools.set(tool.name, tool);
    return true;
  }

  /** Takes a tool away; false when there was none. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  /** Takes all tools away whose name begins so, such as `mcp__tracker__`; gives their names. */
  unregisterByPrefix(prefix: string): readonly string[] {
    const names = [...this.#tools.keys()].filter((name) => name.startsWith(prefix));
    for (const name of names) this.#tools.delete(name);
    return names;
  }

  get(name: string): Tool | null {
    return this.#tools.get(name) ?? null;
  }

  /** In the order in which they joined. */
  list(): readonly Tool[] {
    return [...this.#tools.values()];
  }
}
