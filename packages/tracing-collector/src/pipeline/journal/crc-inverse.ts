/** The step of CRC-32 (IEEE 802.3, as zlib's) for each byte. */
const steps = new Uint32Array(256).map((_, byte) => {
  let state = byte;
  for (let bit = 0; bit < 8; bit++) {
    state = state & 1 ? (state >>> 1) ^ 0xedb8_8320 : state >>> 1;
  }
  return state >>> 0;
});

/** The inverse of the table: the index of a step, by the first byte of the step. All first bytes differ. */
const byFirstByte = new Uint8Array(256);
for (const [byte, step] of steps.entries()) {
  byFirstByte[step >>> 24] = byte;
}

/** Computes the initial value of a checksum. @param checksum the checksum of `bytes` */
export function seedOf(checksum: number, bytes: Uint8Array): number {
  let state = ~checksum >>> 0;
  for (let at = bytes.length - 1; at >= 0; at--) {
    state = before(state, bytes[at] as number);
  }
  return ~state >>> 0;
}

/**
 * Finds the changed byte in a word of four bytes, when at most one byte differs from the checksummed data.
 * @param difference XOR of the stored and the computed checksum
 * @param after number of bytes between the word and the end of the checksummed data
 * @returns bits to flip in the word, little-endian; undefined when no single byte explains the difference
 */
export function changedByte(difference: number, after: number): number | undefined {
  let state = difference >>> 0;
  for (let left = after; left > 0; left--) {
    state = before(state, 0);
  }
  for (let place = 3; place >= 0; place--) {
    state = before(state, 0);
    // The byte at this position explains the whole difference.
    if (state > 0 && state < 256) {
      return (state << (8 * place)) >>> 0;
    }
  }
  return undefined;
}

function before(state: number, byte: number): number {
  const index = byFirstByte[state >>> 24] as number;
  return (((state ^ (steps[index] as number)) << 8) | (index ^ byte)) >>> 0;
}
