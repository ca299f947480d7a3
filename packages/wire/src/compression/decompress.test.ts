import { readFileSync } from "node:fs";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { acceptedEncodings, decompress, isKnownEncoding, isPlainEncoding } from "./decompress.ts";

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const text = Buffer.alloc(5_000, "some text that comes again and again, ");

/** Each encoding of the Collector's exporters, with encoded bytes. */
const encoded: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(text),
  "x-gzip": gzipSync(text),
  deflate: deflateSync(text),
  zlib: deflateSync(text),
  zstd: zstdCompressSync(text),
  snappy: fixture("long.snappy"),
  "x-snappy-framed": fixture("long.sz"),
  lz4: fixture("text.lz4"),
};

function codeOf(bytes: Buffer, encoding: string, maxBytes: number): string {
  try {
    decompress(bytes, encoding, maxBytes);
    return "none";
  } catch (error) {
    if (error instanceof WireError) {
      return error.code;
    }
    throw error;
  }
}

describe.each(Object.entries(encoded))("%s", (encoding, bytes) => {
  test("is known, undone, and limited", () => {
    expect(isKnownEncoding(encoding)).toBe(true);
    expect(acceptedEncodings).toContain(encoding);
    const { length } = decompress(bytes, encoding, 1_000_000);
    expect(length).toBeGreaterThan(4_999);
    expect(codeOf(bytes, encoding, length)).toBe("none");
    expect(codeOf(bytes, encoding, length - 1)).toBe("WIRE_TOO_LARGE");
    expect(codeOf(Buffer.from("hello world"), encoding, 1_000)).toMatch(/^WIRE_(MALFORMED|TRUNCATED)$/);
  });
});

test.each(["", "identity", "none"])("%j leaves a message as it is", (encoding) => {
  expect(isPlainEncoding(encoding)).toBe(true);
  expect(decompress(text, encoding, 1)).toBe(text);
});

test.each(["br", "compress", "constructor"])("%s is unknown", (encoding) => {
  expect(isKnownEncoding(encoding)).toBe(false);
});
