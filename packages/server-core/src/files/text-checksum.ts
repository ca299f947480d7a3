import { crc32 } from "node:zlib";

const newline = 0x0a;
const zero = 0x20; // blank
const one = 0x09; // tab
/**
 * White space of JSON. A flipped bit can turn a tab into a carriage return; the line then still counts as a checksum,
 * but a wrong one.
 */
const whiteSpace: ReadonlySet<number> = new Set([zero, one, newline, 0x0d]);
const bits = 32;
/** Size of the last line: a line break, then a blank or a tab for each bit of the CRC-32, highest first. */
const lineBytes = 1 + bits;

/** The text of a file, and the result of its checksum. */
export interface CheckedText {
  /** The text without the checksum line. */
  readonly text: Uint8Array;
  /** `none`: the file was made without a checksum. */
  readonly checksum: "right" | "wrong" | "none";
}

/**
 * Adds a checksum to JSON as a last line of white space. Every JSON reader still reads the file, and a single file,
 * unlike two files, is replaced as a whole.
 */
export function withChecksum(json: Uint8Array): Uint8Array {
  const sum = crc32(json);
  const file = new Uint8Array(json.length + lineBytes);
  file.set(json);
  file[json.length] = newline;
  for (let bit = 0; bit < bits; bit++) {
    file[json.length + 1 + bit] = (sum >>> (bits - 1 - bit)) & 1 ? one : zero;
  }
  return file;
}

/** Removes the checksum and compares it with the text. */
export function readChecked(file: Uint8Array): CheckedText {
  const textBytes = file.length - lineBytes;
  if (textBytes < 0 || file[textBytes] !== newline) {
    return { text: file, checksum: "none" };
  }
  const line = file.subarray(textBytes + 1);
  if (!line.every((byte) => whiteSpace.has(byte))) {
    return { text: file, checksum: "none" };
  }
  const text = file.subarray(0, textBytes);
  const isRight = withChecksum(text)
    .subarray(textBytes + 1)
    .every((byte, at) => byte === line[at]);
  return { text, checksum: isRight ? "right" : "wrong" };
}
