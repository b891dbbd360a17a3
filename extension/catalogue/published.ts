/**
 * The extension `io.modelcontextprotocol/skills` (SEP-2640): skills as resources whose every file has a
 * digest and a size, for clients that load and check them by themselves.
 *
 * Its rules are stricter than the tools': a skill whose name is not its folder's, or whose header had
 * to be repaired, is left out with a warning.
 */
import { createHash } from 'node:crypto';
import { ProtocolError, ProtocolErrorCode, type Resource } from '@modelcontextprotocol/server';
import type {
  Skill as Entry,
  SkillReadResult,
  SkillSource,
} from '@modelcontextprotocol/server/ext/skills';
import {
  CATALOGUE_PUBLISHED_PAGE,
  SKILL_BYTES,
  SKILL_DEPTH,
  SKILL_FILES,
  SKILL_FOLDERS,
} from '../limits.ts';
import type { Catalogue } from './catalogue.ts';
import { cursorAfter, pageAfter } from './cursor.ts';
import { isSegment } from './ids.ts';
import { mediaType } from './media.ts';
import type { FileBytes, SubdirEntry } from './provider.ts';
import type { Skill } from './skill.ts';
import type { Core } from '../core.ts';

interface Published {
  /** The skill and every file of it as they were. */
  readonly state: string;
  readonly entry: Entry;
}

interface Place {
  readonly id: string;
  /** The folder in the skill, empty for its own. */
  readonly folder: string;
  readonly name: string;
}

interface SkillFile extends SubdirEntry {
  readonly folder: string;
}

const MANIFEST = 'SKILL.md';

export class PublishedSkills implements SkillSource {
  readonly #core: Core;
  readonly #catalogue: Catalogue;
  readonly #kept = new Map<string, Published>();

  constructor(core: Core, catalogue: Catalogue) {
    this.#core = core;
    this.#catalogue = catalogue;
    catalogue.onChange(({ ids }) => {
      for (const id of ids) this.#kept.delete(id);
    });
  }

