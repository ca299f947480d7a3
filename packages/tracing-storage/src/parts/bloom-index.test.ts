import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BloomIndex, bloomHashes } from "./bloom-index.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** As a file has it: the number of values, and then ten bits for each. */
function filterOf(values: readonly Uint8Array[], count = values.length): Buffer {
  const bytes = Buffer.alloc(Math.ceil((count * 10) / 8));
  for (const value of values) {
    for (const bit of bitsOf(value, bytes.length * 8))
      bytes[bit >> 3] = (bytes[bit >> 3] as number) | (1 << (bit & 7));
  }
  return Buffer.concat([varUint(count), bytes]);
}

/** Of each function: its hash of 64 bits, by the number of bits. */
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
  for (; left >= 128; left >>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

const values = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 30 });

describe("an index with a filter for each granule", () => {
  it("has what is there, whatever the number of bits", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(values, fc.nat(300_000)), { maxLength: 5 }), (granules) => {
        const file = granules.map(([ofGranule, more]) => filterOf(ofGranule, ofGranule.length + more));
        const index = new BloomIndex(Buffer.concat(file), granules.length);
        for (const [granule, [ofGranule]] of granules.entries()) {
          expect(ofGranule.every((value) => index.mayHave(granule, bloomHashes(value)))).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("does not have a value of whose bits one is missing", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.integer({ min: 1, max: 9_000 }),
        fc.nat(4),
        (value, count, which) => {
          const filter = filterOf([value], count).fill(255, varUint(count).length);
          const hashes = bloomHashes(value);
          expect(new BloomIndex(filter, 1).mayHave(0, hashes)).toBe(true);
          const begin = varUint(count).length;
          const bits = bitsOf(value, (filter.length - begin) * 8);
          const bit = bits[which % bits.length] as number;
          const at = begin + (bit >> 3);
          filter[at] = (filter[at] as number) & ~(1 << (bit & 7));
          expect(new BloomIndex(filter, 1).mayHave(0, hashes)).toBe(false);
        },
      ),
    );
  });

  it("has nothing in a granule without values", () => {
    const value = Buffer.from("value");
    const index = new BloomIndex(Buffer.concat([filterOf([value]), filterOf([]), filterOf([value])]), 3);
    expect([0, 1, 2].map((granule) => index.mayHave(granule, bloomHashes(value)))).toEqual([
      true,
      false,
      true,
    ]);
  });

  const two = Buffer.concat([filterOf([Buffer.from("a")], 100), filterOf([Buffer.from("b")], 1_000)]);

  it.each<readonly [string, Buffer, number]>([
    ["fewer granules", two, 1],
    ["more granules", two, 3],
    ["no granules", two, 0],
    ["nothing in it", Buffer.alloc(0), 1],
    ["a byte too many", Buffer.concat([two, Buffer.alloc(1)]), 2],
    ["a filter cut short", two.subarray(0, -1), 2],
    ["a filter cut short, and one more granule", two.subarray(0, -1), 3],
    ["the last filter missing", two.subarray(0, 126), 2],
    ["half a number", two.subarray(0, 127), 2],
    ["a number that is too large", Buffer.alloc(20, 255), 1],
    ["a number that does not end", Buffer.alloc(5, 255), 1],
    ["more values than any file has", Buffer.from([255, 255, 255, 255, 255, 255, 255, 255, 127, 0]), 1],
  ])("is refused with %s", (_name, file, granules) => {
    expect(new BloomIndex(two, 2).bytes).toBe(two.length + 16);
    expect(() => new BloomIndex(file, granules)).toThrow(UnreadablePart);
  });

  it("of no granules is empty", () => {
    expect(new BloomIndex(Buffer.alloc(0), 0).bytes).toBe(0);
  });
});
