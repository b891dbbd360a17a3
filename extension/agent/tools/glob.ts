/** `glob`: files by a pattern, as `.gitignore` says. */
import { LISTED_ENTRIES } from '../../limits.ts';
import { below, isInside, type Place } from '../files.ts';
import { ToolRefusal, type Arguments, type Tool } from '../tool.ts';
import { walk } from '../walk.ts';
import { oneLine } from './list-dir.ts';
import { parametersOf, requiredText, textArgument } from './parameters.ts';
import type { Workbench } from './workbench.ts';

export function globTool({ core, files }: Workbench): Tool {
  return {
    name: 'glob',
    description: 'Find files by a pattern such as src/**/*.ts or *.md. Ignored files are left out.',
    parameters: parametersOf({ pattern: { type: 'string' }, path: { type: 'string' } }, [
      'pattern',
    ]),
    origin: { kind: 'builtin' },
    parallel: true,
    readOnly: true,
    line: (args) => ({ icon: 'search', verb: 'Searched', object: String(args['pattern'] ?? '') }),
    subject: async (args) => ({
      kind: 'read',
      paths: (await starts(args)).map((place) => place.path),
    }),
    run: async (args, { signal }) => {
      const folders = await files.folders();
      const hits: string[] = [];
      let isCut = false;
      for (const place of await starts(args)) {
        const root = folders.find((f) => isInside(place.path, f)) ?? place.path;
        const walked = walk(root, place.path, signal);
        const names: string[] = [];
        for await (const file of walked.files) names.push(file.name);
        const { problem, matches } = core.matchGlob(requiredText(args, 'pattern'), names);
        if (problem !== null) throw new ToolRefusal(`The pattern is not understood: ${problem}.`);
        hits.push(...matches.map((index) => below(place, oneLine(names[index] ?? ''))));
        isCut ||= walked.isCut();
      }
      const notes = [
        ...(hits.length > LISTED_ENTRIES
          ? [`[${hits.length - LISTED_ENTRIES} more; narrow the pattern]`]
          : []),
        ...(isCut ? ['[The folder is too large to search whole; give a path]'] : []),
      ];
      const text = [...hits.slice(0, LISTED_ENTRIES), ...notes].join('\n');
      return {
        text: hits.length === 0 ? ['No file matches.', ...notes].join('\n') : text,
        isError: false,
        measure: `${hits.length} ${hits.length === 1 ? 'file' : 'files'}`,
      };
    },
  };

  async function starts(args: Arguments): Promise<readonly Place[]> {
    const places = await files.searched(textArgument(args, 'path') ?? null);
    const other = places.find(({ kind }) => kind !== 'folder');
    if (other !== undefined) throw new ToolRefusal(`${other.shown} is not a folder.`);
    return places;
  }
}
