/**
 * The half of `Session.feed` that stays in JavaScript: it keeps the chunks of a half message, and
 * takes out of them the text that the records of the scanner point to. See `src/wasm/mcp.rs`.
 */
import { asciiText, isUtf8, text, validText } from './text.mjs';

/** Bytes that are handed to the scanner at once; more would only make its memory larger. */
const PIECE = 256 * 1024;
const [ANSWER, WANTED, MADE, NOTIFIED] = [0, 1, 2, 3];
const [COUNT, DONE, KEEP_FROM, ASCII, HEADER, RECORD] = [0, 1, 2, 3, 4, 4];

/** A copy of what stands from `from` on; a `Buffer`'s own `slice` would be a view. */
function copy(bytes, from) {
  return Uint8Array.prototype.slice.call(bytes, from);
}

/** A line of its own. Raw line breaks stand only between the parts of JSON, where a blank is the same. */
function oneLine(bytes) {
  const line = new Uint8Array(bytes.byteLength + 1);
  line.set(bytes);
  for (const lineBreak of [10, 13]) {
    for (let at = line.indexOf(lineBreak); at >= 0; at = line.indexOf(lineBreak, at + 1)) {
      line[at] = 32;
    }
  }
  line[bytes.byteLength] = 10;
  return line;
}

function concat(pieces, length) {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}

/** The bytes of one session that may still be asked for. */
class Kept {
  constructor(core, session) {
    this.memory = core.wasmMemory();
    this.session = session;
    this.bytes = new Uint8Array(this.memory.buffer);
    this.numbers = new Uint32Array(this.memory.buffer);
    /** Pieces of what began in earlier chunks. */
    this.pieces = [];
    this.length = 0;
    /** Where chunks are written, and how long they may be before that has to be asked again. */
    this.address = 0;
    this.reserved = -1;
    /** Methods of notifications, by their number. */
    this.methods = [];
    /** The text of the chunk where it is ASCII, and whether it is UTF-8; once asked for. */
    this.texts = { ascii: null, valid: null };
  }

  /** Views are taken anew after the memory grew, which leaves the old ones empty. */
  views() {
    if (this.bytes.length === 0) {
      this.bytes = new Uint8Array(this.memory.buffer);
      this.numbers = new Uint32Array(this.memory.buffer);
    }
  }

  feed(chunk, effects) {
    const length = chunk.byteLength;
    if (length > this.reserved) {
      this.address = this.session.reserve(length);
      this.reserved = length;
    }
    this.views();
    this.bytes.set(chunk, this.address);
    this.deal(chunk, this.session.scan(length), effects);
  }

  end(effects) {
    this.deal(new Uint8Array(0), this.session.lastLine(), effects);
    effects.push(...this.session.finish());
    this.pieces = [];
    this.length = 0;
  }

  /** Deals with the records at `address`, and with those that come after them. */
  deal(chunk, address, effects) {
    const { session } = this;
    const { texts } = this;
    texts.ascii = null;
    texts.valid = null;
    for (;;) {
      this.views();
      let { numbers } = this;
      const at = address / 4;
      const count = numbers[at + COUNT];
      const done = numbers[at + DONE] === 1;
      const keepFrom = numbers[at + KEEP_FROM];
      const ascii = numbers[at + ASCII] === 1;
      const alone = count === 1 && done;
      for (let record = at + HEADER; record < at + HEADER + count * RECORD; record += RECORD) {
        const kind = numbers[record];
        const id = numbers[record + 1];
        const payload =
          kind === MADE
            ? ''
            : this.payload(chunk, ascii, alone, numbers[record + 2], numbers[record + 3], effects);
        if (kind === ANSWER) {
          effects.push({ kind: 'settled', id, outcome: { kind: 'result', text: payload } });
        } else if (kind === NOTIFIED) {
          const method = (this.methods[id] ??= session.methodName(id));
          effects.push({ kind: 'notification', method, params: payload });
        } else if (kind === WANTED) {
          effects.push(...session.accept(payload));
        } else {
          effects.push(...session.take());
        }
        // What is done with a record may make the memory grow; the records stay where they are.
        if (numbers.length === 0) {
          this.views();
          ({ numbers } = this);
        }
      }
      if (done) {
        texts.ascii = null;
        this.keep(chunk, keepFrom);
        return;
      }
      address = session.more();
    }
  }

