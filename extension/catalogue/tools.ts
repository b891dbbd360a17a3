/** The ten tools: what each takes, gives, and how it is told to a model. */
import type {
  CallToolResult,
  McpServer,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { Core } from '../core.ts';
import { CATALOGUE_BINARY_BYTES, CATALOGUE_HITS, CATALOGUE_PAGE } from '../limits.ts';
import type { Catalogue } from './catalogue.ts';
import { cursorAfter, pageAfter } from './cursor.ts';
import { mediaType } from './media.ts';
import type { FileBytes, Subdir } from './provider.ts';
import {
  entriesSchema,
  fileSchema,
  gives,
  hitSchema,
  limitSchema,
  skillId,
  summarySchema,
  takes,
  type Given,
} from './schemas.ts';
import { summaryOf } from './skill.ts';

export interface ToolParts {
  readonly core: Core;
  readonly catalogue: Catalogue;
}

/** A tool without its name: adding it to a server is all that can be done with it. */
export interface CatalogueTool {
  readonly name: string;
  add(server: McpServer, parts: ToolParts): void;
}

interface Described<T> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly takes: StandardSchemaWithJSON<T, T>;
  readonly gives: Given;
  call(args: T, parts: ToolParts): Promise<CallToolResult>;
}

/** All of them only read, and read only what the server serves. */
const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;

export function tool<T>(described: Described<T>): CatalogueTool {
  const { name, title, description } = described;
  const config = {
    title,
    description,
    inputSchema: described.takes,
    outputSchema: described.gives,
    annotations: { title, ...annotations },
  };
  return {
    name,
    add: (server, parts) => {
      server.registerTool(name, config, (args: T) => described.call(args, parts));
    },
  };
}

/** The bare value as text, and `{ result }` beside it. */
export function given(
  result: unknown,
  more: Readonly<Record<string, unknown>> = {},
): CallToolResult {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  return {
    content: [{ type: 'text', text }],
    structuredContent: { result, ...more },
  };
}

