import fc from "fast-check";
import { expect, test } from "vitest";
import { compressSnappy } from "./compress-snappy.ts";
import { readSnappyElements, readSnappyLength } from "./snappy-block.ts";

function decompressed(block: Buffer): Buffer {
  const { length, elements } = readSnappyLength(block, 0, block.length);
  const output = Buffer.alloc(length);
  readSnappyElements(
    { bytes: block, start: elements, end: block.length },
    { bytes: output, start: 0, end: length },
  );
  return output;
}

test("what is compressed comes back, whatever it is", () => {
  const repeating = fc
    .array(fc.tuple(fc.uint8Array({ maxLength: 90 }), fc.integer({ min: 1, max: 40 })), { maxLength: 12 })
    .map((parts) =>
      Buffer.concat(parts.flatMap(([bytes, times]) => Array(times).fill(bytes) as Uint8Array[])),
    );
  fc.assert(
    fc.property(repeating, (bytes) => {
      expect(decompressed(compressSnappy(bytes)).equals(bytes)).toBe(true);
    }),
  );
});

test.each([0, 1, 3, 4, 60, 61, 256, 257, 65_536, 65_537, 200_000])(
  "%i bytes that do not repeat",
  (length) => {
    let state = 1;
    const bytes = Buffer.from(
      Array.from({ length }, () => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return state >>> 24;
      }),
    );
    const block = compressSnappy(bytes);
    expect(decompressed(block).equals(bytes)).toBe(true);
    expect(block.length).toBeLessThan(length + length / 60 + 16);
  },
);

test("labels that repeat become small", () => {
  const text = Array.from(
    { length: 500 },
    (_, index) => `service_name="shop",span_name="GET /",le="${index}"`,
  );
  const bytes = Buffer.from(text.join("\n"));
  expect(compressSnappy(bytes).length).toBeLessThan(bytes.length / 4);
});
