import { HpackError } from "./hpack-error.ts";

/** Bits of the code of each byte value. The codes are canonical, so their lengths say all. */
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];
const longestCode = 30;

/** For each length: the first code of it, how many there are, and where their symbols begin in `symbols`. */
const firstCodes: number[] = [0];
const counts: number[] = [0];
const starts: number[] = [0];
const symbols: number[] = [];
let code = 0;
for (let length = 1; length <= longestCode; length++) {
  const ofLength = codeLengths.flatMap((bits, symbol) => (bits === length ? [symbol] : []));
  code *= 2;
  firstCodes.push(code);
  counts.push(ofLength.length);
  starts.push(symbols.length);
  symbols.push(...ofLength);
  code += ofLength.length;
}

/**
 * Decodes a string literal of HPACK.
 * @throws HpackError for the end-of-string code in it, and for padding that is longer than 7 bits or not all ones
 * Source: RFC 7541, 5.2 and appendix B
 */
export function decodeHuffman(bytes: Uint8Array): Buffer {
  const decoded: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      pending = pending * 2 + (byte & mask ? 1 : 0);
      bits++;
      const index = pending - (firstCodes[bits] ?? 0);
      if (index < (counts[bits] ?? 0)) {
        decoded.push(symbols[(starts[bits] ?? 0) + index] ?? 0);
        pending = 0;
        bits = 0;
      } else if (bits === longestCode) {
        throw new HpackError("a Huffman code that is none");
      }
    }
  }
  if (bits > 7 || pending !== 2 ** bits - 1) {
    throw new HpackError("Huffman padding that is none");
  }
  return Buffer.from(decoded);
}
