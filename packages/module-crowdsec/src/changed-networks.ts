import type { Network } from "./address-words.ts";
import type { NetworkGroup } from "./decision-table.ts";

/** A growing list of networks. Its capacity doubles, so a million entries are copied at most twenty times. */
class NetworkList {
  readonly words: 1 | 4;
  keys: Uint32Array<ArrayBuffer>;
  ends: Uint32Array<ArrayBuffer>;
  kinds: Uint16Array<ArrayBuffer>;
  length = 0;

  constructor(words: 1 | 4) {
    this.words = words;
    this.keys = new Uint32Array(16 * words);
    this.ends = new Uint32Array(16);
    this.kinds = new Uint16Array(16);
  }

  push(words: readonly number[], end: number, kind: number): void {
    if (this.length === this.ends.length) {
      this.#grow();
    }
    this.keys.set(words, this.length * this.words);
    this.ends[this.length] = end;
    this.kinds[this.length] = kind;
    this.length++;
  }

  #grow(): void {
    const [keys, ends, kinds] = [this.keys, this.ends, this.kinds];
    this.keys = new Uint32Array(keys.length * 2);
    this.ends = new Uint32Array(ends.length * 2);
    this.kinds = new Uint16Array(kinds.length * 2);
    this.keys.set(keys);
    this.ends.set(ends);
    this.kinds.set(kinds);
  }
}

/** Returns the number of a kind's type, which distinguishes the decisions about one network. */
type TypeOf = (kind: number) => number;

/** Compares a key of one list with a key of another. @returns a negative number when the first key comes first */
type KeyComparer = (a: Uint32Array, indexA: number, b: Uint32Array, indexB: number) => number;

/** @param words words of each key */
function keyComparer(words: 1 | 4): KeyComparer {
  return (a, indexA, b, indexB) => {
    for (let word = 0; word < words; word++) {
      const difference = (a[indexA * words + word] ?? 0) - (b[indexB * words + word] ?? 0);
      if (difference !== 0) {
        return difference;
      }
    }
    return 0;
  };
}

/**
 * Indexes of a list, sorted by network and type; equal entries are reduced to the last one. The sort uses 64-bit
 * numbers of the network's first word and the index, because a comparison function would take seconds for a million
 * entries.
 */
function sortedIndexes(list: NetworkList, typeOf: TypeOf): Uint32Array {
  const { words, keys, kinds, length } = list;
  const packed = new BigUint64Array(length);
  for (let index = 0; index < length; index++) {
    packed[index] = (BigInt(keys[index * words] ?? 0) << 32n) | BigInt(index);
  }
  packed.sort();
  const order = Uint32Array.from(packed, (each) => Number(each & 0xffffffffn));
  const compareKeys = keyComparer(words);
  const compare = (a: number, b: number) =>
    compareKeys(keys, a, keys, b) || typeOf(kinds[a] ?? 0) - typeOf(kinds[b] ?? 0);
  let kept = 0;
  for (let from = 0; from < length; ) {
    const first = keys[(order[from] ?? 0) * words];
    let to = from + 1;
    while (to < length && keys[(order[to] ?? 0) * words] === first) {
      to++;
    }
    // Few networks share their first word, so only those are sorted with a comparison function.
    const run =
      to - from === 1
        ? order.subarray(from, to)
        : order
            .subarray(from, to)
            .slice()
            .sort((a, b) => compare(a, b) || a - b);
    for (const [at, index] of run.entries()) {
      const next = run[at + 1];
      if (next === undefined || compare(index, next) !== 0) {
        order[kept++] = index;
      }
    }
    from = to;
  }
  return order.subarray(0, kept);
}

/** Facts about decisions that a merge needs. */
export interface MergeLimits {
  /** Time of the merge, in seconds since 1970. Decisions that have ended are left out. */
  readonly nowS: number;
  /** Number of a kind's type: a change replaces the entry with the same network and type. */
  readonly typeOf: TypeOf;
}

const shared = (bytes: number) => new SharedArrayBuffer(bytes);

/** Collects changes of networks whose prefixes have one length. `merge` makes the next group of them. */
export class ChangedNetworks {
  readonly #bits: number;
  readonly #added: NetworkList;
  readonly #deleted: NetworkList;

  constructor(bits: number, words: 1 | 4) {
    this.#bits = bits;
    this.#added = new NetworkList(words);
    this.#deleted = new NetworkList(words);
  }

  add({ words }: Network, end: number, kind: number): void {
    this.#added.push(words, end, kind);
  }

  delete({ words }: Network, kind: number): void {
    this.#deleted.push(words, 0, kind);
  }

  /**
   * The next group: old entries that are not deleted, and added entries. Entries that have ended are left out. @returns
   * undefined when no entry remains
   */
  merge(old: NetworkGroup | undefined, { nowS, typeOf }: MergeLimits): NetworkGroup | undefined {
    const { words } = this.#added;
    const added = sortedIndexes(this.#added, typeOf);
    const deleted = sortedIndexes(this.#deleted, typeOf);
    const oldLength = old?.ends.length ?? 0;
    const most = oldLength + added.length;
    const keys = new Uint32Array(shared(most * words * 4));
    const ends = new Uint32Array(shared(most * 4));
    const kinds = new Uint16Array(shared(most * 2));
    let length = 0;
    const take = (from: NetworkList | NetworkGroup, index: number) => {
      if ((from.ends[index] ?? 0) > nowS) {
        for (let word = 0; word < words; word++) {
          keys[length * words + word] = from.keys[index * words + word] ?? 0;
        }
        ends[length] = from.ends[index] ?? 0;
        kinds[length] = from.kinds[index] ?? 0;
        length++;
      }
    };
    const compareKeys = keyComparer(words);
    /** Compares an old entry with an entry of a list. */
    const compare = (index: number, list: NetworkList, other: number) =>
      compareKeys(old?.keys ?? list.keys, index, list.keys, other) ||
      typeOf(old?.kinds[index] ?? 0) - typeOf(list.kinds[other] ?? 0);
    let [nextAdded, nextDeleted] = [0, 0];
    for (let index = 0; old !== undefined && index < oldLength; index++) {
      for (
        ;
        nextAdded < added.length && compare(index, this.#added, added[nextAdded] ?? 0) > 0;
        nextAdded++
      ) {
        take(this.#added, added[nextAdded] ?? 0);
      }
      while (nextDeleted < deleted.length && compare(index, this.#deleted, deleted[nextDeleted] ?? 0) > 0) {
        nextDeleted++;
      }
      const isReplaced = nextAdded < added.length && compare(index, this.#added, added[nextAdded] ?? 0) === 0;
      const isDeleted =
        nextDeleted < deleted.length && compare(index, this.#deleted, deleted[nextDeleted] ?? 0) === 0;
      if (!isReplaced && !isDeleted) {
        take(old, index);
      }
    }
    for (; nextAdded < added.length; nextAdded++) {
      take(this.#added, added[nextAdded] ?? 0);
    }
    if (length === 0) {
      return undefined;
    }
    return {
      bits: this.#bits,
      keys: keys.subarray(0, length * words),
      ends: ends.subarray(0, length),
      kinds: kinds.subarray(0, length),
    };
  }
}
