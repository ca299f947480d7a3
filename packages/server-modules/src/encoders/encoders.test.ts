import { text } from "node:stream/consumers";
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from "node:zlib";
import { describe, expect, test } from "vitest";
import { provisionModule } from "../../../admin-server/src/testing/provision-module.ts";
import { contentEncoders } from "./content-encoder.ts";

const long = "The same words again and again. ".repeat(500);

describe.each([
  ["gzip", {}, gunzipSync, createGunzip],
  ["gzip", { level: 9 }, gunzipSync, createGunzip],
  ["gzip", { level: -2 }, gunzipSync, createGunzip],
  ["br", {}, brotliDecompressSync, createBrotliDecompress],
  ["br", { quality: 11, lgwin: 10 }, brotliDecompressSync, createBrotliDecompress],
  ["zstd", {}, zstdDecompressSync, createZstdDecompress],
  ["zstd", { level: "best", checksum: false }, zstdDecompressSync, createZstdDecompress],
] as const)("%s with %j", (name, config, decode, createDecoder) => {
  test("a whole body comes back, and is shorter on the way", async () => {
    const encoder = await provisionModule(contentEncoders, name, config);
    const coded = encoder.encode(Buffer.from(long));
    expect(coded.length).toBeLessThan(long.length);
    expect(decode(coded).toString()).toBe(long);
  });

  test("pieces that are flushed come back in order", async () => {
    const encoder = await provisionModule(contentEncoders, name, config);
    const stream = encoder.createStream();
    const decoded = text(stream.pipe(createDecoder()));
    for (const piece of [long, "second", "third"]) {
      stream.write(piece);
      await new Promise<void>((resolve) => {
        if (encoder.flushKind === undefined) {
          stream.flush(resolve);
        } else {
          stream.flush(encoder.flushKind, resolve);
        }
      });
    }
    stream.end();
    expect(await decoded).toBe(`${long}secondthird`);
  });
});

test("equal settings have equal keys, others have other keys", async () => {
  const keyOf = async (name: string, config: object) =>
    (await provisionModule(contentEncoders, name, config)).key;
  expect(await keyOf("gzip", {})).toBe(await keyOf("gzip", { level: 5 }));
  const keys = await Promise.all([
    keyOf("gzip", {}),
    keyOf("gzip", { level: 1 }),
    keyOf("br", {}),
    keyOf("br", { quality: 5 }),
    keyOf("br", { lgwin: 20 }),
    keyOf("zstd", {}),
    keyOf("zstd", { level: "fastest" }),
    keyOf("zstd", { checksum: false }),
  ]);
  expect(new Set(keys).size).toBe(keys.length);
});

test.each([
  ["gzip", { level: 10 }],
  ["br", { quality: 12 }],
  ["br", { lgwin: 9 }],
  ["zstd", { level: "smaller" }],
])("%s refuses %j", async (name, config) => {
  await expect(provisionModule(contentEncoders, name, config)).rejects.toThrow();
});
