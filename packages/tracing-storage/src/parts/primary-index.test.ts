import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PrimaryIndex } from "./primary-index.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** A text in the form of a file: its length, then its bytes. */
function textOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length: number[] = [];
  let left = bytes.length;
  for (; left >= 128; left >>= 7) {
    length.push((left & 127) | 128);
  }
  return Buffer.concat([Buffer.from([...length, left]), bytes]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

type Row = readonly [text: string, number: number];

const rows = fc
  .array(
    fc.tuple(
      fc.constantFrom("", "a", "ab", "b", "ü", "x".repeat(127), "x".repeat(128), "y".repeat(20_000)),
      fc.nat(20),
    ),
    { minLength: 1, maxLength: 60 },
  )
  .map((all) =>
    all.toSorted(
      ([text, number], [other, than]) =>
        Buffer.compare(Buffer.from(text), Buffer.from(other)) || number - than,
    ),
  );

/** Keys of each granule's first row, and of the last row. */
function indexed<T>(
  all: readonly T[],
  granularity: number,
): { readonly granules: T[][]; readonly keys: T[] } {
  const granules = Array.from({ length: Math.ceil(all.length / granularity) }, (_, granule) =>
    all.slice(granule * granularity, (granule + 1) * granularity),
  );
  return { granules, keys: [...granules.map(([first]) => first as T), all.at(-1) as T] };
}

const granularities = fc.integer({ min: 1, max: 8 });

describe("granules that may have numbers behind a text", () => {
  test("are those that have one, and no others of one text", () => {
    fc.assert(
      fc.property(
        rows,
        granularities,
        fc.array(fc.nat(22), { maxLength: 3 }),
        (all, granularity, numbers) => {
          const { granules, keys } = indexed<Row>(all, granularity);
          const bytes = Buffer.concat(keys.flatMap(([text, number]) => [textOf(text), numberOf(number)]));
          const index = new PrimaryIndex(bytes, ["LowCardinality(String)", "DateTime"]);
          expect(index.rows).toBe(keys.length);
          const found = index.granulesOfNumbers(numbers);
          const wanted = granules.flatMap((granule, at) => {
            const [[text, from], [nextText, to]] = [keys[at] as Row, keys[at + 1] as Row];
            const isLikely = text !== nextText || numbers.some((number) => number >= from && number <= to);
            const isThere = granule.some(([, number]) => numbers.includes(number));
            expect(isLikely || !isThere).toBe(true);
            return isLikely ? [at] : [];
          });
          expect(found).toEqual(wanted);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("are found for numbers over two thousand million, too", () => {
    const keys = [1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_ffff];
    const bytes = Buffer.concat(keys.flatMap((key) => [textOf("a"), numberOf(key)]));
    const index = new PrimaryIndex(bytes, ["String", "DateTime('UTC')"]);
    expect(index.granulesOfNumbers([0x8000_0001])).toEqual([2]);
    expect(index.granulesOfNumbers([0xffff_ffff])).toEqual([2, 3]);
    expect(index.granulesOfNumbers([0])).toEqual([]);
    expect(index.granulesOfNumbers([])).toEqual([]);
  });
});

describe("granules that may have a value of a fixed size", () => {
  const idOf = (number: number) => Buffer.alloc(16, `${number}`.padStart(3, "0"));

  test("are those that have it, one before and one behind at most", () => {
    const ids = fc
      .array(fc.nat(30), { minLength: 1, maxLength: 60 })
      .map((all) => all.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(ids, granularities, fc.nat(32), (all, granularity, sought) => {
        const { granules, keys } = indexed(all, granularity);
        const bytes = Buffer.concat(keys.flatMap((key) => [idOf(key), numberOf(7)]));
        const index = new PrimaryIndex(bytes, ["FixedString(16)", "DateTime"]);
        const [from, to] = index.granulesOf(idOf(sought));
        for (const [at, granule] of granules.entries()) {
          const isThere = granule.includes(sought);
          const isNamed = at >= from && at < to;
          expect(isNamed || !isThere).toBe(true);
          const isPossible = (keys[at] as number) <= sought && sought <= (keys[at + 1] as number);
          expect([at, isNamed]).toEqual([at, isPossible]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("a primary index", () => {
  test("of no rows has no granules", () => {
    const index = new PrimaryIndex(Buffer.alloc(0), ["String", "DateTime"]);
    expect([index.rows, index.bytes, index.granulesOfNumbers([1])]).toEqual([0, 0, []]);
    const [from, to] = new PrimaryIndex(Buffer.alloc(0), ["FixedString(4)"]).granulesOf(Buffer.alloc(4));
    expect(to - from).toBeLessThanOrEqual(0);
  });

  test.each([
    "Nullable(String)",
    "Array(String)",
    "UInt256",
    "LowCardinality(Nullable(String))",
    "Float64",
    "",
  ])("with a key of the type %j is refused", (type) => {
    expect(() => new PrimaryIndex(Buffer.alloc(0), [type])).toThrow(UnreadablePart);
    expect(() => new PrimaryIndex(Buffer.alloc(8), ["String", type])).toThrow(UnreadablePart);
  });

  test("is refused when it is cut short anywhere, but between two keys", () => {
    const keys = ["", "a", "b".repeat(130), "c"].map((text) =>
      Buffer.concat([textOf(text), numberOf(70_000)]),
    );
    const bytes = Buffer.concat(keys);
    const ends = keys.map((_, index) => Buffer.concat(keys.slice(0, index)).length);
    for (let length = 0; length < bytes.length; length++) {
      const read = () => new PrimaryIndex(bytes.subarray(0, length), ["String", "DateTime"]).rows;
      if (ends.includes(length)) {
        expect(read()).toBe(ends.indexOf(length));
      } else {
        expect(read).toThrow(UnreadablePart);
      }
    }
  });

  test("is refused with a text longer than itself", () => {
    for (const length of [[5], [255, 255, 255, 255, 127], [255, 255, 255, 255, 255, 255, 255, 255, 127]]) {
      expect(() => new PrimaryIndex(Buffer.from([...length, 1, 2, 3]), ["String"])).toThrow(UnreadablePart);
    }
  });
});
