/**
 * The half of `parseSkill` and `parseSkills` that stays in JavaScript: it puts many files into one call,
 * takes apart the numbers and the text that come back, and decodes the bodies from the bytes it has. A
 * body never crosses as JSON, whose escapes cost more than reading the file. See
 * `src/wasm/front_matter.rs`.
 */
import { bytesOf, read } from './arguments.mjs';
import { asciiText, validText, wideText } from './text.mjs';

/** Bytes of a batch; more would only make the core's memory larger. A larger file is one alone. */
const BATCH_BYTES = 512 * 1024;
/** Files of a batch: about a millisecond of work. */
const BATCH_FILES = 64;

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

/** The files as they are now, read once; their bytes are not copied. */
function own(files) {
  return read('files', () => {
    if (!Array.isArray(files)) throw new TypeError('it must be an array');
    const { length } = files;
    const own = [];
    for (let n = 0; n < length; n += 1) {
      const { bytes, folderName } = files[n] ?? {};
      const plain = bytesOf('files', bytes);
      if (typeof folderName !== 'string') throw new TypeError('each needs a folderName, a string');
      if (folderName.includes('\0')) throw new TypeError('no folderName may hold NUL');
      own.push({ bytes: plain, folderName });
    }
    return own;
  });
}

/** Where the batch ends that begins at `start`. */
function endOfBatch(files, start) {
  let length = 0;
  let end = start;
  while (end < files.length && end - start < BATCH_FILES) {
    length += files[end].bytes.byteLength;
    if (length > BATCH_BYTES && end > start) break;
    end += 1;
  }
  return end;
}

/**
 * Files on their way through the core, a batch at a time; what they became stands in `skills`. What
 * crosses is a copy, and bodies are taken from it: between two batches a caller may do anything.
 */
class Reading {
  constructor(memory, files) {
    this.memory = memory;
    this.files = files;
    this.skills = [];
    this.bytes = null;
    this.lengths = null;
  }

  /** The bytes, lengths and folder names of the next batch, if there is one. */
  next() {
    const { files } = this;
    const start = this.skills.length;
    if (start === files.length) return undefined;
    const end = endOfBatch(files, start);
    let length = 0;
    for (let n = start; n < end; n += 1) length += files[n].bytes.byteLength;
    const bytes = new Uint8Array(length);
    const lengths = new Uint32Array(end - start);
    const names = new Array(end - start);
    let at = 0;
    for (let n = start; n < end; n += 1) {
      const file = files[n];
      // Looked at again: its memory may have been transferred since.
      const own = bytesOf('files', file.bytes);
      bytes.set(own, at);
      at += own.byteLength;
      lengths[n - start] = own.byteLength;
      names[n - start] = file.folderName;
    }
    this.bytes = typeof Buffer === 'function' ? Buffer.from(bytes.buffer) : bytes;
    this.lengths = lengths;
    return [bytes, lengths, names.join('\0')];
  }

  /** Takes in what the batch became. */
  take(numbersAt, textAt) {
    const taken = new Taken(this.memory, numbersAt, textAt, this.bytes);
    let at = 0;
    for (const length of this.lengths) this.skills.push(taken.skill(at, (at += length)));
  }
}

const SEVERITIES = ['error', 'warning', 'info'];
/** Of fixes; what is neither, and not 0, is an edit. */
const [RENAME_FOLDER, SAVE_AS_UTF8] = [2, 3];

/** Takes apart what a batch became; see `Batch` in `src/skills/front_matter/wire.rs`. */
class Taken {
  constructor(memory, numbersAt, textAt, bytes) {
    this.bytes = bytes;
    this.numbers = new Uint32Array(memory.buffer, numbersAt);
    this.memory =
      typeof Buffer === 'function' ? Buffer.from(memory.buffer) : new Uint8Array(memory.buffer);
    /** Where the text of all skills ends, and that of the next one begins, in bytes and in code units. */
    this.textEnd = textAt + this.numbers[0];
    this.textAt = textAt;
    this.units = 0;
    /** The text from where it was first not ASCII, as UTF-16, and at which code unit that begins. */
    this.wide = undefined;
    this.wideAt = 0;
    /** The next number, and the next place in the text of the current skill. */
    this.number = 1;
    this.place = 0;
    this.own = '';
  }

  next() {
    return this.numbers[this.number++];
  }

  /** The text of the next skill. */
  nextText(bytes, units, isAscii) {
    const start = this.textAt;
    const unit = this.units;
    this.textAt += bytes;
    this.units += units;
    if (isAscii) return asciiText(this.memory, start, this.textAt);
    // For many skills at once this costs a fifth of what it costs for each.
    if (this.wide === undefined) {
      this.wide = wideText(this.memory, start, this.textEnd);
      this.wideAt = unit;
    }
    if (this.wide === null) return validText(this.memory, start, this.textAt);
    const at = unit - this.wideAt;
    return this.wide.ucs2Slice(2 * at, 2 * (at + units));
  }

