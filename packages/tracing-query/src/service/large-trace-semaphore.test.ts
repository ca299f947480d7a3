import type { ReadOptions } from "storage/api";
import { expect, test } from "vitest";
import { LargeTraceSemaphore, type OnCount, readWithSemaphore } from "./large-trace-semaphore.ts";
import { RequestGate } from "./request-gate.ts";

const megabyte = 1_000_000;

/** A room of ten megabytes with running requests, which the test ends. */
function roomWith(requests: number) {
  let waited = 0;
  const room = new LargeTraceSemaphore(10 * megabyte, () => waited++);
  const aborts = Array.from({ length: requests }, () => new AbortController());
  for (const { signal } of aborts) {
    room.enter(signal);
  }
  const reads: number[] = [];
  /** Reads traces of `bytes` bytes as a store does: announces the size, then checks whether the request was aborted. */
  const ask = (request: number, bytes: number, counted: OnCount = () => {}) =>
    readWithSemaphore(
      room,
      { signal: aborts[request]?.signal } as ReadOptions,
      counted,
      async ({ signal }, onCount) => {
        reads.push(request);
        await Promise.resolve();
        onCount(50_000, bytes);
        signal?.throwIfAborted();
        return request;
      },
    );
  const over = (request: number) => room.leave((aborts[request] as AbortController).signal);
  return { room, aborts, reads, ask, over, waited: () => waited };
}

test("what fits is read at once; the rest waits in order, is counted, and read when others are over", async () => {
  const { room, reads, ask, over, waited } = roomWith(4);
  expect(await Promise.all([ask(0, 4 * megabyte), ask(1, 4 * megabyte)])).toEqual([0, 1]);
  const done: number[] = [];
  const later = [ask(2, 4 * megabyte), ask(3, megabyte)].map((read) => read.then((who) => done.push(who)));
  await expect.poll(waited).toBe(2);
  // The last request would fit, but it must wait behind the request before.
  expect([reads, done, room.taken]).toEqual([[0, 1, 2, 3], [], 8 * megabyte]);
  over(0);
  await Promise.all(later);
  expect(reads).toEqual([0, 1, 2, 3, 2, 3]);
  expect(room.taken).toBe(9 * megabyte);
  for (const request of [1, 2, 3]) {
    over(request);
  }
  expect(room.taken).toBe(0);
});

test("what is larger than the room is read alone", async () => {
  const { room, ask, over, waited } = roomWith(2);
  expect(await ask(0, 50 * megabyte)).toBe(0);
  const other = ask(1, megabyte);
  await expect.poll(waited).toBe(1);
  over(0);
  expect(await other).toBe(1);
  expect(room.taken).toBe(megabyte);
});

test("who has room gets more, and is not counted twice for what is read again", async () => {
  const { room, ask, over, waited } = roomWith(2);
  await ask(0, 8 * megabyte);
  const other = ask(1, 6 * megabyte);
  await expect.poll(waited).toBe(1);
  await ask(0, 8 * megabyte);
  expect(room.taken).toBe(16 * megabyte);
  over(0);
  await other;
  expect(room.taken).toBe(6 * megabyte);
});

test("who leaves while it waits takes no room, and lets the next one in", async () => {
  const { room, aborts, ask, over, waited } = roomWith(3);
  await ask(0, 8 * megabyte);
  const gone = ask(1, 8 * megabyte);
  const next = ask(2, 2 * megabyte);
  await expect.poll(waited).toBe(2);
  aborts[1]?.abort(new Error("gone"));
  await expect(gone).rejects.toThrow("gone");
  over(1);
  expect(await next).toBe(2);
  over(0);
  over(2);
  expect(room.taken).toBe(0);
});

test("the beginning is told at once, also to who waits then", async () => {
  const { ask, over } = roomWith(2);
  await ask(0, 8 * megabyte);
  const counted = Promise.withResolvers<number>();
  const waiting = ask(1, 8 * megabyte, (spans) => counted.resolve(spans));
  expect(await counted.promise).toBe(50_000);
  over(0);
  expect(await waiting).toBe(1);
});

test("small traces, and requests that no gate let in, take none", async () => {
  const { room, ask } = roomWith(1);
  const { signal } = new AbortController();
  const small = (read: ReadOptions) =>
    readWithSemaphore(
      room,
      read,
      () => {},
      async (_, onCount) => onCount(2_000, 50 * megabyte),
    );
  await small({ signal });
  await small({});
  expect(room.tryTake(signal, 50 * megabyte)).toBe(true);
  expect(room.taken).toBe(0);
  await ask(0, megabyte);
  expect(room.taken).toBe(megabyte);
});

test("the gate tells the room who comes and who is over", async () => {
  const room = new LargeTraceSemaphore(megabyte);
  const gate = new RequestGate({ maxConcurrent: 2, maxWaiting: 2, room });
  const { signal } = new AbortController();
  const leave = await gate.enter(signal);
  expect(room.tryTake(signal, megabyte)).toBe(true);
  expect(room.taken).toBe(megabyte);
  leave();
  leave();
  expect(room.taken).toBe(0);
});
