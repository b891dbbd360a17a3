/** A server of the tests' own that offers skills (SEP-2640), and misbehaves where a test says so. */
import { createHash } from 'node:crypto';
import { json, ownServer, type Asked, type Misbehave, type OwnServer } from './http-server.ts';

export interface OfferedFileOf {
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

export interface Entry {
  uri: string;
  frontmatter: Record<string, unknown>;
  resources: OfferedFileOf[];
}

/** Folder addresses → their files by path; SKILL.md among them. */
export type Folders = Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>;

export function fileOf(uri: string, content: string | Uint8Array): OfferedFileOf {
  const bytes = Buffer.from(content);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { uri, digest, size: bytes.length };
}

export function entryOf(folder: string, files: Folders[string]): Entry {
  const name = folder.split('/').at(-1) ?? '';
  return {
    uri: `${folder}/SKILL.md`,
    frontmatter: { name, description: `About ${name}.` },
    resources: Object.entries(files).map(([path, content]) => fileOf(`${folder}/${path}`, content)),
  };
}

/** A SKILL.md that says what `entryOf` says. */
export function manifest(name: string, body = 'Body.\n'): string {
  return `---\nname: ${name}\ndescription: About ${name}.\n---\n${body}`;
}

export interface SkillsServer extends OwnServer {
  /** What it has from now on. */
  folders: Folders;
  /** What it has and does not list. */
  unlisted: Folders;
  /** What it gives for the address of a skill, where that is something else. */
  got: object | null;
  /** What it lists, where that is something else than what it has. */
  listed: ((params: Asked['params']) => unknown) | null;
  /** What it gives for an address, where that is something else. */
  given: ((uri: string) => object | null) | null;
  /** Addresses that were read, in order. */
  readonly reads: readonly string[];
}

export async function skillsServer(
  t: { after(act: () => Promise<void>): void },
  folders: Folders,
  first: Misbehave = () => false,
): Promise<SkillsServer> {
  const reads: string[] = [];
  const own = await ownServer((asked, response) => {
    const { method, id, params } = asked;
    if (first(asked, response)) return true;
    if (method === 'initialize') {
      json(response, id, {
        protocolVersion: '2025-11-25',
        capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
        serverInfo: { name: 'another-name', version: '1.0.0' },
      });
      return true;
    }
    if (method === 'skills/list') {
      const entries = Object.entries(server.folders).map(([at, files]) => entryOf(at, files));
      json(response, id, (server.listed?.(params) ?? { skills: entries }) as object);
      return true;
    }
    if (method === 'skills/get') {
      const uri = String(params['uri']);
      const all = { ...server.folders, ...server.unlisted };
      const at = Object.keys(all).find((each) => `${each}/SKILL.md` === uri);
      if (at === undefined) {
        const error = { code: -32602, message: `No skill is served at ${uri}` };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
        return true;
      }
      json(response, id, { skill: server.got ?? entryOf(at, all[at] ?? {}) });
      return true;
    }
    if (method === 'resources/read') {
      const uri = String(params['uri']);
      reads.push(uri);
      const all = { ...server.folders, ...server.unlisted };
      const folder = Object.keys(all).find((at) => uri.startsWith(`${at}/`)) ?? '';
      const content = all[folder]?.[uri.slice(folder.length + 1)] ?? '';
      const plain =
        typeof content === 'string'
          ? { uri, text: content }
          : { uri, blob: Buffer.from(content).toString('base64') };
      json(response, id, { contents: [server.given?.(uri) ?? plain] });
      return true;
    }
    return false;
  });
  const server: SkillsServer = Object.assign(own, {
    folders,
    unlisted: {},
    got: null,
    listed: null,
    given: null,
    reads,
  });
  t.after(() => own.close());
  return server;
}
