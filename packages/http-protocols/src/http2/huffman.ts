import { HpackError } from "./hpack-error.ts";

/**
 * Lengths of the codes of each byte. The 257th code, 30 ones, means "end" and must not occur. The code is canonical:
 * codes increase with their length, and within one length with the byte. Source: RFC 7541, appendix B
 */
// biome-ignore format: one row for 16 bytes
const codeLengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];
const end = 256;
const longestCode = 30;

/** For each code length: its first code, the number of its codes, and the position of their symbols in `symbols`. */
const firstCodes = new Uint32Array(longestCode + 1);
const codeCounts = new Uint32Array(longestCode + 1);
const firstSymbols = new Uint32Array(longestCode + 1);
const symbols = new Uint16Array(codeLengths.length);

let nextCode = 0;
let symbolCount = 0;
for (let length = 1; length <= longestCode; length++) {
  nextCode *= 2;
  firstCodes[length] = nextCode;
  firstSymbols[length] = symbolCount;
  for (const [symbol, symbolLength] of codeLengths.entries()) {
    if (symbolLength === length) {
      symbols[symbolCount++] = symbol;
    }
  }
  codeCounts[length] = symbolCount - (firstSymbols[length] as number);
  nextCode += codeCounts[length] as number;
}

/**
 * Decodes an HPACK string; each byte of the result is one character (latin1).
 * @throws HpackError HPACK_MALFORMED for the code "end", and for padding that is longer than 7 bits or not a prefix of
 * the code "end"
 */
export function decodeHuffman(bytes: Uint8Array, from: number, to: number): string {
  // The shortest codes have five bits.
  const text = Buffer.allocUnsafe(Math.ceil(((to - from) * 8) / 5));
  let length = 0;
  let code = 0;
  let codeLength = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      codeLength++;
      const index = code - (firstCodes[codeLength] as number);
      if (index >= 0 && index < (codeCounts[codeLength] as number)) {
        const symbol = symbols[(firstSymbols[codeLength] as number) + index] as number;
        if (symbol === end) {
          throw new HpackError("HPACK_MALFORMED", "Huffman code of a header ends inside");
        }
        text[length++] = symbol;
        code = 0;
        codeLength = 0;
      }
    }
  }
  if (codeLength > 7 || code !== 2 ** codeLength - 1) {
    throw new HpackError("HPACK_MALFORMED", "Huffman code of a header has wrong padding");
  }
  return text.toString("latin1", 0, length);
}
