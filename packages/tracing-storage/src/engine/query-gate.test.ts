import { expect, test } from "vitest";
import { QueryGate } from "./query-gate.ts";

/** Work that ends when the test says so. */
function startWork(gate: QueryGate, signal = new AbortController().signal) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = { started: false, end: resolve, result: Promise.resolve("") };
  work.result = gate.run(() => {
    work.started = true;
    return promise;
  }, signal);
  work.result.catch(() => {});
  return work;
}

test("runs so many at once, then in order of arrival", async () => {
  const gate = new QueryGate({ maxRunning: 2, maxWaiting: 2 });
  const works = [startWork(gate), startWork(gate), startWork(gate), startWork(gate)];
  expect(works.map((work) => work.started)).toEqual([true, true, false, false]);
  expect([gate.running, gate.waiting]).toEqual([2, 2]);
  works[1]?.end("second");
  expect(await works[1]?.result).toBe("second");
  expect(works.map((work) => work.started)).toEqual([true, true, true, false]);
  for (const work of works) {
    work.end("");
  }
  await gate.idle();
  expect([gate.running, gate.waiting]).toEqual([0, 0]);
});

test("refuses one more than may wait", async () => {
  const gate = new QueryGate({ maxRunning: 1, maxWaiting: 1 });
  const works = [startWork(gate), startWork(gate)];
  await expect(startWork(gate).result).rejects.toMatchObject({ code: 202 });
  for (const work of works) {
    work.end("");
  }
  await gate.idle();
});

test("one that leaves the queue gives its place to the next", async () => {
  const gate = new QueryGate({ maxRunning: 1, maxWaiting: 1 });
  const left = new AbortController();
  const first = startWork(gate);
  const second = startWork(gate, left.signal);
  left.abort();
  await expect(second.result).rejects.toMatchObject({ code: 394 });
  const third = startWork(gate);
  await expect(startWork(gate, left.signal).result).rejects.toMatchObject({ code: 394 });
  first.end("");
  third.end("third");
  expect(await third.result).toBe("third");
  expect(second.started).toBe(false);
});

test("a failure frees the place", async () => {
  const gate = new QueryGate({ maxRunning: 1, maxWaiting: 0 });
  const { signal } = new AbortController();
  await expect(gate.run(() => Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(await gate.run(() => Promise.resolve(1), signal)).toBe(1);
});
