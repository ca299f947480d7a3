import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readLines } from "./json-lines.ts";

async function linesOf(...pieces: Uint8Array[]): Promise<string[]> {
  return Array.fromAsync(readLines(Readable.from(pieces)));
}

const text = Buffer.from('{"a":"é"}\n\n{"b":2}');

test("lines come whole, however they are cut, packed or not", async () => {
  const bytes = (all: Buffer) => [...all].map((byte) => Buffer.of(byte));
  const lines = ['{"a":"é"}', "", '{"b":2}'];
  expect(await linesOf(text)).toEqual(lines);
  expect(await linesOf(...bytes(text))).toEqual(lines);
  expect(await linesOf(gzipSync(text))).toEqual(lines);
  expect(await linesOf(Buffer.concat([text, Buffer.from("\n")]))).toEqual(lines);
  expect(await linesOf()).toEqual([]);
});

test("a file that breaks off is said", async () => {
  await expect(linesOf(gzipSync(text).subarray(0, 25))).rejects.toThrow("unexpected end of file");
});

test("a line has a limit", async () => {
  const piece = Buffer.alloc(1024 * 1024, "x");
  await expect(linesOf(...Array.from({ length: 70 }, () => piece))).rejects.toThrow(
    "a line is longer than 67108864 bytes",
  );
});
