/** `list_dir`: what stands in a folder. */
import { readdir } from 'node:fs/promises';
import { LISTED_ENTRIES } from '../../limits.ts';
import type { Place } from '../files.ts';
import { ToolRefusal, type Arguments, type Tool } from '../tool.ts';
import { parametersOf, textArgument } from './parameters.ts';
import type { Workbench } from './workbench.ts';

export function listDirTool({ files }: Workbench): Tool {
  return {
    name: 'list_dir',
    description: 'List a folder. Names of folders end with a slash.',
    parameters: parametersOf({ path: { type: 'string' } }, []),
    origin: { kind: 'builtin' },
    parallel: true,
    readOnly: true,
    line: (args) => ({ icon: 'read', verb: 'Listed', object: String(args['path'] ?? '.') }),
    subject: async (args) => ({ kind: 'read', paths: [(await found(args)).path] }),
    run: async (args) => {
      const place = await found(args);
      const entries = await readdir(place.path, { withFileTypes: true });
      const names = entries
        .map((entry) =>
          entry.isDirectory()
            ? `${entry.name}/`
            : entry.isSymbolicLink()
              ? `${entry.name} (link)`
              : entry.name,
        )
        .sort((a, b) => Number(b.endsWith('/')) - Number(a.endsWith('/')) || (a < b ? -1 : 1));
      const measure = `${names.length} ${names.length === 1 ? 'entry' : 'entries'}`;
      if (names.length === 0) return { text: `${place.shown} is empty.`, isError: false, measure };
      const more = names.length - LISTED_ENTRIES;
      const listed = names.slice(0, LISTED_ENTRIES).map(oneLine).join('\n');
      const text = more > 0 ? `${listed}\n[${more} more; use glob]` : listed;
      return { text, isError: false, measure };
    },
  };

  async function found(args: Arguments): Promise<Place> {
    const place = await files.place(textArgument(args, 'path') ?? '.', 'read');
    if (place.kind === 'folder') return place;
    throw new ToolRefusal(
      place.kind === 'absent'
        ? `There is no folder ${place.shown}.`
        : `${place.shown} is not a folder. Use read_file.`,
    );
  }
}

/** A name cannot look like two. */
export function oneLine(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029]/gu, '?');
}
