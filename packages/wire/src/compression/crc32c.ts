/** Polynomial of CRC-32C (Castagnoli), with reversed bits. */
const polynomial = 0x82f63b78;

/**
 * Eight tables of 256 numbers, stored one after the other. Table n contains the effect of each byte value on the
 * checksum when n more bytes follow.
 */
const tables = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte++) {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) {
    sum = (sum >>> 1) ^ ((sum & 1) === 0 ? 0 : polynomial);
  }
  tables[byte] = sum;
}
for (let index = 256; index < tables.length; index++) {
  const before = tables[index - 256] as number;
  tables[index] = (before >>> 8) ^ (tables[before & 0xff] as number);
}

/**
 * The CRC-32C of `bytes[start, end)`, as an unsigned number.
 * Source: RFC 3720, appendix B.4 (test vectors); eight bytes at a time, as in Intel's "slicing by 8".
 */
export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = -1;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    const first = view.getInt32(at, true) ^ sum;
    const second = view.getInt32(at + 4, true);
    sum =
      (tables[7 * 256 + (first & 0xff)] as number) ^
      (tables[6 * 256 + ((first >>> 8) & 0xff)] as number) ^
      (tables[5 * 256 + ((first >>> 16) & 0xff)] as number) ^
      (tables[4 * 256 + (first >>> 24)] as number) ^
      (tables[3 * 256 + (second & 0xff)] as number) ^
      (tables[2 * 256 + ((second >>> 8) & 0xff)] as number) ^
      (tables[256 + ((second >>> 16) & 0xff)] as number) ^
      (tables[second >>> 24] as number);
  }
  for (; at < end; at++) {
    sum = (sum >>> 8) ^ (tables[(sum ^ (bytes[at] as number)) & 0xff] as number);
  }
  return ~sum >>> 0;
}
