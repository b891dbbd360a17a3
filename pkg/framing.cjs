'use strict';
/**
 * The half of `Session.feed` that stays in JavaScript: it keeps the chunks of a half message, and
 * takes out of them the text that the records of the scanner point to. See `src/wasm/mcp.rs`.
 */

/** Bytes that are handed to the scanner at once; more would only make its memory larger. */
const PIECE = 256 * 1024;
const [ANSWER, WANTED, MADE, NOTIFIED] = [0, 1, 2, 3];
const [COUNT, DONE, KEEP_FROM, ASCII, HEADER, RECORD] = [0, 1, 2, 3, 4, 4];

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
const fastIsUtf8 = globalThis.process?.getBuiltinModule?.('node:buffer')?.isUtf8;
const node = typeof Buffer === 'function' && typeof Buffer.prototype.latin1Slice === 'function';

/** `bytes` as text; each byte is one character below 128. */
function asciiText(bytes) {
  return node
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).latin1Slice()
    : decoder.decode(bytes);
}

/** `bytes` as text; what is not UTF-8 is replaced. */
function text(bytes) {
  return node
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).utf8Slice()
    : decoder.decode(bytes);
}

/** In Node a vector routine; elsewhere the decoder that throws. */
function isUtf8(bytes) {
  if (fastIsUtf8 !== undefined) return fastIsUtf8(bytes);
  try {
    strict.decode(bytes);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
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
    /** Methods of notifications, by their number. */
    this.methods = [];
  }

  /** Views are taken anew after the memory grew. */
  views() {
    if (this.bytes.buffer !== this.memory.buffer) {
      this.bytes = new Uint8Array(this.memory.buffer);
      this.numbers = new Uint32Array(this.memory.buffer);
    }
  }

  feed(chunk, effects) {
    const address = this.session.reserve(chunk.byteLength);
    this.views();
    this.bytes.set(chunk, address);
    this.deal(chunk, this.session.scan(chunk.byteLength), effects);
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
    let whole = null;
    let ascii = null;
    for (;;) {
      this.views();
      const at = address / 4;
      const count = this.numbers[at + COUNT];
      const done = this.numbers[at + DONE] === 1;
      const keepFrom = this.numbers[at + KEEP_FROM];
      const isAscii = this.numbers[at + ASCII] === 1;
      // A copy: dealing with a record may make the memory grow.
      const records = this.numbers.slice(at + HEADER, at + HEADER + count * RECORD);
      for (let n = 0; n < records.length; n += RECORD) {
        const kind = records[n];
        if (kind === MADE) {
          effects.push(...session.take());
        } else {
          const id = records[n + 1];
          const [start, end] = [records[n + 2], records[n + 3]];
          let payload;
          if (start >= this.length && isAscii) {
            ascii ??= asciiText(chunk);
            payload = ascii.slice(start - this.length, end - this.length);
          } else {
            let bytes;
            if (start >= this.length) {
              bytes = chunk.subarray(start - this.length, end - this.length);
            } else {
              whole ??= concat([...this.pieces, chunk], this.length + chunk.byteLength);
              bytes = whole.subarray(start, end);
            }
            payload = text(bytes);
            if (!isUtf8(bytes)) effects.push(...session.replaced());
          }
          if (kind === WANTED) {
            effects.push(...session.accept(payload));
          } else if (kind === NOTIFIED) {
            const method = (this.methods[id] ??= session.methodName(id));
            effects.push({ kind: 'notification', method, params: payload });
          } else if (kind === ANSWER) {
            effects.push({ kind: 'settled', id, outcome: { kind: 'result', text: payload } });
          }
        }
      }
      if (done) {
        this.keep(chunk, keepFrom);
        return;
      }
      address = session.more();
    }
  }

  /** Keeps what stands from `from` on, counted from what is kept. The caller may reuse its bytes. */
  keep(chunk, from) {
    if (from >= this.length) {
      const rest = chunk.slice(from - this.length);
      this.pieces = rest.byteLength > 0 ? [rest] : [];
      this.length = rest.byteLength;
      return;
    }
    if (chunk.byteLength > 0) this.pieces.push(chunk.slice());
    this.length += chunk.byteLength;
    // A message began within what is kept only when what was before it has just ended.
    if (from > 0) {
      const rest = concat(this.pieces, this.length).slice(from);
      this.pieces = [rest];
      this.length = rest.byteLength;
    }
  }
}

/** Gives the sessions of `core` their `feed` and `end`. */
exports.addFraming = function addFraming(core) {
  const kept = new WeakMap();
  const of = (session) => {
    let bytes = kept.get(session);
    if (bytes === undefined) kept.set(session, (bytes = new Kept(core, session)));
    return bytes;
  };
  core.Session.prototype.feed = function feed(bytes) {
    const effects = [];
    for (let at = 0; at < bytes.byteLength; at += PIECE) {
      of(this).feed(bytes.subarray(at, at + PIECE), effects);
    }
    return effects;
  };
  core.Session.prototype.end = function end() {
    const effects = [];
    of(this).end(effects);
    return effects;
  };
  return core;
};
