/**
 * Bytes that come in pieces, kept as one. Whoever sends them chooses how small the pieces are, and each
 * piece that is kept by itself costs more than a hundred bytes.
 */
const FIRST_BYTES = 16 * 1024;

export class GatheredBytes {
  #room = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.byteLength;
    if (length > this.#room.byteLength) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(length, FIRST_BYTES, this.#room.byteLength * 2),
      );
      larger.set(this.#room.subarray(0, this.#length));
      this.#room = larger;
    }
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  /** What came so far; the next piece may or may not show in it. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }
}
