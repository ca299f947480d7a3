import { cityHash64, hash128To64 } from "wire/city-hash";
import type { Marks } from "./marks.ts";
import type { PackedFile } from "./packed-file.ts";
import { type Stream, StreamCursor } from "./stream.ts";

/**
 * Number of bits for each row in an index that is wrong for at most 1 % of granules. The engine has a table of the
 * number of functions for each number of bits.
 */
const bitsOfRow = 10;
/** Source: ClickHouse src/Interpreters/BloomFilterHash.h, bf_hash_seed */
const seeds = [
  13635471485423070496n,
  10336109063487487899n,
  17779957404565211594n,
  8988612159822229247n,
  4954614162757618085n,
];

/** Two numbers for each hash function, the halves of its hash. */
export type BloomHashes = Uint32Array;

/** Computes the hashes of a text, or of a value of `FixedString`. */
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
 * An index of type `bloom_filter(0.01)` with a filter for each granule. The index of 100 million rows has 40 MB, so
 * only the needed filters are decompressed. Source: ClickHouse src/Storages/MergeTree/MergeTreeIndexBloomFilter.cpp
 */
export class BloomIndex {
  readonly #filterOf: (granule: number) => Stream;

  /** @param filterOf returns a stream that begins with the filter of a granule */
  constructor(filterOf: (granule: number) => Stream) {
    this.#filterOf = filterOf;
  }

  /** @param marks marks in the file, one for each granule */
  static of(filters: PackedFile, marks: Marks): BloomIndex {
    return new BloomIndex((granule) => {
      const { block, byte } = marks.place(granule, 0);
      return filters.streamAt(block, byte);
    });
  }

  /**
   * @returns false when the granule certainly contains none of the values
   * @throws UnreadablePart
   */
  mayHaveAny(granule: number, values: readonly BloomHashes[]): boolean {
    const cursor = new StreamCursor(this.#filterOf(granule));
    const filter = cursor.bytes(Math.ceil((Number(cursor.varUint()) * bitsOfRow) / 8));
    return filter.length > 0 && values.some((hashes) => hasBits(filter, hashes));
  }
}

function hasBits(filter: Buffer, hashes: BloomHashes): boolean {
  const bits = filter.length * 8;
  const carry = 2 ** 32 % bits;
  for (let index = 0; index < hashes.length; index += 2) {
    const high = (hashes[index] as number) % bits;
    const bit = (high * carry + (hashes[index + 1] as number)) % bits;
    if (((filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) {
      return false;
    }
  }
  return true;
}
