import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KeySet, rowsOfSorted } from "./key-set.ts";

/** Bytes have only two values: many keys are equal, and many differ only at the end or at the beginning. */
function keyOf(width: number): fc.Arbitrary<Buffer> {
  return fc
    .array(fc.constantFrom(0x00, 0xff), { minLength: 3, maxLength: 3 })
    .map(([first = 0, middle = 0, last = 0]) => {
      const value = Buffer.alloc(width, middle);
      value[0] = first;
      value[width - 1] = last;
      return value;
    });
}

function valuesOf(width: number, minLength = 0) {
  return fc.array(keyOf(width), { minLength, maxLength: 30 });
}

/** The same bytes at an address that is not a multiple of four. */
function shifted(bytes: Buffer, by: number): Buffer {
  return Buffer.concat([Buffer.alloc(by), bytes, Buffer.alloc(3)]).subarray(by, by + bytes.length);
}

function naively(column: readonly Buffer[], keys: readonly Buffer[]): number[] {
  return column.flatMap((value, row) => (keys.some((key) => key.equals(value)) ? [row] : []));
}

describe("keys", () => {
  test.each([4, 8, 12, 16, 32])("of %i bytes are found in the rows that have them", (width) => {
    fc.assert(
      fc.property(valuesOf(width), valuesOf(width, 1), fc.nat(7), (column, keys, by) => {
        const bytes = shifted(Buffer.concat(column), by);
        expect(new KeySet(keys.map((key) => shifted(key, by))).rowsIn(bytes)).toEqual(naively(column, keys));
      }),
    );
  });

  test.each([5, 6, 7, 9, 10])("of %i bytes, no multiple of four, are found too", (width) => {
    fc.assert(
      fc.property(valuesOf(width), valuesOf(width, 1), fc.nat(7), (column, keys, by) => {
        const bytes = shifted(Buffer.concat(column), by);
        expect(new KeySet(keys).rowsIn(bytes)).toEqual(naively(column, keys));
      }),
    );
  });

  test("are found among any bytes", () => {
    const ids = fc.array(fc.uint8Array({ minLength: 16, maxLength: 16 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(ids, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), fc.nat(3), (all, which, by) => {
        const column = all.map((id) => Buffer.from(id));
        const keys = which.map((index) => column[index % column.length] as Buffer);
        expect(new KeySet(keys).rowsIn(shifted(Buffer.concat(column), by))).toEqual(naively(column, keys));
      }),
    );
  });

  test("that are the same twice give each row once", () => {
    const key = Buffer.from("0123456789abcdef");
    expect(new KeySet([key, Buffer.from(key)]).rowsIn(Buffer.concat([key, Buffer.alloc(16), key]))).toEqual([
      0, 2,
    ]);
  });

  test("are not found in nothing, nor across two values", () => {
    const key = Buffer.from("aaaabbbb");
    expect(new KeySet([key]).rowsIn(Buffer.alloc(0))).toEqual([]);
    expect(new KeySet([key]).rowsIn(Buffer.from("....aaaabbbb...."))).toEqual([]);
  });

  test("are not found in the last value when that is cut short", () => {
    const key = Buffer.from("aaaabbbb");
    expect(new KeySet([key]).rowsIn(Buffer.from("aaaabbbbaaaabbb"))).toEqual([0]);
    expect(new KeySet([key]).rowsIn(Buffer.from("aaaabbbbaaaa"))).toEqual([0]);
  });
});

describe("a key among sorted values", () => {
  test.each([1, 4, 6, 16])("of %i bytes is found in all rows that have it", (width) => {
    fc.assert(
      fc.property(valuesOf(width), keyOf(width), fc.nat(3), (values, key, by) => {
        const column = values.toSorted(Buffer.compare);
        expect(rowsOfSorted(shifted(Buffer.concat(column), by), key)).toEqual(naively(column, [key]));
      }),
    );
  });

  test("is not found before, between or behind them", () => {
    const column = Buffer.from("bbbbddddffff");
    expect(["aaaa", "cccc", "gggg"].map((key) => rowsOfSorted(column, Buffer.from(key)))).toEqual([
      [],
      [],
      [],
    ]);
    expect(rowsOfSorted(Buffer.alloc(0), Buffer.from("aaaa"))).toEqual([]);
  });
});
