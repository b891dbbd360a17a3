/**
 * Our own search, where there is no ripgrep. The pattern is a stranger's and may take for ever, so it
 * runs in a thread of its own, which ends at the time limit or when the user stops.
 */
import { Worker } from 'node:worker_threads';
import type { Core } from '../../core.ts';
import {
  BINARY_PROBE_BYTES,
  LISTED_ENTRIES,
  SEARCH_MS,
  SEARCHED_FILE_BYTES,
} from '../../limits.ts';
import { onStop } from '../../on-stop.ts';
import { walk } from '../walk.ts';
import { ToolRefusal } from '../tool.ts';
import type { Hit, Search, Searched } from './grep.ts';

/** Runs in the thread; plain text, so that no bundle needs another file. */
const SCRIPT = `
const { workerData: { files, source, flags, limit, probe, most }, parentPort } = require('node:worker_threads');
const { readFileSync, statSync } = require('node:fs');
const pattern = new RegExp(source, flags);
const hits = [];
search: for (const path of files) {
  let data;
  try {
    if (statSync(path).size > most) continue;
    data = readFileSync(path);
  } catch { continue; }
  if (data.subarray(0, probe).includes(0)) continue;
  const lines = data.toString('utf8').split('\\n');
  for (let i = 0; i < lines.length; i++) {
    if (!pattern.test(lines[i])) continue;
    hits.push({ path, line: i + 1, text: lines[i].slice(0, 2000) });
    if (hits.length > limit) break search;
  }
}
parentPort.postMessage(hits);
`;

export async function searchByScript(search: Search, core: Core): Promise<Searched> {
  const source = search.literal
    ? search.pattern.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')
    : search.pattern;
  const flags = search.ignoreCase ? 'iu' : 'u';
  try {
    new RegExp(source, flags);
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'badPattern', why: error.message };
    throw error;
  }
  const { files, isCut } = await filesOf(search, core);
  const data = {
    files,
    source,
    flags,
    limit: LISTED_ENTRIES,
    probe: BINARY_PROBE_BYTES,
    most: SEARCHED_FILE_BYTES,
  };
  const hits = await inThread(data, search.signal);
  return {
    kind: 'found',
    hits: hits.slice(0, LISTED_ENTRIES),
    cut: isCut || hits.length > LISTED_ENTRIES,
  };
}

async function filesOf(
  search: Search,
  core: Core,
): Promise<{ readonly files: readonly string[]; readonly isCut: boolean }> {
  if (search.isFile) return { files: [search.start], isCut: false };
  const walked = walk(search.root, search.start, search.signal);
  const paths: string[] = [];
  const names: string[] = [];
  for await (const file of walked.files) {
    paths.push(file.path);
    names.push(file.name);
  }
  if (search.glob === null) return { files: paths, isCut: walked.isCut() };
  const { problem, matches } = core.matchGlob(search.glob, names);
  if (problem !== null) throw new ToolRefusal(`The glob is not understood: ${problem}.`);
  return { files: matches.map((index) => paths[index] ?? ''), isCut: walked.isCut() };
}

function inThread(workerData: object, signal: AbortSignal): Promise<readonly Hit[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(SCRIPT, { eval: true, workerData });
    let listening = (): void => undefined;
    const done = (settle: () => void): void => {
      clearTimeout(timer);
      listening();
      void worker.terminate().then(settle, reject);
    };
    const timer = setTimeout(() => {
      done(() => {
        reject(
          new ToolRefusal('The search took too long. Use a simpler pattern or a smaller folder.'),
        );
      });
    }, SEARCH_MS);
    worker.once('message', (hits: readonly Hit[]) => {
      done(() => {
        resolve(hits);
      });
    });
    worker.once('error', (error) => {
      done(() => {
        reject(error);
      });
    });
    listening = onStop(signal, () => {
      done(() => {
        reject(new ToolRefusal('The search was stopped.'));
      });
    });
  });
}
