import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { eachLine, linePrefix } from "./prefix-lines.ts";

test("lines are found across chunks, the last one without a line break too", async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  eachLine(stream, (line) => lines.push(line));
  stream.write("a\r\nb");
  stream.write("c\n\nd");
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  expect(lines).toEqual(["a", "bc", "", "d"]);
});

test("a line without end is cut", async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  eachLine(stream, (line) => lines.push(line));
  stream.end("x".repeat(40_000));
  await new Promise((resolve) => stream.on("close", resolve));
  expect(lines.map((line) => line.length)).toEqual([16_384, 16_384, 7_232]);
});

test("prefixes are aligned, and coloured only where asked", () => {
  expect(linePrefix("a", 0, 3, false)).toBe("a   | ");
  expect(linePrefix("abc", 1, 3, true)).toBe("\u001b[33mabc |\u001b[0m ");
});
