/** `edit_file`: one text in a file for another, found exactly and once. */
import { NEAREST_CHARS, TEXT_FILE_BYTES } from '../../limits.ts';
import { difference } from '../difference.ts';
import { digest, type Place } from '../files.ts';
import { restoreMarks } from '../marks.ts';
import { bytesOf, textOf, type TextFile } from '../text-file.ts';
import { ToolRefusal, type Arguments, type Tool } from '../tool.ts';
import { booleanArgument, parametersOf, requiredText } from './parameters.ts';
import type { Workbench } from './workbench.ts';

interface Edit {
  readonly place: Place;
  readonly data: Buffer;
  readonly before: string;
  readonly after: string;
  readonly encoding: Extract<TextFile, { kind: 'text' }>['encoding'];
}

export function editFileTool(bench: Workbench): Tool {
  const { files, reads, changes } = bench;
  return {
    name: 'edit_file',
    description:
      'Replace old_string by new_string in a file you have read. old_string must match exactly and only once, unless replace_all.',
    parameters: parametersOf(
      {
        path: { type: 'string' },
        old_string: { type: 'string' },
        new_string: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      ['path', 'old_string', 'new_string'],
    ),
    origin: { kind: 'builtin' },
    parallel: false,
    readOnly: false,
    line: (args) => ({ icon: 'edit', verb: 'Edited', object: String(args['path'] ?? '') }),
    subject: async (args) => {
      const edit = await made(args);
      return {
        kind: 'write',
        paths: [edit.place.path],
        diff: difference(edit.before, edit.after).text,
      };
    },
    run: async (args, { signal }) => {
      const edit = await made(args);
      const { place } = edit;
      const data = bytesOf(edit.after, edit.encoding);
      signal.throwIfAborted();
      await changes.before(place.path, edit.data);
      await files.write(place, data, digest(edit.data));
      reads.note(place.path, digest(data));
      const change = await changes.after(place.path, edit.data, data, '');
      const { text } = difference(edit.before, edit.after);
      const found = await bench.diagnostics([place.path], signal);
      return {
        text: [`Edited ${place.shown}.`, ...(found === '' ? [] : [found])].join('\n'),
        isError: false,
        measure: `+${change.added} \u2212${change.removed}`,
        shown: { kind: 'diff', text },
        changes: [change],
      };
    },
  };

  async function made(args: Arguments): Promise<Edit> {
    const place = await files.place(requiredText(args, 'path'), 'write');
    if (place.kind === 'absent') {
      throw new ToolRefusal(`There is no file ${place.shown}. Use write_file to make it.`);
    }
    if (place.kind !== 'file') throw new ToolRefusal(`${place.shown} is not a file.`);
    const data = await files.read(place, TEXT_FILE_BYTES);
    const seen = reads.of(place.path);
    if (seen === null) throw new ToolRefusal(`Read ${place.shown} first, then edit it.`);
    if (seen !== digest(data)) {
      throw new ToolRefusal(`${place.shown} changed since you read it. Read it again.`);
    }
    const file = textOf(data);
    if (file.kind === 'binary' || !file.faithful) {
      throw new ToolRefusal(`${place.shown} is not plain text, so it cannot be edited.`);
    }
    const after = replaced(place.shown, file.text, args);
    return { place, data, before: file.text, after, encoding: file.encoding };
  }
}

function replaced(name: string, text: string, args: Arguments): string {
  const old = requiredText(args, 'old_string');
  const fresh = requiredText(args, 'new_string');
  if (old === '') {
    throw new ToolRefusal('old_string is empty. Use write_file to replace the whole file.');
  }
  if (old === fresh) throw new ToolRefusal('old_string and new_string are the same.');
  // As written; else with the line ends of the file; else with the marks a result was shown without.
  const forms: readonly (readonly [string, string])[] = [
    [old, fresh],
    [crlf(old), crlf(fresh)],
    [restoreMarks(old), restoreMarks(fresh)],
  ];
  for (const [from, to] of forms) {
    const at = places(text, from);
    if (at.length === 0) continue;
    if (at.length > 1 && !booleanArgument(args, 'replace_all')) {
      const lines = at.slice(0, 8).map((index) => lineOf(text, index));
      throw new ToolRefusal(
        `old_string stands ${at.length} times in ${name} (lines ${lines.join(', ')}${at.length > 8 ? ' …' : ''}). Add lines around it so that it is there once, or set replace_all.`,
      );
    }
    return text.split(from).join(to);
  }
  throw new ToolRefusal(`old_string is not in ${name}. ${nearest(text, old)}`);
}

function crlf(text: string): string {
  return text.replace(/\r?\n/gu, '\r\n');
}

function places(text: string, part: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    found.push(at);
  }
  return found;
}

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < index; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** What stands where the model may have meant, when only white space differs; else what to do. */
function nearest(text: string, old: string): string {
  const wanted = old.split('\n').map(squeezed);
  while (wanted.length > 1 && wanted.at(-1) === '') wanted.pop();
  while (wanted.length > 1 && wanted[0] === '') wanted.shift();
  const lines = text.split('\n');
  const flat = lines.map(squeezed);
  const at = flat.findIndex((_, i) => wanted.every((line, k) => flat[i + k] === line));
  if (at >= 0 && wanted.some((line) => line !== '')) {
    const exact = lines.slice(at, at + wanted.length).join('\n');
    return `Only white space differs from line ${at + 1} on. The exact text is:\n${exact.slice(0, NEAREST_CHARS)}`;
  }
  const first = wanted.find((line) => line.length > 3);
  const near = first === undefined ? -1 : flat.findIndex((line) => line.includes(first));
  return near >= 0
    ? `Its first line is at line ${near + 1}; what follows differs. Read the file there and copy the text exactly.`
    : 'Read the file again and copy the text exactly.';
}

function squeezed(line: string): string {
  return line.replace(/\s+/gu, ' ').trim();
}
