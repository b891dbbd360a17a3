/**
 * The tool `skill`: levels 2 and 3. It reads what the user allowed and nothing else: a file whose bytes
 * are not those that were allowed is refused, whenever it changed.
 */
import type { Arguments, Subject, Tool, ToolContext, ToolResult } from '../agent/tool.ts';
import { ToolRefusal } from '../agent/tool.ts';
import type { Core, Disclosed, PartRequest } from '../core.ts';
import { SKILL_SUGGESTIONS } from '../limits.ts';
import type { LoadedTexts } from './loaded.ts';
import type { SkillRecord } from './library.ts';
import { addressOf, type ServerSkills, type SkillAddress } from './offered.ts';
import type { SkillEntry, Skills } from './skills.ts';
import { errorCode } from '../error-code.ts';

export interface SkillToolParts {
  readonly core: Core;
  readonly skills: Skills;
  /** As they stood when the run was prepared. */
  readonly entries: readonly SkillEntry[];
  readonly contextWindow: number;
  readonly loaded: LoadedTexts;
  /** Skills that the user loaded by `/name`; their further parts and files are the model's to load. */
  readonly invoked: ReadonlySet<string>;
  /** Looks for a skill that a server has at an address and need not list. */
  readonly atAddress?: ServerSkills['get'];
}

const description =
  'Loads a skill: instructions for a certain kind of task. With resource, a file that comes with it, by the path in its list of files. A long text comes in parts.';

const parameters = JSON.stringify({
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the skill.' },
    resource: { type: 'string', description: 'A file of the skill, such as references/api.md.' },
    part: { type: 'integer', description: 'Which part, from 1.' },
  },
  required: ['name'],
});

/** Skills that the model may load: told of or hidden, but allowed and used. */
export function loadable(
  entries: readonly SkillEntry[],
  invoked: ReadonlySet<string>,
): SkillEntry[] {
  return entries.filter(
    ({ report }) =>
      report.state === 'full' ||
      report.state === 'shortened' ||
      report.state === 'hidden' ||
      (report.state === 'userOnly' && invoked.has(report.name)),
  );
}

/** The first part of a skill that the user asked for, for their message; null when it cannot be read. */
export async function invokedText(
  { core, skills, contextWindow }: Pick<SkillToolParts, 'core' | 'skills' | 'contextWindow'>,
  { record, report }: SkillEntry,
  signal?: AbortSignal,
): Promise<{ readonly text: string; readonly measure: string } | null> {
  const read = await skills.file(record, record.fileName, signal);
  if (read.kind !== 'read') return null;
  const disclosed = core.loadBody({
    of: { name: report.name, origin: record.source.origin, part: 1, contextWindow },
    body: core.parseSkill(read.bytes, report.name).body,
    files: bundled(record),
  });
  if (disclosed.kind === 'refused') return null;
  return { text: disclosed.text, measure: measure(disclosed.part, disclosed.parts) };
}

export function skillTool(parts: SkillToolParts): Tool {
  const run = new SkillTool(parts);
  return {
    name: 'skill',
    description,
    parameters,
    origin: { kind: 'skill' },
    parallel: true,
    readOnly: true,
    line: (args) => {
      const name = text(args, 'name') ?? '';
      const resource = text(args, 'resource');
      return resource === null
        ? { icon: 'skill', verb: 'Loaded skill', object: name }
        : { icon: 'skill', verb: 'Read', object: `${name}/${resource}` };
    },
    // It shows the model what the user already allowed, and touches nothing.
    subject: (): Promise<Subject> => Promise.resolve({ kind: 'harmless' }),
    run: (args, context) => run.call(args, context),
  };
}

class SkillTool {
  readonly #parts: SkillToolParts;

  constructor(parts: SkillToolParts) {
    this.#parts = parts;
  }

