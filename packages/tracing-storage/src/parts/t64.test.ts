import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { integersOf, t64Of, t64Types } from "../testing/written-blocks.ts";
import { T64Values } from "./t64.ts";
import { UnreadablePart } from "./unreadable-part.ts";

/** Integers that are close together or far apart, near zero or far from it. */
function integers(width: number, isSigned: boolean): fc.Arbitrary<bigint[]> {
  const [least, most] = isSigned
    ? [-(1n << BigInt(width * 8 - 1)), (1n << BigInt(width * 8 - 1)) - 1n]
    : [0n, (1n << BigInt(width * 8)) - 1n];
  const between = (from: bigint, to: bigint) =>
    fc.array(fc.bigInt({ min: from < least ? least : from, max: to > most ? most : to }), {
      minLength: 1,
      maxLength: 200,
    });
  return fc.oneof(
    fc.tuple(fc.bigInt({ min: least, max: most }), fc.nat(40)).chain(([middle, bits]) => {
      const around = 1n << BigInt(bits);
      return between(middle - around, middle + around - 1n);
    }),
    fc.nat(width * 8 - 2).chain((bits) => between(-(1n << BigInt(bits)), 1n << BigInt(bits))),
    between(least, most),
  );
}

describe.each(t64Types)("integers of the type $type", ({ type, width, isSigned }) => {
  test("come back, all and some of them", () => {
    fc.assert(
      fc.property(integers(width, isSigned), fc.nat(), fc.nat(), (values, one, other) => {
        const all = integersOf(width, values);
        const packed = t64Of(type, values);
        const read = new T64Values(packed, all.length);
        expect(read.subarray(0, all.length).toString("hex")).toBe(all.toString("hex"));
        const [from = 0, to = 0] = [one, other]
          .map((value) => (value % (values.length + 1)) * width)
          .toSorted((a, b) => a - b);
        expect(read.subarray(from, to).equals(all.subarray(from, to))).toBe(true);
        expect([read.length, read.heldBytes]).toEqual([all.length, packed.length]);
      }),
      { numRuns: 300 },
    );
  });

  test("are not cut in two", () => {
    const read = new T64Values(t64Of(type, [1n, 2n, 3n]), 3 * width);
    expect(() => read.subarray(1, width)).toThrow(UnreadablePart);
    expect(() => read.subarray(0, width + 2)).toThrow(UnreadablePart);
    expect(read.subarray(width, width)).toHaveLength(0);
  });

  test.each<readonly [string, (packed: Buffer) => readonly [Buffer, number]]>([
    ["nothing", () => [Buffer.alloc(0), width]],
    ["no integers", (packed) => [packed, 0]],
    ["half an integer more", (packed) => [packed, 70 * width + width / 2]],
    ["a header that is cut short", (packed) => [packed.subarray(0, 16), 70 * width]],
    ["bits that are cut short", (packed) => [packed.subarray(0, -1), 70 * width]],
    ["a byte too many", (packed) => [Buffer.concat([packed, Buffer.alloc(1)]), 70 * width]],
    ["more integers", (packed) => [packed, 129 * width]],
    [
      "another variant",
      (packed) => [Buffer.concat([Buffer.from([type | 0x80]), packed.subarray(1)]), 70 * width],
    ],
    [
      "integers of two bytes",
      (packed) => [Buffer.concat([Buffer.from([2]), packed.subarray(1)]), 70 * width],
    ],
  ])("are refused with %s", (_name, damage) => {
    const packed = t64Of(
      type,
      Array.from({ length: 70 }, (_, index) => BigInt(index)),
    );
    expect(new T64Values(packed, 70 * width).length).toBe(70 * width);
    expect(() => new T64Values(...damage(packed))).toThrow(UnreadablePart);
  });
});

test("integers of four bytes have not more bits than that", () => {
  const packed = t64Of(4, [0n, 1n << 40n]);
  packed[0] = 3;
  expect(() => new T64Values(packed, 8)).toThrow(UnreadablePart);
});
