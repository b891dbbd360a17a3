/**
 * Servers that other programs have, to be chosen from: each with where it stands, what it would run,
 * what is lost on the way, and whether its name is taken here. Reading starts nothing; what is chosen
 * is written into a file of ours and asks like every entry there.
 */
import { IMPORT_FILE_BYTES } from '../../limits.ts';
import { keepServer, type KeepTarget } from '../keep-server.ts';
import { readRegularFile } from '../regular-file.ts';
import { isSecretHeader, isSecretName } from '../secrets.ts';
import { importedEntries, type ImportedEntry } from './entries.ts';
import { importPlaces, type ImportPlace, type Surroundings } from './places.ts';

export interface Importable extends ImportedEntry, ImportPlace {
  /** What it would run or call, on one line; what looks secret is masked. */
  readonly shown: string;
  /** Names of the variables and headers that it brings, without their values. */
  readonly brings: readonly string[];
}

export interface FoundServers {
  /** In the order of the places. */
  readonly servers: readonly Importable[];
  /** What could not be read, in sentences that name the file. */
  readonly problems: readonly string[];
  /** The places that were looked at. */
  readonly places: readonly ImportPlace[];
}

export async function findServersToImport(surroundings: Surroundings): Promise<FoundServers> {
  const places = importPlaces(surroundings);
  const servers: Importable[] = [];
  const problems: string[] = [];
  for (const place of places) {
    const text = await textOf(place.path);
    if (text === null) continue;
    if (typeof text !== 'string') {
      problems.push(`${place.path} cannot be read: ${text.why}.`);
      continue;
    }
    const file = importedEntries(place.program, text);
    problems.push(...file.problems.map((problem) => `${place.path}: ${problem}`));
    for (const entry of file.entries) {
      servers.push({ ...place, ...entry, shown: shownOf(entry), brings: bringsOf(entry) });
    }
  }
  return { servers, problems, places };
}

/** Writes one; a sentence where it was not. */
export async function importServer(
  { name, entry }: Pick<Importable, 'name' | 'entry'>,
  target: KeepTarget,
): Promise<string | null> {
  const kept = await keepServer(target, name, entry);
  return kept.kind === 'kept' ? null : kept.message;
}

/** Null where there is no such file. */
async function textOf(path: string): Promise<string | { readonly why: string } | null> {
  const pieces: Uint8Array[] = [];
  const read = await readRegularFile(path, IMPORT_FILE_BYTES, (bytes) => {
    pieces.push(bytes.slice());
  });
  switch (read.kind) {
    case 'read':
      return Buffer.concat(pieces).toString('utf8');
    case 'missing':
      return null;
    case 'folder':
    case 'odd':
      return { why: 'it is not a file' };
    case 'tooLarge':
      return { why: 'it is too large' };
    case 'unreadable':
      return { why: read.code };
  }
}

function bringsOf({ entry }: ImportedEntry): readonly string[] {
  return [entry.env, entry.headers].flatMap((map) =>
    typeof map === 'object' && map !== null ? Object.keys(map) : [],
  );
}

const MASK = '••••';

function shownOf({ entry }: ImportedEntry): string {
  if (typeof entry.url === 'string') return withoutSecrets(entry.url);
  const { command, args } = entry;
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return words
    .map((word, index) => {
      // The value of `--token`, as the next word.
      const flag = words[index - 1] ?? '';
      if (flag.startsWith('-') && !flag.includes('=') && !word.startsWith('-')) {
        if (isSecretName(flag.replace(/^-+/, ''))) return MASK;
      }
      const shown = withoutSecrets(word);
      return /^[\w@%+=:,./~•-]+$/.test(shown) ? shown : JSON.stringify(shown);
    })
    .join(' ');
}

/**
 * A word without who signs in at an address, the value of `NAME=value`, of `Name: value` and of
 * `"name":"value"`, and what follows the name of a scheme.
 */
function withoutSecrets(word: string): string {
  return word
    .replace(/:\/\/([^/?#\s]*)@/g, (_, who: string) => {
      const colon = who.indexOf(':');
      return `://${colon < 0 ? '' : who.slice(0, colon + 1)}${MASK}@`;
    })
    .replace(/([\w-]+)=([^&\s]+)/g, (whole, name: string) =>
      isSecretName(name) ? `${name}=${MASK}` : whole,
    )
    .replace(
      /([\w-]+)(["']?\s*:\s*["']?)(?!\/\/)([^"'}\s][^"'}]*)/g,
      (whole, name: string, between: string) =>
        isSecretHeader(name) ? `${name}${between}${MASK}` : whole,
    )
    .replace(/((?:bearer|basic)\s+)[^\s"']+/gi, `$1${MASK}`);
}
