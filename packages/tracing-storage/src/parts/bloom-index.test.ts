import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { streamOf } from "../testing/written-blocks.ts";
import { BloomIndex, bloomHashes } from "./bloom-index.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** A filter in the form of the file: the number of values, then ten bits for each. */
function filterOf(values: readonly Uint8Array[], count = values.length): Buffer {
  const bytes = Buffer.alloc(Math.ceil((count * 10) / 8));
  for (const value of values) {
    for (const bit of bitsOf(value, bytes.length * 8)) {
      bytes[bit >> 3] = (bytes[bit >> 3] as number) | (1 << (bit & 7));
    }
  }
  return Buffer.concat([varUint(count), bytes]);
}

/** For each hash function: its 64-bit hash modulo the number of bits. */
function bitsOf(value: Uint8Array, bits: number): number[] {
  const hashes = bloomHashes(value);
  return Array.from({ length: hashes.length / 2 }, (_, index) => {
    const [high = 0, low = 0] = hashes.subarray(index * 2);
    return Number(((BigInt(high) << 32n) | BigInt(low)) % BigInt(bits));
  });
}

function varUint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 128; left >>= 7) {
    bytes.push((left & 127) | 128);
  }
  return Buffer.from([...bytes, left]);
}

/** An index with these filters, each in a separate buffer. */
function indexOf(...filters: readonly Buffer[]): BloomIndex {
  return new BloomIndex((granule) => streamOf(filters[granule] ?? Buffer.alloc(0)));
}

const values = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 30 });

describe("an index with a filter for each granule", () => {
  test("has what is there, whatever the number of bits", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(values, fc.nat(300_000)), { maxLength: 5 }), (granules) => {
        const index = indexOf(
          ...granules.map(([ofGranule, more]) => filterOf(ofGranule, ofGranule.length + more)),
        );
        for (const [granule, [ofGranule]] of granules.entries()) {
          expect(ofGranule.every((value) => index.mayHaveAny(granule, [bloomHashes(value)]))).toBe(true);
          expect(index.mayHaveAny(granule, [])).toBe(false);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("does not have a value of whose bits one is missing", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.integer({ min: 1, max: 9_000 }),
        fc.nat(4),
        (value, count, which) => {
          const filter = filterOf([value], count).fill(255, varUint(count).length);
          const hashes = bloomHashes(value);
          expect(indexOf(filter).mayHaveAny(0, [hashes])).toBe(true);
          const begin = varUint(count).length;
          const bits = bitsOf(value, (filter.length - begin) * 8);
          const bit = bits[which % bits.length] as number;
          const at = begin + (bit >> 3);
          filter[at] = (filter[at] as number) & ~(1 << (bit & 7));
          expect(indexOf(filter).mayHaveAny(0, [hashes])).toBe(false);
        },
      ),
    );
  });

  test("has one of several values", () => {
    const [here, absent] = [bloomHashes(Buffer.from("here")), bloomHashes(Buffer.from("absent"))];
    const index = indexOf(filterOf([Buffer.from("here")], 50));
    expect(index.mayHaveAny(0, [absent, here])).toBe(true);
    expect(index.mayHaveAny(0, [absent, absent])).toBe(false);
  });

  test("has nothing in a granule without values", () => {
    const value = Buffer.from("value");
    const index = indexOf(filterOf([value]), filterOf([]), filterOf([value]));
    const has = [0, 1, 2].map((granule) => index.mayHaveAny(granule, [bloomHashes(value)]));
    expect(has).toEqual([true, false, true]);
  });

  test.each<readonly [string, Buffer]>([
    ["nothing in it", Buffer.alloc(0)],
    ["a filter cut short", filterOf([Buffer.from("a")], 100).subarray(0, -1)],
    ["half a number", Buffer.from([0x80])],
    ["a number that is too large", Buffer.alloc(20, 255)],
    ["a number that does not end", Buffer.alloc(5, 255)],
    ["more values than any file has", Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 127, 0])],
  ])("is refused with %s", (_name, filter) => {
    expect(() => indexOf(filter).mayHaveAny(0, [bloomHashes(Buffer.from("a"))])).toThrow(UnreadablePart);
  });
});
