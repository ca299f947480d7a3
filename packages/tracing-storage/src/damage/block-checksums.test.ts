import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cityHash128 } from "wire/city-hash";
import { damagedBlockOf } from "./block-checksums.ts";

const folder = mkdtempSync(join(tmpdir(), "block-checksums-"));
afterAll(() => rmSync(folder, { recursive: true }));

function block(data: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(0x02);
  head.writeUInt32LE(9 + data.length, 1);
  head.writeUInt32LE(data.length, 5);
  const rest = Buffer.concat([head, data]);
  const checksum = Buffer.alloc(16);
  const [low, high] = cityHash128(rest);
  checksum.writeBigUInt64LE(low, 0);
  checksum.writeBigUInt64LE(high, 8);
  return Buffer.concat([checksum, rest]);
}

const blocks = [block(Buffer.alloc(700_000, 1)), block(Buffer.alloc(700_000, 2)), block(Buffer.alloc(0))];
const second = 700_025;
const whole = Buffer.concat(blocks);
const flipped = (at: number) => {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] as number) ^ 4;
  return bytes;
};

test.each([
  ["undamaged", whole, undefined],
  ["empty", Buffer.alloc(0), undefined],
  ["data", flipped(second + 1_000), second],
  ["a checksum", flipped(second), second],
  ["a length that leaves the file", flipped(second + 20), second],
  ["a length of nothing", Buffer.alloc(25), 0],
  ["cut short in the data", whole.subarray(0, second + 300), second],
  ["cut short in the head", whole.subarray(0, second + 24), second],
])("%s", async (name, bytes, at) => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  expect(await damagedBlockOf(path)).toBe(at);
});