  /** The next text, `length` long. */
  text(length) {
    return this.own.slice(this.place, (this.place += length));
  }

  textOrNull() {
    const length = this.next();
    return length === 0 ? null : this.text(length - 1);
  }

  /** A text that may be a part of the header, with which the skill's text begins. */
  partOrNull() {
    const length = this.next();
    const start = this.next();
    if (length === 0) return null;
    return start === 0 ? this.text(length - 1) : this.own.slice(start - 1, start + length - 2);
  }

  list() {
    const texts = new Array(this.next());
    for (let n = 0; n < texts.length; n += 1) texts[n] = this.text(this.next());
    return texts;
  }

  position() {
    const line = this.next();
    return { line, column: this.next() };
  }

  problems() {
    const problems = new Array(this.next());
    for (let n = 0; n < problems.length; n += 1) {
      const severity = SEVERITIES[this.next()];
      const code = this.text(this.next());
      const message = this.text(this.next());
      const start = this.position();
      const end = this.position();
      problems[n] = { code, severity, message, start, end, fix: this.fix() };
    }
    return problems;
  }

  fix() {
    const kind = this.next();
    if (kind === 0) return null;
    const title = this.text(this.next());
    if (kind === RENAME_FOLDER) return { kind: 'renameFolder', title, to: this.text(this.next()) };
    if (kind === SAVE_AS_UTF8) return { kind: 'saveAsUtf8', title };
    const edits = new Array(this.next());
    for (let n = 0; n < edits.length; n += 1) {
      const start = this.position();
      const end = this.position();
      edits[n] = { start, end, text: this.text(this.next()) };
    }
    return { kind: 'edit', title, edits };
  }

  /** The body, which stands in the bytes from `from` to `to`. */
  body(from, to, isAscii) {
    if (from === to) return '';
    return isAscii ? asciiText(this.bytes, from, to) : validText(this.bytes, from, to);
  }

  /** The next skill, whose file stands in the bytes from `from` to `to`. */
  skill(from, to) {
    const flags = this.next();
    const bytes = this.next();
    this.own = this.nextText(bytes, this.next(), (flags & 8) !== 0);
    this.place = 0;
    const bodyStart = this.next();
    const bodyLine = this.next();
    const frontMatter = this.textOrNull();
    const name = this.textOrNull();
    const version = this.textOrNull();
    const license = this.textOrNull();
    const compatibility = this.textOrNull();
    const author = this.textOrNull();
    const argumentHint = this.textOrNull();
    const body = this.textOrNull() ?? this.body(from + bodyStart - 1, to, (flags & 16) !== 0);
    const problems = this.problems();
    const description = this.partOrNull();
    const metadata = this.partOrNull();
    const autoAttach = this.list();
    const tags = this.list();
    const allowedTools = this.list();
    return {
      usable: (flags & 1) !== 0,
      name,
      description,
      version,
      frontMatter,
      fields: {
        autoAttach,
        license,
        compatibility,
        author,
        tags,
        allowedTools,
        disableModelInvocation: (flags & 2) !== 0,
        userInvocable: (flags & 4) !== 0,
        argumentHint,
        metadata,
      },
      body,
      bodyLine,
      problems,
    };
  }
}

/** Gives `core` its `parseSkills` and `parseSkillsAsync`, and a `parseSkill` that goes the same way. */
export function addSkills(core) {
  const memory = core.wasmMemory();

  const asJson = core.parseSkill;
  core.parseSkill = function parseSkill(bytes, folderName) {
    // Names are separated by NUL.
    if (folderName.includes('\0')) return asJson(bytes, folderName);
    let skill;
    core.parseSkillBatch(
      bytes,
      Uint32Array.of(bytes.byteLength),
      folderName,
      (numbersAt, textAt) => {
        skill = new Taken(memory, numbersAt, textAt, bytes).skill(0, bytes.byteLength);
      },
    );
    return skill;
  };
  core.parseSkills = function parseSkills(given) {
    const reading = new Reading(memory, own(given));
    const take = (numbersAt, textAt) => reading.take(numbersAt, textAt);
    for (let next = reading.next(); next !== undefined; next = reading.next()) {
      core.parseSkillBatch(...next, take);
    }
    return reading.skills;
  };
  core.parseSkillsAsync = async function parseSkillsAsync(given) {
    const reading = new Reading(memory, own(given));
    const next = async () => {
      if (reading.skills.length > 0) await pause();
      return reading.next();
    };
    await core.parseSkillBatches(next, (numbersAt, textAt) => reading.take(numbersAt, textAt));
    return reading.skills;
  };
  return core;
}
