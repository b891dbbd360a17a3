/** `write_file`: a whole file, new or replaced. */
import { TEXT_FILE_BYTES } from '../../limits.ts';
import { difference } from '../difference.ts';
import { digest, type Place } from '../files.ts';
import { bytesOf, textOf } from '../text-file.ts';
import { ToolRefusal, type Arguments, type Tool } from '../tool.ts';
import { parametersOf, requiredText } from './parameters.ts';
import type { Workbench } from './workbench.ts';

interface Writing {
  readonly place: Place;
  /** What stands there; null when nothing does. */
  readonly data: Buffer | null;
  readonly before: string;
  readonly after: string;
  readonly fresh: Buffer;
}

export function writeFileTool(bench: Workbench): Tool {
  const { files, reads, changes } = bench;
  return {
    name: 'write_file',
    description: 'Write a whole file; folders are made. To replace a file, read it first.',
    parameters: parametersOf({ path: { type: 'string' }, content: { type: 'string' } }, [
      'path',
      'content',
    ]),
    origin: { kind: 'builtin' },
    parallel: false,
    readOnly: false,
    line: (args) => ({ icon: 'edit', verb: 'Wrote', object: String(args['path'] ?? '') }),
    subject: async (args) => {
      const { place, data, before, after } = await made(args);
      const diff = difference(before, after).text;
      return { kind: 'write', paths: [place.path], creates: data === null, diff };
    },
    run: async (args, { signal }) => {
      const { place, data, before, after, fresh } = await made(args);
      signal.throwIfAborted();
      await changes.before(place.path, data);
      await files.write(place, fresh, data === null ? null : digest(data));
      reads.note(place.path, digest(fresh));
      const change = await changes.after(place.path, data, fresh, '');
      const found = await bench.diagnostics([place.path], signal);
      const said = data === null ? `Made ${place.shown}.` : `Replaced ${place.shown}.`;
      return {
        text: [said, ...(found === '' ? [] : [found])].join('\n'),
        isError: false,
        measure: `+${change.added} \u2212${change.removed}`,
        shown: { kind: 'diff', text: difference(before, after).text },
        changes: [change],
      };
    },
  };

  async function made(args: Arguments): Promise<Writing> {
    const place = await files.place(requiredText(args, 'path'), 'write');
    const content = requiredText(args, 'content');
    if (place.kind === 'absent') {
      return { place, data: null, before: '', after: content, fresh: Buffer.from(content, 'utf8') };
    }
    if (place.kind !== 'file') throw new ToolRefusal(`${place.shown} is not a file.`);
    const data = await files.read(place, TEXT_FILE_BYTES);
    const seen = reads.of(place.path);
    if (seen === null) {
      throw new ToolRefusal(`${place.shown} exists. Read it first, then replace or edit it.`);
    }
    if (seen !== digest(data)) {
      throw new ToolRefusal(`${place.shown} changed since you read it. Read it again.`);
    }
    const file = textOf(data);
    if (file.kind === 'binary' || !file.faithful) {
      throw new ToolRefusal(`${place.shown} is not plain text, so it is not replaced.`);
    }
    // The file keeps the line ends it had.
    const keepsCrlf = file.text.includes('\r\n') && !/(?<!\r)\n/u.test(file.text);
    const after = keepsCrlf ? content.replace(/\r?\n/gu, '\r\n') : content;
    return { place, data, before: file.text, after, fresh: bytesOf(after, file.encoding) };
  }
}