  /** The text from `start` to `end`, counted from what is kept. */
  payload(chunk, ascii, alone, start, end, effects) {
    const { texts } = this;
    if (ascii && start >= this.length) {
      // Of several, each is a slice of the one text.
      if (alone) return asciiText(chunk, start - this.length, end - this.length);
      texts.ascii ??= asciiText(chunk);
      return texts.ascii.slice(start - this.length, end - this.length);
    }
    let bytes;
    if (start >= this.length) {
      bytes = chunk.subarray(start - this.length, end - this.length);
      // A chunk that is whole characters need not be looked at piece by piece.
      texts.valid ??= isUtf8(chunk);
      if (texts.valid) return validText(bytes);
    } else {
      bytes = this.across(chunk, start, end);
    }
    if (isUtf8(bytes)) return validText(bytes);
    effects.push(...this.session.replaced());
    return text(bytes);
  }

  /** The bytes from `start`, which is in a piece, to `end`. */
  across(chunk, start, end) {
    const parts = [];
    let at = 0;
    let length = 0;
    for (const piece of [...this.pieces, chunk]) {
      const next = at + piece.byteLength;
      if (next > start && at < end) {
        const part = piece.subarray(Math.max(start - at, 0), Math.min(end, next) - at);
        parts.push(part);
        length += part.byteLength;
      }
      at = next;
    }
    return parts.length === 1 ? parts[0] : concat(parts, length);
  }

  /** Keeps what stands from `from` on, counted from what is kept. The caller may reuse its bytes. */
  keep(chunk, from) {
    if (from >= this.length + chunk.byteLength) {
      if (this.length > 0) this.pieces = [];
      this.length = 0;
      return;
    }
    if (from >= this.length) {
      const rest = copy(chunk, from - this.length);
      this.pieces = rest.byteLength > 0 ? [rest] : [];
      this.length = rest.byteLength;
      return;
    }
    if (chunk.byteLength > 0) this.pieces.push(copy(chunk, 0));
    this.length += chunk.byteLength;
    // A message began within what is kept only when what was before it has just ended.
    if (from > 0) {
      const rest = copy(concat(this.pieces, this.length), from);
      this.pieces = [rest];
      this.length = rest.byteLength;
    }
  }
}

/** Gives the sessions of `core` their `request`, `feed`, `message` and `end`. */
export function addFraming(core) {
  const kept = Symbol('kept');
  const of = (session) => (session[kept] ??= new Kept(core, session));
  const limits = Symbol('limits');
  const overHttp = Symbol('overHttp');
  core.Session.prototype.request = function request(method, paramsJson) {
    if ((this[overHttp] ??= this.overHttp())) return this.requestOverHttp(method, paramsJson);
    const line = this.ask(method, paramsJson);
    const id = this.asked();
    const [ms, atMostMs] = (this[limits] ??= this.callLimits());
    const effects = [
      { kind: 'send', line },
      { kind: 'wait', id, ms, atMostMs },
    ];
    return { id, effects };
  };
  core.Session.prototype.feed = function feed(bytes) {
    const effects = [];
    const its = of(this);
    if (bytes.byteLength <= PIECE) {
      its.feed(bytes, effects);
      return effects;
    }
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      its.feed(bytes.subarray(at, at + PIECE), effects);
    }
    return effects;
  };
  core.Session.prototype.message = function message(whole) {
    return this.feed(oneLine(whole));
  };
  core.Session.prototype.end = function end() {
    const effects = [];
    of(this).end(effects);
    return effects;
  };
  return core;
}
