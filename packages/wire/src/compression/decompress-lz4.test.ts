import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { decompressLz4 } from "./decompress-lz4.ts";
import { xxHash32 } from "./xx-hash-32.ts";

// The fixtures were written by github.com/pierrec/lz4 4.1, which the OpenTelemetry Collector uses.
function fixture(name: string): Buffer {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}

/** The text inside the fixtures. */
function spanText(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++) {
    text += `span ${(index * 7919) % 1000} of ${index}, `;
  }
  return text.slice(0, length);
}

function codeOf(bytes: Uint8Array, maxBytes = 1_000_000): string {
  try {
    return decompressLz4(bytes, maxBytes).toString();
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

/** An LZ4 frame with one uncompressed block. */
function frameOf(block: Uint8Array): Buffer {
  const head = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0]);
  head.writeUInt32LE(block.length, 7);
  return Buffer.concat([head, block, Buffer.alloc(4)]);
}

describe("decompressLz4", () => {
  test("undoes what another library wrote", () => {
    expect(codeOf(fixture("text.lz4"))).toBe(spanText(20_000));
    expect(codeOf(fixture("summed.lz4"))).toBe(spanText(90_000));
    expect(codeOf(fixture("empty.lz4"))).toBe("");
    expect(codeOf(Buffer.alloc(0))).toBe("");
  });

  test("takes frames one behind the other, and passes over frames of anybody's data", () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const two = Buffer.concat([fixture("text.lz4"), skippable, fixture("summed.lz4")]);
    expect(codeOf(two)).toBe(spanText(20_000) + spanText(90_000));
  });

  test("undoes a match that reaches into what it writes itself", () => {
    // The literal "a", then a match that copies 19 bytes from distance 1.
    expect(codeOf(frameOf(Buffer.from([0x1f, 0x61, 1, 0, 0, 0x10, 0x62])))).toBe(`${"a".repeat(20)}b`);
  });

  test("stops at its limit, also in the middle of a bomb", () => {
    expect(codeOf(fixture("text.lz4"), 20_000)).toBe(spanText(20_000));
    expect(codeOf(fixture("text.lz4"), 19_999)).toBe("WIRE_TOO_LARGE");
    // A match of 4,000 × 255 zeros.
    const bomb = Buffer.concat([
      Buffer.from([0x1f, 0x61, 1, 0]),
      Buffer.alloc(200, 255),
      Buffer.of(0, 0x10, 0x62),
    ]);
    expect(codeOf(frameOf(bomb), 10_000)).toBe("WIRE_TOO_LARGE");
    expect(codeOf(frameOf(bomb))).toHaveLength(1 + 200 * 255 + 19 + 1);
  });

  test.each([
    ["no frame", Buffer.from("hello world"), "WIRE_MALFORMED"],
    ["a block without end", frameOf(Buffer.from([0xf0])), "WIRE_TRUNCATED"],
    ["a match to nothing", frameOf(Buffer.from([0x10, 0x61, 2, 0, 0x10, 0x62])), "WIRE_MALFORMED"],
    ["a match of distance 0", frameOf(Buffer.from([0x10, 0x61, 0, 0, 0x10, 0x62])), "WIRE_MALFORMED"],
    ["a wrong checksum of the header", frameOf(Buffer.from([0x10, 0x61])).fill(0, 6, 7), "WIRE_MALFORMED"],
    [
      "a block over its size",
      frameOf(Buffer.concat([Buffer.of(0x1f, 0x61, 1, 0), Buffer.alloc(300, 255), Buffer.of(0, 0x10, 0x62)])),
      "WIRE_MALFORMED",
    ],
  ])("refuses %s", (_name, bytes, code) => {
    expect(codeOf(bytes)).toBe(code);
  });

  test("finds a wrong byte by its checksums, and a cut anywhere", () => {
    const bytes = fixture("summed.lz4");
    for (let at = 20; at < bytes.length - 8; at += 997) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 1;
      expect(codeOf(damaged)).toMatch(/^WIRE_/);
      expect(codeOf(bytes.subarray(0, at))).toBe("WIRE_TRUNCATED");
    }
  });

  test("answers any bytes with a WireError or bytes, never otherwise", () => {
    const good = fixture("text.lz4");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const bytes = Buffer.from(good);
          for (const [at, byte] of changes) {
            bytes[at] = byte;
          }
          codeOf(bytes);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test.each([
  ["", 0x02cc5d05],
  ["a", 0x550d7456],
  ["abc", 0x32d153ff],
  ["Nobody inspects the spammish repetition", 0xe2293b2f],
])("xxHash32 of %j", (text, hash) => {
  expect(xxHash32(Buffer.from(text), 0, text.length)).toBe(hash);
});