  async call(args: Arguments, context: ToolContext): Promise<ToolResult> {
    const asked = text(args, 'name');
    if (asked === null) throw new ToolRefusal('Give the name of a skill as text.');
    const address = addressOf(asked.trim().replace(/^\//, ''));
    const known = address === null ? asked : this.#nameAt(address);
    if (address !== null && known === null) return this.#unlisted(address, context.signal);
    const entry = this.#find(known ?? asked);
    const part = partOf(args);
    const resource = text(args, 'resource');
    return resource === null
      ? this.#body(entry, part, context)
      : this.#resource(entry, resource, part, context);
  }

  /** The name of the skill at an address; null for one not known yet. */
  #nameAt(address: SkillAddress): string | null {
    const found = this.#parts.entries.find(
      ({ record }) =>
        record.source.label === address.label && record.offered?.skill.uri === address.uri,
    );
    return found?.report.name ?? null;
  }

  /** A skill that its server has and did not list: the user is asked about it before the next step. */
  async #unlisted({ label, uri }: SkillAddress, signal: AbortSignal): Promise<ToolResult> {
    const answer = await this.#parts.atAddress?.(label, uri, signal);
    if (answer?.kind !== 'had') {
      throw new ToolRefusal(`${answer?.message ?? 'No server is there.'} Go on without it.`);
    }
    return {
      text: `The server ${label} has this skill. Call skill with name ${answer.name} now: the user may be asked about it first.`,
      isError: false,
    };
  }

  #find(asked: string): SkillEntry {
    const written = asked.trim().replace(/^\//, '');
    const wanted = written.toLowerCase();
    const usable = loadable(this.#parts.entries, this.#parts.invoked);
    // A server's name has its case, in which two may differ.
    const found =
      usable.find(({ report }) => report.name === written) ??
      usable.find(({ report }) => report.name.toLowerCase() === wanted);
    if (found !== undefined) return found;
    const userOnly = this.#parts.entries.some(
      ({ report }) => report.state === 'userOnly' && report.name.toLowerCase() === wanted,
    );
    if (userOnly) {
      throw new ToolRefusal(`Only the user loads the skill ${wanted}, by /${wanted}.`);
    }
    // The same address is another skill on another server.
    if (addressOf(`server:${written}`) !== null) {
      throw new ToolRefusal(
        `Say which server has this skill: call skill with name SERVER:${written}, with the server's name for SERVER.`,
      );
    }
    throw new ToolRefusal(this.#suggestions(asked, usable));
  }

  /** What fits the words that were given as a name. */
  #suggestions(asked: string, usable: readonly SkillEntry[]): string {
    const { core } = this.#parts;
    const entries = usable.map(({ report, record }) => ({
      id: report.name,
      name: report.name,
      description: record.parsed.description ?? '',
      tags: record.parsed.fields.tags,
    }));
    const index = new core.SkillIndex(entries);
    try {
      const words = asked.replaceAll(/[-_/]/g, ' ');
      const hits = core.searchSkills(index, words, SKILL_SUGGESTIONS).map(({ id }) => id);
      const fitting = hits.flatMap((id) => entries.filter((entry) => entry.id === id));
      return fitting.length === 0
        ? 'There is no such skill, and none fits these words. Go on without one.'
        : `There is no skill of that name. These fit; load one by its name:\n${core.skillLines(fitting)}`;
    } finally {
      index.free();
    }
  }

  async #body(entry: SkillEntry, part: number, context: ToolContext): Promise<ToolResult> {
    const { core } = this.#parts;
    const { record } = entry;
    const { bytes, digest } = await this.#read(record, record.fileName, context.signal);
    const wanted = {
      history: history(context),
      name: entry.report.name,
      resource: '',
      part,
      digest,
    };
    const pointer = this.#pointer(wanted);
    if (pointer !== null) return pointer;
    const { body } = core.parseSkill(bytes, entry.report.name);
    const disclosed = core.loadBody({
      of: this.#request(entry, part),
      body,
      files: bundled(record),
    });
    return this.#result(disclosed, wanted, context);
  }

  async #resource(
    entry: SkillEntry,
    resource: string,
    part: number,
    context: ToolContext,
  ): Promise<ToolResult> {
    const { core } = this.#parts;
    const { record } = entry;
    const of = this.#request(entry, part);
    const path = this.#path(entry, resource);
    if (path === null) {
      const listed = core.listResources({ of, folder: resource, files: bundled(record) });
      if (listed.kind === 'refused') {
        throw new ToolRefusal(
          `${listed.message} Call skill with name ${entry.report.name} and resource . for the list of its files.`,
        );
      }
      return { text: listed.text, isError: false, measure: measure(listed.part, listed.parts) };
    }
    const { bytes, digest } = await this.#read(record, path, context.signal);
    const wanted = {
      history: history(context),
      name: entry.report.name,
      resource: path,
      part,
      digest,
    };
    const pointer = this.#pointer(wanted);
    if (pointer !== null) return pointer;
    return this.#result(core.loadResource({ of, resource: path }, bytes), wanted, context);
  }

  /** The bundled file that is meant, or null for a folder. */
  #path(entry: SkillEntry, resource: string): string | null {
    let path: string;
    try {
      path = this.#parts.core.resourcePath(resource);
    } catch (error) {
      if (errorCode(error) === null || !(error instanceof Error)) throw error;
      throw new ToolRefusal(`${error.message}. Give a path as the skill's list of files has it.`);
    }
    const files = entry.record.files.map((file) => file.path);
    // Models also write the skill's name in front.
    const short = path.startsWith(`${entry.report.name}/`)
      ? path.slice(entry.report.name.length + 1)
      : null;
    return [path, short].find((each) => each !== null && files.includes(each)) ?? null;
  }

  async #read(
    record: SkillRecord,
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly digest: string }> {
    const read = await this.#parts.skills.file(record, path, signal);
    switch (read.kind) {
      case 'read':
        return read;
      case 'unreachable':
        throw new ToolRefusal(`${read.message} Go on without this file.`);
      case 'changed':
        if (record.offered !== undefined) {
          throw new ToolRefusal(
            'The server gave something else than it had listed, so it is not shown and waits for the user. Go on without it.',
          );
        }
        throw new ToolRefusal(
          'This file changed since the user allowed it, so it waits for the user. Go on without it.',
        );
      case 'missing':
        throw new ToolRefusal('This file is no longer there. Go on without it.');
      case 'refused':
        throw new ToolRefusal("This file does not lie in the skill's folder or cannot be read.");
    }
  }

  #request(entry: SkillEntry, part: number): PartRequest {
    return {
      name: entry.report.name,
      origin: entry.record.source.origin,
      part,
      contextWindow: this.#parts.contextWindow,
    };
  }

  #pointer(wanted: Parameters<LoadedTexts['find']>[0]): ToolResult | null {
    const known = this.#parts.loaded.find(wanted);
    if (known === null) return null;
    const { name, resource, part, parts } = known;
    return {
      text: this.#parts.core.loadedPointer(name, resource, part, parts),
      isError: false,
      measure: 'already loaded',
    };
  }

  #result(
    disclosed: Disclosed,
    wanted: Parameters<LoadedTexts['find']>[0],
    { callId }: ToolContext,
  ): ToolResult {
    if (disclosed.kind === 'refused') throw new ToolRefusal(disclosed.message);
    const { part, parts } = disclosed;
    this.#parts.loaded.remember(callId, { ...wanted, parts });
    return { text: disclosed.text, isError: false, measure: measure(part, parts) };
  }
}

function measure(part: number, parts: number): string {
  return parts > 1 ? `part ${String(part)} of ${String(parts)}` : '';
}

/** The files besides SKILL.md. */
function bundled(record: SkillRecord): { path: string; size: number }[] {
  return record.files
    .filter(({ path }) => path !== record.fileName)
    .map(({ path, size }) => ({ path, size }));
}

function history(context: ToolContext): string {
  return context.history ?? '';
}

/** A text argument that says something; models also send an empty one for none. */
function text(args: Arguments, name: string): string | null {
  const value = args[name];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Small models write numbers as text, and 0 for the first. */
function partOf(args: Arguments): number {
  const value = Number(args['part'] ?? 1);
  return Number.isInteger(value) && value >= 1 && value <= 0xffff_ffff ? value : 1;
}
