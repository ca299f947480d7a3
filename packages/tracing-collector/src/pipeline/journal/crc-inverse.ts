/** The steps of CRC-32 (IEEE 802.3, as zlib's), by byte. */
const steps = new Uint32Array(256).map((_, byte) => {
  let state = byte;
  for (let bit = 0; bit < 8; bit++) state = state & 1 ? (state >>> 1) ^ 0xedb8_8320 : state >>> 1;
  return state >>> 0;
});

/** By the first byte of a step: whose step it is. No two have the same. */
const byFirstByte = new Uint8Array(256);
for (const [byte, step] of steps.entries()) byFirstByte[step >>> 24] = byte;

/** What a checksum was begun with. @param checksum that of `bytes` */
export function seedOf(checksum: number, bytes: Uint8Array): number {
  let state = ~checksum >>> 0;
  for (let at = bytes.length - 1; at >= 0; at--) state = before(state, bytes[at] as number);
  return ~state >>> 0;
}

/**
 * What was changed in a word of four bytes, of which one may be another than when the checksum was made.
 * @param difference of the checksum then and now, bit by bit
 * @param after bytes between the word and the end of what the checksum is of
 * @returns bits to be changed back in the word, little-endian; undefined where no one byte of it explains the difference
 */
export function changedByte(difference: number, after: number): number | undefined {
  let state = difference >>> 0;
  for (let left = after; left > 0; left--) state = before(state, 0);
  for (let place = 3; place >= 0; place--) {
    state = before(state, 0);
    // All the change came in with the byte at this place.
    if (state > 0 && state < 256) return (state << (8 * place)) >>> 0;
  }
  return undefined;
}

function before(state: number, byte: number): number {
  const index = byFirstByte[state >>> 24] as number;
  return (((state ^ (steps[index] as number)) << 8) | (index ^ byte)) >>> 0;
}
