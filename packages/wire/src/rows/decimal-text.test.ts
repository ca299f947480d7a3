import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteWriter } from "./byte-writer.ts";
import { writeDecimal, writeShortDouble } from "./decimal-text.ts";

function shortText(value: number): string | undefined {
  const out = new ByteWriter();
  out.uint8(0x78);
  const isWritten = writeShortDouble(out, value);
  const text = Buffer.from(out.bytes).toString("latin1", 1);
  if (!isWritten) {
    expect(text).toBe("");
  }
  return isWritten ? text : undefined;
}

test.each([
  1, -1, 10, 0.1, 0.3, -2.5, 123.455, 100.01, 1e-6, 0.00001, 999_999_999, 999_999_999.999_999, 429_496_729.5,
])("writes %d as JavaScript prints it", (value) => {
  expect(shortText(value)).toBe(String(value));
});

test.each([
  ...[0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e9, -1e9, 1e15, 1e21],
  ...[Number.MAX_VALUE, Number.MIN_VALUE, 1e-7, 0.1 + 0.2, 1 / 3, 1.000_000_5],
])("leaves %d", (value) => {
  expect(shortText(value)).toBeUndefined();
});

test("writes doubles as JavaScript prints them, or nothing", () => {
  const cents = fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }).map((value) => value / 100);
  const micros = fc.maxSafeInteger().map((value) => (value % 1e15) / 1e6);
  /** Doubles next to a short decimal number. */
  const near = fc.tuple(cents, fc.integer({ min: -3, max: 3 })).map(([value, steps]) => {
    const bits = new BigInt64Array(new Float64Array([value]).buffer);
    bits[0] = (bits[0] ?? 0n) + BigInt(steps);
    return new Float64Array(bits.buffer)[0] ?? 0;
  });
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.float(), cents, micros, near), (value) => {
      const text = shortText(value);
      if (text !== undefined) {
        expect(text).toBe(String(value));
      }
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(cents, (value) => {
      fc.pre(value !== 0);
      expect(shortText(value)).toBe(String(value));
    }),
  );
});

test("writes 64-bit numbers by their halves", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const out = new ByteWriter();
      writeDecimal(out, Number(BigInt.asIntN(32, value)), Number(value >> 32n));
      expect(Buffer.from(out.bytes).toString("latin1")).toBe(String(value));
    }),
  );
});
