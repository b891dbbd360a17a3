'use strict';
/**
 * The half of `parseSkills` that stays in JavaScript: it puts many files into one call, decodes the
 * one JSON text that comes back, and takes the bodies from the bytes it has. See
 * `src/wasm/front_matter.rs`.
 */

/** Bytes of a batch; more would only make the core's memory larger. A larger file is one alone. */
const BATCH_BYTES = 512 * 1024;
/** Files of a batch: about a millisecond of work. */
const BATCH_FILES = 64;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const node = typeof Buffer === 'function' && typeof Buffer.prototype.utf8Slice === 'function';

/** The UTF-8 in `bytes` from `start` on. */
function textFrom(bytes, start) {
  const rest = bytes.subarray(start);
  return node
    ? Buffer.from(rest.buffer, rest.byteOffset, rest.byteLength).utf8Slice()
    : decoder.decode(rest);
}

/** Lets other work have its turn. */
const pause =
  typeof setImmediate === 'function'
    ? () => new Promise((resolve) => setImmediate(resolve))
    : () =>
        new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => {
            port1.close();
            resolve();
          };
          port2.postMessage(null);
        });

function check(files) {
  const wrong = !Array.isArray(files)
    ? 'it must be an array'
    : files.some((file) => !(file?.bytes instanceof Uint8Array))
      ? 'each needs bytes, a Uint8Array'
      : files.some((file) => typeof file.folderName !== 'string')
        ? 'each needs a folderName, a string'
        : null;
  if (wrong === null) return;
  throw Object.assign(new Error(`argument files: ${wrong}`), { code: 'INVALID_ARGUMENT' });
}

/** The files from `start` on that make one batch. */
function batch(files, start) {
  let length = 0;
  let end = start;
  while (end < files.length && end - start < BATCH_FILES) {
    const next = length + files[end].bytes.byteLength;
    if (next > BATCH_BYTES && end > start) break;
    length = next;
    end += 1;
  }
  const bytes = new Uint8Array(length);
  const lengths = new Uint32Array(end - start);
  const names = [];
  let at = 0;
  for (let n = start; n < end; n += 1) {
    const file = files[n];
    bytes.set(file.bytes, at);
    at += file.bytes.byteLength;
    lengths[n - start] = file.bytes.byteLength;
    names.push(file.folderName);
  }
  return { end, bytes, lengths, names };
}

/** Adds the skills in `json` to `skills`; `files` begin with those that are there already. */
function add(json, files, skills) {
  const { skills: read, bodies } = JSON.parse(json);
  for (let n = 0; n < read.length; n += 1) {
    const skill = read[n];
    if (bodies[n] >= 0) skill.body = textFrom(files[skills.length].bytes, bodies[n]);
    skills.push(skill);
  }
}

/** Gives `core` its `parseSkills` and `parseSkillsAsync`. */
exports.addSkills = function addSkills(core) {
  core.parseSkills = function parseSkills(files) {
    check(files);
    const skills = [];
    while (skills.length < files.length) {
      const { bytes, lengths, names } = batch(files, skills.length);
      add(core.parseSkillBatch(bytes, lengths, names), files, skills);
    }
    return skills;
  };
  core.parseSkillsAsync = async function parseSkillsAsync(files) {
    check(files);
    const skills = [];
    await core.parseSkillBatches(
      async () => {
        if (skills.length > 0) await pause();
        if (skills.length === files.length) return undefined;
        const { bytes, lengths, names } = batch(files, skills.length);
        return [bytes, lengths, names];
      },
      (json) => add(json, files, skills),
    );
    return skills;
  };
  return core;
};
