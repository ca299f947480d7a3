import { addressWords, maskWord } from "./address-words.ts";
import { type Decision, strictness } from "./decision.ts";

/**
 * Decisions about networks with prefixes of one length, sorted by network and type. All arrays are in shared memory, so
 * each thread reads the same bytes.
 */
export interface NetworkGroup {
  /** Length of the prefixes. */
  readonly bits: number;
  /** Words of the networks, one after the other: one word each for IPv4, four for IPv6. */
  readonly keys: Uint32Array;
  /** End of each decision, in seconds since 1970. */
  readonly ends: Uint32Array;
  /** Kind of each decision, as an index of `kinds`. */
  readonly kinds: Uint16Array;
}

/** Type and origin of decisions. Millions of decisions share a few. */
export interface DecisionKind {
  /** `ban`, `captcha`, … */
  readonly type: string;
  /** `crowdsec`, `CAPI`, … */
  readonly origin: string;
}

/** A snapshot of all decisions. It is cloned into other threads; its arrays are shared. */
export interface TableData {
  /** Rises with each snapshot, so that a thread never goes back to an older one. */
  readonly version: number;
  /** Kinds that the groups refer to. */
  readonly kinds: readonly DecisionKind[];
  /** Groups of IPv4, and of IPv6, the longest prefixes first. */
  readonly families: readonly [v4: readonly NetworkGroup[], v6: readonly NetworkGroup[]];
}

export const emptyTable: TableData = { version: 0, kinds: [], families: [[], []] };

/** Words of each key of a family. */
export const familyWords = [1, 4] as const;

/** Compares the key at `index` with words. @returns a negative number when the key comes first */
function compareKey(keys: Uint32Array, index: number, words: readonly number[]): number {
  for (let word = 0; word < words.length; word++) {
    const difference = (keys[index * words.length + word] ?? 0) - (words[word] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** Index of the first key that is not before the words. */
function lowerBound({ keys }: NetworkGroup, words: readonly number[]): number {
  let [low, high] = [0, keys.length / words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKey(keys, middle, words) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * Finds the strictest active decision about an address. Each prefix length in the table costs one binary search: 20
 * steps among a million addresses.
 * @param nowS seconds since 1970
 * @returns undefined when the client is allowed. @throws Error for text that is no address
 */
export function findDecision(table: TableData, address: string, nowS: number): Decision | undefined {
  const words = addressWords(address.replace(/%.*$/, ""));
  if (words === undefined) {
    throw new Error(`the client's address ${JSON.stringify(address)} is no IP address`);
  }
  let found: Decision | undefined;
  for (const group of table.families[words.length === 1 ? 0 : 1]) {
    const masked = words.map((word, index) => (word & maskWord(group.bits, index)) >>> 0);
    for (
      let at = lowerBound(group, masked);
      at < group.ends.length && compareKey(group.keys, at, masked) === 0;
      at++
    ) {
      const kind = table.kinds[group.kinds[at] ?? 0];
      const secondsLeft = (group.ends[at] ?? 0) - nowS;
      if (
        kind !== undefined &&
        secondsLeft > 0 &&
        strictness(kind.type) > (found === undefined ? 0 : strictness(found.type))
      ) {
        found = { ...kind, secondsLeft };
      }
    }
  }
  return found;
}
