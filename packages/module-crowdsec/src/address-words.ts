import { isIP } from "node:net";

/** An address as 32-bit words: one for IPv4, four for IPv6. */
export type AddressWords = readonly number[];

function v4Word(text: string): number {
  return text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The groups of one side of `::`; a last part in IPv4 form gives two groups. */
function groupsOf(text: string): number[] {
  return text
    .split(":")
    .filter((part) => part !== "")
    .flatMap((part) => {
      if (!part.includes(".")) {
        return [Number.parseInt(part, 16)];
      }
      const word = v4Word(part);
      return [Math.floor(word / 65_536), word % 65_536];
    });
}

/**
 * Parses an address without a zone. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) becomes IPv4, because a socket
 * for both families shows IPv4 clients this way.
 *
 *     addressWords("192.0.2.1");   // [3221225985]
 *     addressWords("2001:db8::1"); // [536939960, 0, 0, 1]
 * @returns undefined for text that is no address
 */
export function addressWords(text: string): AddressWords | undefined {
  const version = isIP(text);
  if (version === 4) {
    return [v4Word(text)];
  }
  if (version === 0 || text.includes("%")) {
    return undefined;
  }
  const [head = "", tail] = text.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const groups = [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
  const words = [0, 2, 4, 6].map((at) => (groups[at] ?? 0) * 65_536 + (groups[at + 1] ?? 0));
  const [first, second, third, fourth = 0] = words;
  return first === 0 && second === 0 && third === 0xffff ? [fourth] : words;
}

/** The word `index` of a mask with `bits` leading ones. */
export function maskWord(bits: number, index: number): number {
  const ones = Math.min(32, Math.max(0, bits - index * 32));
  return ones === 0 ? 0 : (0xffffffff << (32 - ones)) >>> 0;
}

/** A network: its words after masking, and the length of its prefix. */
export interface Network {
  /** Words of the first address. */
  readonly words: AddressWords;
  /** Length of the prefix: 32 or 128 for a single address. */
  readonly bits: number;
}

/**
 * Parses an address or a range: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. Bits behind the prefix are cleared.
 * @returns undefined for other text
 */
export function networkOf(text: string): Network | undefined {
  const cut = text.indexOf("/");
  const address = cut === -1 ? text : text.slice(0, cut);
  const words = addressWords(address);
  if (words === undefined) {
    return undefined;
  }
  const most = words.length * 32;
  if (cut === -1) {
    return { words, bits: most };
  }
  const given = /^\d{1,3}$/.test(text.slice(cut + 1)) ? Number(text.slice(cut + 1)) : -1;
  const isMapped = most === 32 && address.includes(":");
  const bits = isMapped ? given - 96 : given;
  if (bits < 0 || bits > most) {
    return undefined;
  }
  return { words: words.map((word, index) => (word & maskWord(bits, index)) >>> 0), bits };
}
