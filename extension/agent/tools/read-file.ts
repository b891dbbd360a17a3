/** `read_file`: the text of a file, or a stretch of its lines, in parts that fit. */
import { TEXT_FILE_BYTES } from '../../limits.ts';
import { digest, type Place } from '../files.ts';
import { partsOf } from '../limited-text.ts';
import { textOf } from '../text-file.ts';
import { ToolRefusal, type Arguments, type Tool, type ToolResult } from '../tool.ts';
import { numberArgument, parametersOf, requiredText } from './parameters.ts';
import type { Workbench } from './workbench.ts';

export function readFileTool(bench: Workbench): Tool {
  const { files, reads } = bench;
  return {
    name: 'read_file',
    description:
      'Read a text file. Give start_line and end_line for a stretch; a long text comes in parts.',
    parameters: parametersOf(
      {
        path: { type: 'string' },
        start_line: { type: 'integer' },
        end_line: { type: 'integer' },
        part: { type: 'integer' },
      },
      ['path'],
    ),
    origin: { kind: 'builtin' },
    parallel: true,
    readOnly: true,
    line: (args) => ({ icon: 'read', verb: 'Read', object: String(args['path'] ?? '') }),
    subject: async (args) => ({ kind: 'read', paths: [(await found(args)).path] }),
    run: async (args) => {
      const place = await found(args);
      const data = await files.read(place, TEXT_FILE_BYTES);
      const file = textOf(data);
      if (file.kind === 'binary') {
        throw new ToolRefusal(`${place.shown} is not text (${data.length} bytes).`);
      }
      reads.note(place.path, digest(data));
      return shown(place, file.text, args, bench.resultChars());
    },
  };

  async function found(args: Arguments): Promise<Place> {
    const place = await files.place(requiredText(args, 'path'), 'read');
    switch (place.kind) {
      case 'file':
        return place;
      case 'folder':
        throw new ToolRefusal(`${place.shown} is a folder. Use list_dir.`);
      case 'absent':
        throw new ToolRefusal(`There is no file ${place.shown}. Find it with glob.`);
      case 'other':
        throw new ToolRefusal(`${place.shown} is neither a file nor a folder.`);
    }
  }
}

function shown(place: Place, text: string, args: Arguments, limit: number): ToolResult {
  if (text === '') return { text: `${place.shown} is empty.`, isError: false, measure: '0 lines' };
  const lines = text.split('\n');
  // What ends with a line feed has no line after it.
  if (lines.at(-1) === '') lines.pop();
  const total = lines.length;
  const start = numberArgument(args, 'start_line', 1) ?? 1;
  const end = Math.min(numberArgument(args, 'end_line', 1) ?? total, total);
  if (start > total) {
    throw new ToolRefusal(`${place.shown} has ${total} lines, so none from ${start} on.`);
  }
  if (end < start) throw new ToolRefusal('end_line comes before start_line.');
  const parts = partsOf(lines.slice(start - 1, end).join('\n'), Math.max(200, limit - 200));
  const part = numberArgument(args, 'part', 1) ?? 1;
  const piece = parts[part - 1];
  if (piece === undefined) {
    throw new ToolRefusal(`There are ${parts.length} parts, so none with number ${part}.`);
  }
  const range =
    start === 1 && end === total ? count(total) : `lines ${start} to ${end} of ${total}`;
  const more =
    parts.length === 1
      ? ''
      : `, part ${part} of ${parts.length}${part < parts.length ? `; the next with part ${part + 1}` : ''}`;
  const measure = end - start + 1 === total ? count(total) : `${end - start + 1} of ${total}`;
  return {
    text: `${place.shown}: ${range}${more}\n${piece}`,
    isError: false,
    measure,
    shown: { kind: 'text', text: piece },
  };
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
