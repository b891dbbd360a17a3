// Stands in for a native module of VS Code's server that writes its logs and output channels: without
// it every channel is empty. Same doors, plain files, written at once.
const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname } = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
const WORDS = { warn: 'warning' };

class Logger {
  #file;
  #level = 0;
  #plain = false;

  constructor(_type, _name, file) {
    this.#file = file;
    for (const [level, word] of LEVELS.entries()) this[word] = (text) => this.#write(level, text);
  }

  #write(level, text) {
    if (level < this.#level) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, 23);
    const word = WORDS[LEVELS[level]] ?? LEVELS[level];
    appendFileSync(this.#file, this.#plain ? text : `${time} [${word}] ${text}\n`);
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  clearFormatters() {
    this.#plain = true;
  }

  setPattern() {
    this.#plain = false;
  }

  flush() {}

  drop() {}
}

async function createRotatingLogger(name, file) {
  mkdirSync(dirname(file), { recursive: true });
  return new Logger('rotating', name, file);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createRotatingLogger;
exports.createAsyncRotatingLogger = createRotatingLogger;
