import { expect, test } from "vitest";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter, varintBytes } from "./byte-writer.ts";

const short = () => new RangeError("too short");
const readVarint = (hex: string) => new ByteReader(Buffer.from(hex, "hex"), short).varint();

// RFC 9000, appendix A.1
test.each([
  ["9d7f3e7d", 494_878_333],
  ["7bbd", 15_293],
  ["25", 37],
])("reads and writes %s", (hex, value) => {
  expect(readVarint(hex)).toBe(value);
  expect(new ByteWriter().varint(value).written.toString("hex")).toBe(hex);
  expect(varintBytes(value)).toBe(hex.length / 2);
});

test("reads a number in more bytes than it needs", () => {
  expect(readVarint("4025")).toBe(37);
});

test("takes numbers that JavaScript cannot hold for the largest that it can", () => {
  // 151,288,809,941,952,652 of RFC 9000, appendix A.1
  expect(readVarint("c2197c5eff14e88c")).toBe(Number.MAX_SAFE_INTEGER);
  expect(readVarint("ffffffffffffffff")).toBe(Number.MAX_SAFE_INTEGER);
  expect(readVarint("c01fffffffffffff")).toBe(Number.MAX_SAFE_INTEGER);
  expect(readVarint("c01ffffffffffffe")).toBe(Number.MAX_SAFE_INTEGER - 1);
});

test.each([0, 63, 64, 16_383, 16_384, 2 ** 30 - 1, 2 ** 30, 2 ** 32, 2 ** 53 - 1])("keeps %d", (value) => {
  const { written } = new ByteWriter(1).varint(value);
  expect(written.length).toBe(varintBytes(value));
  expect(new ByteReader(written, short).varint()).toBe(value);
});

test.each(["", "40", "8000", "c0000000000000"])("refuses %j, which ends too early", (hex) => {
  expect(() => readVarint(hex)).toThrow("too short");
});

test("writes vectors of TLS and grows", () => {
  const writer = new ByteWriter(2).vector(2, (outer) => outer.u8(1).vector(1, (inner) => inner.u24(5)));
  expect(writer.written.toString("hex")).toBe("00050103000005");
});
