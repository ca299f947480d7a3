import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { snappyArbitrary } from "../testing/snappy-arbitrary.ts";
import { crc32c } from "./crc32c.ts";
import { decompressSnappy } from "./decompress-snappy.ts";

const maxBytes = 1_000_000;
const identifier = Buffer.from("\xff\x06\x00\x00sNaPpY", "latin1");

function fixture(name: string): Buffer {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url));
}
/** A chunk of the framing format, with the checksum of `content`. */
function chunk(kind: number, data: Uint8Array, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8, kind);
  head.writeUIntLE(4 + data.length, 1, 3);
  const sum = crc32c(content, 0, content.length);
  head.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0, 4);
  return Buffer.concat([head, data]);
}
/** A chunk without data. */
function otherChunk(kind: number, length: number): Buffer {
  const bytes = Buffer.alloc(4 + length, kind);
  bytes.writeUIntLE(length, 1, 3);
  return bytes;
}
function outcome(bytes: Uint8Array, limit = maxBytes): Buffer | string {
  try {
    return decompressSnappy(bytes, limit);
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

describe("decompressSnappy", () => {
  // Fixtures made with golang/snappy 0.0.4, which Jaeger uses for reading.
  test.each([
    ["text", Buffer.from("spans in every format, ".repeat(40))],
    ["long", Buffer.from("0123456789abcdef".repeat(4500))],
  ])("reads what another implementation wrote: %s", (name, content) => {
    expect(decompressSnappy(fixture(`${name}.snappy`), maxBytes)).toEqual(content);
    expect(decompressSnappy(fixture(`${name}.sz`), maxBytes)).toEqual(content);
  });

  test("reads what does not compress, and nothing at all", () => {
    const random = decompressSnappy(fixture("random.snappy"), maxBytes);
    expect(random).toHaveLength(120);
    // The stream stores it as an uncompressed chunk.
    expect(fixture("random.sz").subarray(-120)).toEqual(random);
    expect(decompressSnappy(fixture("random.sz"), maxBytes)).toEqual(random);
    expect(decompressSnappy(fixture("empty.snappy"), maxBytes)).toHaveLength(0);
    expect(decompressSnappy(identifier, 0)).toHaveLength(0);
    expect(decompressSnappy(Buffer.alloc(0), 0)).toHaveLength(0);
  });

  test("reads every element, alone and in streams", () => {
    fc.assert(
      fc.property(fc.array(snappyArbitrary, { minLength: 1, maxLength: 3 }), (samples) => {
        for (const { block, content } of samples) {
          expect(decompressSnappy(block, content.length)).toEqual(content);
        }
        const stream = Buffer.concat([
          identifier,
          ...samples.flatMap(({ block, content }) => [
            chunk(0, block, content),
            otherChunk(0xfe, 3),
            identifier,
            chunk(1, content, content),
          ]),
        ]);
        const whole = Buffer.concat(samples.flatMap(({ content }) => [content, content]));
        expect(decompressSnappy(stream, whole.length)).toEqual(whole);
        if (whole.length > 0) {
          expect(outcome(stream, whole.length - 1)).toBe("WIRE_TOO_LARGE");
        }
      }),
    );
  });

  test("answers damaged input with data or a WireError, never otherwise", () => {
    const damage = fc.array(fc.record({ at: fc.nat(), byte: fc.nat(255) }), { minLength: 1, maxLength: 3 });
    let refused = 0;
    fc.assert(
      fc.property(
        snappyArbitrary,
        damage,
        fc.boolean(),
        fc.nat(),
        ({ block, content }, changes, inStream, cut) => {
          const bytes = inStream ? Buffer.concat([identifier, chunk(0, block, content)]) : Buffer.from(block);
          for (const { at, byte } of changes) {
            bytes[at % bytes.length] = byte;
          }
          const result = outcome(bytes.subarray(0, bytes.length - (cut % 3)));
          if (typeof result === "string") {
            refused++;
          } else if (inStream && cut % 3 === 0) {
            expect(result.length === 0 || result.equals(content)).toBe(true);
          }
        },
      ),
      { numRuns: 3000, seed: 11 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  const text = fixture("text.sz");
  const wrongSum = Buffer.from(text);
  wrongSum[14] = (wrongSum[14] as number) ^ 1;
  test.each<[name: string, bytes: Uint8Array, code: string]>([
    ["a wrong checksum", wrongSum, "WIRE_MALFORMED"],
    [
      "a wrong checksum of a plain chunk",
      Buffer.concat([identifier, chunk(1, Buffer.from("a"), Buffer.from("b"))]),
      "WIRE_MALFORMED",
    ],
    ["a chunk cut off", text.subarray(0, -1), "WIRE_TRUNCATED"],
    ["a chunk's head cut off", text.subarray(0, 13), "WIRE_TRUNCATED"],
    ["a chunk without a checksum", Buffer.concat([identifier, otherChunk(0, 3)]), "WIRE_MALFORMED"],
    ["a chunk that must be known", Buffer.concat([identifier, otherChunk(0x02, 1)]), "WIRE_MALFORMED"],
    ["a chunk that may be unknown", Buffer.concat([identifier, otherChunk(0x80, 1)]), "none"],
    ["another identifier later on", Buffer.concat([identifier, otherChunk(0xff, 6)]), "WIRE_MALFORMED"],
    [
      "a chunk of 65,536 bytes",
      Buffer.concat([identifier, chunk(1, Buffer.alloc(65_536), Buffer.alloc(65_536))]),
      "none",
    ],
    [
      "a chunk of 65,537 bytes",
      Buffer.concat([identifier, chunk(1, Buffer.alloc(65_537), Buffer.alloc(65_537))]),
      "WIRE_MALFORMED",
    ],
    ["a length alone", Buffer.from([5]), "WIRE_MALFORMED"],
    ["a length cut off", Buffer.from([0x80]), "WIRE_TRUNCATED"],
    ["a length of 33 bits", Buffer.from([0xff, 0xff, 0xff, 0xff, 0x1f, 0]), "WIRE_MALFORMED"],
    ["a length of six bytes", Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0]), "WIRE_MALFORMED"],
    ["a length that lies", Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0x61]), "WIRE_MALFORMED"],
    [
      "a length over the limit",
      Buffer.concat([Buffer.from([0xc1, 0x84, 0x3d]), Buffer.alloc(100_000)]),
      "WIRE_TOO_LARGE",
    ],
    ["more than its length", Buffer.from([1, 4, 0x61, 0x62]), "WIRE_MALFORMED"],
    ["less than its length", Buffer.from([2, 0, 0x61]), "WIRE_MALFORMED"],
    ["a literal cut off", Buffer.from([4, 12, 0x61]), "WIRE_TRUNCATED"],
    ["a literal's length cut off", Buffer.from([4, 0xf4, 1]), "WIRE_TRUNCATED"],
    ["a copy's offset cut off", Buffer.from([5, 0, 0x61, 0x0e, 1]), "WIRE_TRUNCATED"],
    ["a copy of offset 0", Buffer.from([5, 0, 0x61, 0x0e, 0, 0]), "WIRE_MALFORMED"],
    ["a copy from before the start", Buffer.from([5, 0, 0x61, 0x0e, 2, 0]), "WIRE_MALFORMED"],
    ["a copy past the end", Buffer.from([4, 0, 0x61, 0x0e, 1, 0]), "WIRE_MALFORMED"],
    ["gzip", Buffer.from("1f8b0800000000000003", "hex"), "WIRE_MALFORMED"],
  ])("answers %s", (_name, bytes, code) => {
    const result = outcome(bytes);
    expect(typeof result === "string" ? result : "none").toBe(code);
  });
});

describe("crc32c", () => {
  // Test vectors of RFC 3720, appendix B.4, and the usual check value.
  test.each([
    [Buffer.alloc(32), 0x8a9136aa],
    [Buffer.alloc(32, 0xff), 0x62a8ab43],
    [Buffer.from(Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e],
    [Buffer.from("123456789"), 0xe3069283],
    [Buffer.alloc(0), 0],
  ])("sums up %s", (bytes, sum) => {
    expect(crc32c(bytes, 0, bytes.length)).toBe(sum);
    const inside = Buffer.concat([Buffer.from("xyz"), bytes, Buffer.from("x")]);
    expect(crc32c(inside, 3, 3 + bytes.length)).toBe(sum);
  });
});
