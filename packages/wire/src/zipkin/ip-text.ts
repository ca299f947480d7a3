import { isIPv4, isIPv6 } from "node:net";

/**
 * Parses an IP address into 4 or 16 bytes.
 * @returns undefined when the text is not an address; a zone such as `%eth0` makes it invalid
 */
export function parseIp(text: string): Buffer | undefined {
  if (isIPv4(text)) {
    return Buffer.from(text.split(".").map(Number));
  }
  if (!isIPv6(text) || text.includes("%")) {
    return undefined;
  }
  // The last 32 bits may be written as IPv4.
  const words = text.replace(/\d+\.\d+\.\d+\.\d+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [head = "", tail] = words.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const bytes = Buffer.alloc(16);
  for (const [index, word] of first.entries()) {
    bytes.writeUInt16BE(Number.parseInt(word, 16), index * 2);
  }
  for (const [index, word] of last.entries()) {
    bytes.writeUInt16BE(Number.parseInt(word, 16), 16 - (last.length - index) * 2);
  }
  return bytes;
}

/**
 * Prints an IP address in the form of RFC 5952, including IPv4 addresses mapped into IPv6. Bytes of another length
 * become `?` and their hex digits.
 */
export function ipText(bytes: Uint8Array): string {
  if (bytes.length === 4) {
    return bytes.join(".");
  }
  if (bytes.length !== 16) {
    return `?${Buffer.from(bytes).toString("hex")}`;
  }
  const isMapped =
    bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) {
    return bytes.subarray(12).join(".");
  }
  const words = Array.from(
    { length: 8 },
    (_, index) => (bytes[index * 2] as number) * 256 + (bytes[index * 2 + 1] as number),
  );
  const { start, length } = longestZeros(words);
  const hex = words.map((word) => word.toString(16));
  if (length < 2) {
    return hex.join(":");
  }
  return `${hex.slice(0, start).join(":")}::${hex.slice(start + length).join(":")}`;
}

/** Finds the longest run of zeros; among runs of the same length it takes the first one. */
function longestZeros(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let length = 0;
  for (const [index, word] of words.entries()) {
    length = word === 0 ? length + 1 : 0;
    if (length > best.length) {
      best = { start: index + 1 - length, length };
    }
  }
  return best;
}