/** Told to the model, which can correct it. */
export function refused(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

interface ListArguments {
  readonly tag?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

const listSkills = tool<ListArguments>({
  name: 'list_skills',
  title: 'List skills',
  description:
    'Lists the skills of this catalogue, sorted by id, with what each does and when to use it. Call it first. A long list comes in pages: pass next_cursor as cursor to go on.',
  takes: takes(
    {
      tag: { type: 'string', description: 'Only skills with this tag' },
      cursor: { type: 'string', description: 'next_cursor of the page before' },
      limit: { ...limitSchema, description: `Skills on a page, at most ${String(CATALOGUE_PAGE)}` },
    },
    [],
  ),
  gives: gives(
    { type: 'array', items: summarySchema },
    {
      next_cursor: { type: 'string', description: 'There is more: pass it as cursor' },
    },
  ),
  call: async ({ tag, cursor, limit = CATALOGUE_PAGE }, { catalogue }) => {
    const all = await catalogue.list();
    const wanted = tag?.trim().toLowerCase();
    const tagged =
      wanted === undefined
        ? all
        : all.filter(({ tags }) => tags.some((each) => each.toLowerCase() === wanted));
    const page = pageAfter(tagged, cursor, limit, ({ id }) => id);
    if (page === null) {
      return refused('This cursor is not one that list_skills gave. Leave it out to begin again.');
    }
    const summaries = page.items.map(summaryOf);
    if (page.last === null) return given(summaries);
    const next = cursorAfter(page.last);
    const shown = given(summaries, { next_cursor: next });
    const text = `There are more: call list_skills with cursor ${next}`;
    return { ...shown, content: [...shown.content, { type: 'text', text }] };
  },
});

const searchSkills = tool<{ readonly query: string; readonly limit?: number }>({
  name: 'search_skills',
  title: 'Search skills',
  description:
    'Finds the skills that fit some words, best first. The words are looked for in ids, names, tags and descriptions, in any case.',
  takes: takes(
    {
      query: { type: 'string', description: 'Words, separated by blanks' },
      limit: { ...limitSchema, description: `Hits, ${String(CATALOGUE_HITS)} unless told` },
    },
    ['query'],
  ),
  gives: gives({ type: 'array', items: hitSchema }),
  call: async ({ query, limit = CATALOGUE_HITS }, { catalogue }) => {
    const hits = await catalogue.search(query, limit);
    return given(hits.map(({ skill, score }) => ({ ...summaryOf(skill), score })));
  },
});

interface OneSkill {
  readonly skill_id: string;
}

const oneSkill = takes<OneSkill>({ skill_id: skillId }, ['skill_id']);

const getMetadata = tool<OneSkill>({
  name: 'get_skill_metadata',
  title: 'Get a skill’s metadata',
  description:
    'Gives the whole front matter of one skill: name, description and whatever else its author wrote there. null when there is no such skill.',
  takes: oneSkill,
  gives: gives({ type: ['object', 'null'] }),
  call: async ({ skill_id: id }, { catalogue }) => {
    const skill = await catalogue.get(id);
    return given(skill === null ? null : (JSON.parse(skill.frontMatter) as unknown));
  },
});

const getBody = tool<OneSkill>({
  name: 'get_skill_body',
  title: 'Get a skill’s instructions',
  description:
    'Gives the instructions of one skill, as Markdown. Read them before you do what the skill is for, and follow them. null when there is no such skill.',
  takes: oneSkill,
  gives: gives({ type: ['string', 'null'] }),
  call: async ({ skill_id: id }, { catalogue }) => given(await catalogue.body(id)),
});

interface FileArguments extends OneSkill {
  readonly name: string;
}

/** `reference` and `references`: one file of a folder, and the list of them. */
function filesOf(folder: Subdir, one: string, what: string): readonly CatalogueTool[] {
  return [
    tool<FileArguments>({
      name: `get_skill_${one}`,
      title: `Get a skill’s ${one}`,
      description: `Gives one file of the skill’s ${folder}: ${what}. Text comes as it is, anything else as type, size and base64. null when there is no such skill or file.`,
      takes: takes<FileArguments>(
        {
          skill_id: skillId,
          name: {
            type: 'string',
            description: `The file’s name, as list_skill_${folder} gives it`,
          },
        },
        ['skill_id', 'name'],
      ),
      gives: gives(fileSchema),
      call: async ({ skill_id: id, name }, { catalogue, core }) =>
        given(fileResult(core, name, await catalogue.file(id, folder, name))),
    }),
    tool<OneSkill>({
      name: `list_skill_${folder}`,
      title: `List a skill’s ${folder}`,
      description: `Lists the skill’s ${folder}, with sizes in bytes and types: ${what}. null when there is no such skill.`,
      takes: oneSkill,
      gives: gives(entriesSchema),
      call: async ({ skill_id: id }, { catalogue }) => {
        const files = await catalogue.files(id, folder);
        return given(
          files?.map(({ name, size }) => ({ name, size, type: mediaType(name) })) ?? null,
        );
      },
    }),
  ];
}

/** Text as it is; anything else as type, size and base64. */
function fileResult(core: Core, name: string, bytes: FileBytes | null): unknown {
  if (bytes === null) return null;
  const type = mediaType(name);
  if (!(bytes instanceof Uint8Array)) return { type, size: bytes.size, base64: null };
  const text = core.fileText(name, bytes);
  if (text !== undefined) return text;
  const size = bytes.length;
  const small = size <= CATALOGUE_BINARY_BYTES;
  return { type, size, base64: small ? Buffer.from(bytes).toString('base64') : null };
}

export const tools: readonly CatalogueTool[] = [
  listSkills,
  searchSkills,
  getMetadata,
  getBody,
  ...filesOf('references', 'reference', 'what the instructions tell to read'),
  ...filesOf('scripts', 'script', 'programs that the instructions tell to run'),
  ...filesOf('assets', 'asset', 'templates, data and pictures that the instructions use'),
];
