import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PacedWriter } from "./paced-writer.ts";

let sent: string[];
const open = (): PacedWriter =>
  new PacedWriter(100, {
    write: (chunk) => {
      sent.push(Buffer.from(chunk).toString());
      return chunk.length < 4096;
    },
    flush: () => void sent.push("flush"),
  });

beforeEach(() => {
  sent = [];
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

test("the head goes out after the interval, whether there is a body or not", () => {
  open();
  vi.advanceTimersByTime(99);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(sent).toEqual(["flush"]);
});

test("bytes wait for the interval since the first of them, and go out together", () => {
  const writer = open();
  vi.advanceTimersByTime(100);
  expect(writer.write(Buffer.from("a"))).toBe(true);
  vi.advanceTimersByTime(60);
  writer.write(Buffer.from("b"));
  vi.advanceTimersByTime(40);
  writer.write(Buffer.from("c"));
  vi.advanceTimersByTime(100);
  expect(sent).toEqual(["flush", "ab", "flush", "c", "flush"]);
});

test("many bytes do not wait, and their sender hears when it is enough", () => {
  const writer = open();
  expect(writer.write(Buffer.alloc(3_000, "x"))).toBe(true);
  expect(writer.write(Buffer.alloc(3_000, "y"))).toBe(false);
  expect(sent.map((text) => text.length)).toEqual([6_000]);
});

test("the end has what waited; after a stop nothing comes", () => {
  const writer = open();
  writer.write(Buffer.from("rest"));
  expect(Buffer.from(writer.end()).toString()).toBe("rest");
  const stopped = open();
  stopped.write(Buffer.from("gone"));
  stopped.stop();
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual([]);
});
