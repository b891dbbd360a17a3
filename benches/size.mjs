// The module as it ships, raw and by gzip, and the share of globset with what it brings: by the names
// of functions before wasm-opt, in proportion.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { limited, said } from './lib.mjs';

const shipped = fileURLToPath(new URL('../pkg/wasm/gbs_bg.wasm', import.meta.url));
const named = fileURLToPath(
  new URL('../target/wasm32-unknown-unknown/release/gbs_agent_core.wasm', import.meta.url),
);
const globset = /globset|regex_automata|regex_syntax|aho_corasick|bstr|6skills5globs/;

/** Bytes of code of a module, and of the functions whose names match. */
function code(bytes, pattern) {
  let at = 8;
  const number = () => {
    for (let value = 0, weight = 1; ; weight *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
  };
  const text = () => {
    const length = number();
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const sizes = [];
  const names = new Map();
  let imported = 0;
  while (at < bytes.length) {
    const id = bytes[at++];
    const end = number() + at;
    if (id === 2) {
      for (let left = number(); left > 0; left -= 1) {
        const [from, name] = [text(), text()];
        // Before wasm-bindgen all imports are functions.
        if (bytes[at++] !== 0) throw new Error(`${from}.${name} is no function`);
        number();
        imported += 1;
      }
    } else if (id === 10) {
      for (let left = number(); left > 0; left -= 1) {
        const size = number();
        sizes.push(size);
        at += size;
      }
    } else if (id === 0 && text() === 'name') {
      while (at < end) {
        const part = bytes[at++];
        const next = number() + at;
        if (part === 1) {
          for (let left = number(); left > 0; left -= 1) names.set(number(), text());
        }
        at = next;
      }
    }
    at = end;
  }
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const its = sizes.reduce(
    (sum, size, n) => (pattern.test(names.get(n + imported) ?? '') ? sum + size : sum),
    0,
  );
  // What only describes types to wasm-bindgen does not ship.
  const described = sizes.reduce(
    (sum, size, n) => (/describe/.test(names.get(n + imported) ?? '') ? sum + size : sum),
    0,
  );
  return { all: all - described, its };
}

export const title = 'Size of the module';

export function run({ skip }) {
  const bytes = readFileSync(shipped);
  const rows = [
    limited('Raw', bytes.length / 1000, 750, 'KB'),
    limited('By gzip', gzipSync(bytes, { level: 9 }).length / 1000, 290, 'KB'),
  ];
  if (!existsSync(named)) {
    skip('globset’s share: the module was not built in this clone, so there are no names');
    return rows;
  }
  const { all, its } = code(readFileSync(named), globset);
  const share = its / all;
  const kilobytes = (share * code(bytes, globset).all) / 1000;
  rows.push(
    said(
      'Of it globset, with what runs its expressions',
      `about ${kilobytes.toFixed(0)} KB, ${(share * 100).toFixed(0)} % of the code`,
    ),
  );
  return rows;
}
