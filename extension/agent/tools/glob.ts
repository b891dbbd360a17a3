/** `glob`: files by a pattern, as `.gitignore` says. */
import { LISTED_ENTRIES } from '../../limits.ts';
import { isInside, type Place } from '../files.ts';
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
    subject: async (args) => ({ kind: 'read', paths: [(await start(args)).path] }),
    run: async (args, { signal }) => {
      const place = await start(args);
      const root = (await files.folders()).find((f) => isInside(place.path, f)) ?? place.path;
      const walked = walk(root, place.path, signal);
      const names: string[] = [];
      for await (const file of walked.files) names.push(file.name);
      const { problem, matches } = core.matchGlob(requiredText(args, 'pattern'), names);
      if (problem !== null) throw new ToolRefusal(`The pattern is not understood: ${problem}.`);
      const prefix = place.shown === '.' ? '' : `${place.shown}/`;
      const hits = matches.map((index) => `${prefix}${oneLine(names[index] ?? '')}`);
      const notes = [
        ...(hits.length > LISTED_ENTRIES
          ? [`[${hits.length - LISTED_ENTRIES} more; narrow the pattern]`]
          : []),
        ...(walked.isCut() ? ['[The folder is too large to search whole; give a path]'] : []),
      ];
      const text = [...hits.slice(0, LISTED_ENTRIES), ...notes].join('\n');
      return {
        text: hits.length === 0 ? ['No file matches.', ...notes].join('\n') : text,
        isError: false,
        measure: `${hits.length} ${hits.length === 1 ? 'file' : 'files'}`,
      };
    },
  };

  async function start(args: Arguments): Promise<Place> {
    const place = await files.place(textArgument(args, 'path') ?? '.', 'read');
    if (place.kind !== 'folder') throw new ToolRefusal(`${place.shown} is not a folder.`);
    return place;
  }
}
