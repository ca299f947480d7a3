import { cityHash64, hash128To64 } from "wire/city-hash";
import { StreamCursor } from "./stream.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Of an index that errs in at most one of a hundred granules; how many functions go with so many bits the engine has in a table. */
const bitsOfRow = 10;
/** Source: ClickHouse src/Interpreters/BloomFilterHash.h, bf_hash_seed */
const seeds = [
  13635471485423070496n,
  10336109063487487899n,
  17779957404565211594n,
  8988612159822229247n,
  4954614162757618085n,
];

/** The two halves of a hash for each function. */
export type BloomHashes = Uint32Array;

/** Of a text, or a value of `FixedString`. */
export function bloomHashes(value: Uint8Array): BloomHashes {
  const hash = cityHash64(value);
  return Uint32Array.from(
    seeds.flatMap((seed) => {
      const seeded = hash128To64([hash, seed]);
      return [Number(seeded >> 32n), Number(seeded & 0xffffffffn)];
    }),
  );
}

/**
 * An index of the type `bloom_filter(0.01)` with a filter for each granule.
 * Source: ClickHouse src/Storages/MergeTree/MergeTreeIndexBloomFilter.cpp
 */
export class BloomIndex {
  readonly #filters: Buffer;
  /** Of each granule: where its filter begins, and its length. */
  readonly #places: Uint32Array;

  /**
   * @param filters the unpacked file
   * @throws UnreadablePart when there are not so many granules
   */
  constructor(filters: Buffer, granules: number) {
    this.#filters = filters;
    this.#places = new Uint32Array(2 * granules);
    let at = 0;
    for (let granule = 0; granule < granules; granule++) {
      const cursor = StreamCursor.of(filters.subarray(at));
      const values = Number(cursor.varUint());
      const length = Math.ceil((values * bitsOfRow) / 8);
      at += cursor.at;
      this.#places[2 * granule] = at;
      this.#places[2 * granule + 1] = length;
      at += length;
    }
    if (at !== filters.length) throw new UnreadablePart("an index has other filters than its part granules");
  }

  get bytes(): number {
    return this.#filters.length + this.#places.byteLength;
  }

  /** @returns false when the granule does not have the value */
  mayHave(granule: number, hashes: BloomHashes): boolean {
    const begin = this.#places[2 * granule] as number;
    const bits = (this.#places[2 * granule + 1] as number) * 8;
    if (bits === 0) return false;
    const carry = 2 ** 32 % bits;
    for (let index = 0; index < hashes.length; index += 2) {
      const high = (hashes[index] as number) % bits;
      const bit = (high * carry + (hashes[index + 1] as number)) % bits;
      if (((this.#filters[begin + (bit >> 3)] as number) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}
