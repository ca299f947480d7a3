import { expect, test } from "vitest";
import { RepeatCache } from "./repeat-cache.ts";

test("finds what was kept for the same bytes, and nothing for others", () => {
  const bytes = Buffer.from("http.method http.method http.methox Http.method");
  const cache = new RepeatCache<string>(bytes);
  for (let time = 0; time < 2; time++) {
    expect(cache.find(0, 11)).toBeUndefined();
    cache.keep(0, 11, "http.method");
  }
  expect(cache.find(12, 23)).toBe("http.method");
  for (const [start, end] of [
    [24, 35],
    [36, 47],
    [12, 22],
    [0, 0],
  ] as const) {
    expect(cache.find(start, end)).toBeUndefined();
  }
});

test("keeps apart more values than it has places for", () => {
  const count = 10_000;
  const bytes = Buffer.alloc(count * 4);
  for (let index = 0; index < count; index++) {
    bytes.writeUInt32LE(index, index * 4);
  }
  const cache = new RepeatCache<number>(bytes);
  for (let index = 0; index < count; index++) {
    for (let time = 0; time < 2; time++) {
      expect(cache.find(index * 4, index * 4 + 4)).toBeUndefined();
      cache.keep(index * 4, index * 4 + 4, index);
    }
  }
  let known = 0;
  for (let index = 0; index < count; index++) {
    const found = cache.find(index * 4, index * 4 + 4);
    if (found === undefined) {
      continue;
    }
    expect(found).toBe(index);
    known++;
  }
  expect(known).toBeGreaterThan(1_000);
});

test("keeps nothing of what comes but once, but what was there makes room", () => {
  const count = 20_000;
  const bytes = Buffer.alloc(4 + count * 4);
  for (let index = 0; index < count; index++) {
    bytes.writeUInt32LE(index + 1, 4 + index * 4);
  }
  const cache = new RepeatCache<string>(bytes);
  for (let time = 0; time < 2; time++) {
    cache.find(0, 4);
    cache.keep(0, 4, "often");
  }
  expect(cache.find(0, 4)).toBe("often");
  for (let start = 4; start < bytes.length; start += 4) {
    expect(cache.find(start, start + 4)).toBeUndefined();
    cache.keep(start, start + 4, "once");
  }
  expect(cache.find(0, 4)).toBeUndefined();
});

test("does not keep long values", () => {
  const cache = new RepeatCache<string>(Buffer.alloc(1_000));
  for (let time = 0; time < 3; time++) {
    expect(cache.find(0, 500)).toBeUndefined();
    cache.keep(0, 500, "long");
  }
});