  async list({ cursor }: { cursor?: string }): Promise<{ skills: Entry[]; nextCursor?: string }> {
    const all = await this.#catalogue.list();
    const page = pageAfter(all, cursor, CATALOGUE_PUBLISHED_PAGE, ({ id }) => id);
    if (page === null) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'No page of skills/list has this cursor.',
      );
    }
    const skills: Entry[] = [];
    for (const skill of page.items) {
      const entry = await this.#entry(skill);
      if (entry !== null) skills.push(entry);
    }
    return page.last === null ? { skills } : { skills, nextCursor: cursorAfter(page.last) };
  }

  async get(uri: string): Promise<Entry | undefined> {
    const place = this.#place(uri);
    if (place?.folder !== '' || place.name !== MANIFEST) return undefined;
    const skill = await this.#catalogue.get(place.id);
    return skill === null ? undefined : ((await this.#entry(skill)) ?? undefined);
  }

  async read(uri: string): Promise<SkillReadResult | undefined> {
    const place = this.#place(uri);
    const skill = place === null ? null : await this.#catalogue.get(place.id);
    if (place === null || skill === null || (await this.#entry(skill)) === null) return undefined;
    const bytes = await this.#bytes(place.id, place);
    if (!(bytes instanceof Uint8Array)) return undefined;
    const mimeType = mediaType(place.name);
    const text = losslessText(bytes);
    return text === null ? { bytes, mimeType } : { text, mimeType };
  }

  async readDirectory(uri: string): Promise<{ resources: Resource[] } | undefined> {
    const place = this.#place(uri);
    const skill = place === null ? null : await this.#catalogue.get(place.id);
    if (place === null || skill === null || (await this.#entry(skill)) === null) return undefined;
    const folder = joined(place.folder, place.name);
    const entries = await this.#catalogue.folder(place.id, folder);
    const resources = entries?.map(({ name, kind, size }) => {
      const child = uriOf(place.id, folder, name);
      return kind === 'folder'
        ? { uri: child, name, mimeType: 'inode/directory' }
        : { uri: child, name, mimeType: mediaType(name), size };
    });
    return resources && { resources };
  }

  /** Null for a skill that is not published. */
  async #entry(skill: Skill): Promise<Entry | null> {
    const { id } = skill;
    const refused = (why: string | null): void => {
      const message = why === null ? null : `Served by the tools, left out of skills/list: ${why}`;
      this.#catalogue.tell(id, 'published', message);
    };
    if (skill.withheld !== null) {
      refused(skill.withheld);
      return null;
    }
    const files = await this.#files(id);
    if (typeof files === 'string') {
      refused(files);
      return null;
    }
    const state = JSON.stringify(files);
    const kept = this.#kept.get(id);
    if (kept?.state === state) return kept.entry;
    const resources: { uri: string; digest: string; size: number }[] = [];
    for (const file of files) {
      const bytes = await this.#bytes(id, file);
      // It went between the look and the reading; whoever asks again gets what is there then.
      if (!(bytes instanceof Uint8Array)) return null;
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      resources.push({ uri: uriOf(id, file.folder, file.name), digest, size: bytes.length });
    }
    refused(null);
    resources.sort((a, b) => (a.uri < b.uri ? -1 : 1));
    const frontmatter = JSON.parse(skill.frontMatter) as Entry['frontmatter'];
    const entry = { uri: uriOf(id, '', MANIFEST), frontmatter, resources };
    this.#kept.set(id, { state, entry });
    return entry;
  }

  #bytes(id: string, { folder, name }: Omit<Place, 'id'>): Promise<FileBytes | null> {
    return folder === '' && name === MANIFEST
      ? this.#catalogue.manifest(id)
      : this.#catalogue.file(id, folder, name, SKILL_BYTES);
  }

  /** Every file of a skill, or why they are too many. */
  async #files(id: string): Promise<readonly SkillFile[] | string> {
    const files: SkillFile[] = [];
    const waiting = [''];
    let bytes = 0;
    let folders = 0;
    for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
      for (const entry of (await this.#catalogue.folder(id, folder)) ?? []) {
        const path = joined(folder, entry.name);
        if (entry.kind === 'folder') {
          folders += 1;
          if (folders > SKILL_FOLDERS || path.split('/').length > SKILL_DEPTH) {
            return 'It has too many folders in each other.';
          }
          waiting.push(path);
          continue;
        }
        bytes += entry.size;
        files.push({ ...entry, folder });
        if (files.length > SKILL_FILES) return `It has more than ${String(SKILL_FILES)} files.`;
        if (bytes > SKILL_BYTES) return `It has more than ${String(SKILL_BYTES)} bytes.`;
      }
    }
    const manifest = files.some(({ folder, name }) => folder === '' && name === MANIFEST);
    return manifest ? files : `Its file is not called ${MANIFEST}.`;
  }

  /** What a URI names; null for one that no skill of ours can have. */
  #place(uri: string): Place | null {
    const path = uri.startsWith('skill://') ? uri.slice('skill://'.length).replace(/\/$/, '') : '';
    const segments = path.split('/').map(decoded);
    if (!segments.every((segment) => segment !== null && isSegment(this.#core, segment)))
      return null;
    const [id = '', ...rest] = segments.filter((segment) => segment !== null);
    const name = rest.pop() ?? '';
    return { id, folder: rest.join('/'), name };
  }
}

function uriOf(id: string, folder: string, name: string): string {
  const path = [id, ...folder.split('/'), name].filter((segment) => segment !== '');
  return `skill://${path.map(encodeURIComponent).join('/')}`;
}

function joined(folder: string, name: string): string {
  return folder === '' || name === '' ? folder || name : `${folder}/${name}`;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Null for bytes that come back as others. */
function losslessText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
