import { expect, test } from "vitest";
import type { PacketHeader } from "../wire/packet-header.ts";
import { type Newcomer, NewcomerQueue } from "./newcomer-queue.ts";

const address = { address: "192.0.2.1", port: 1_000 };

function newQueue() {
  const queue = new NewcomerQueue();
  const newcomer = (name: string, at: number, isKnown = false): Newcomer => ({
    header: { destinationId: Buffer.from(name) } as PacketHeader,
    address,
    originalId: undefined,
    isKnown,
    datagrams: [Buffer.from(name)],
    firstAt: at,
    lastAt: at,
  });
  const add = (name: string, at: number) => queue.add(newcomer(name, at));
  return { queue, add, newcomer };
}

test("gives clients in the order in which they came, each with its datagrams", () => {
  const { queue, add } = newQueue();
  add("first", 0);
  add("second", 1);
  const join = (id: string, from = address) => queue.join(Buffer.from(id), Buffer.from("more"), from, 2);
  expect([join("first"), join("first", { ...address, port: 2 }), join("third")]).toEqual([
    "joined",
    "dropped",
    undefined,
  ]);
  expect([join("second"), join("second"), join("second"), join("second")].at(-1)).toBe("dropped");
  expect(queue.next(3)!.datagrams.join()).toBe("first,more");
  expect(queue.next(3)!.datagrams).toHaveLength(4);
  expect([queue.next(3), queue.size]).toEqual([undefined, 0]);
});

test("forgets clients that fell silent", () => {
  const { queue, add } = newQueue();
  add("repeats", 0);
  add("left", 0);
  queue.join(Buffer.from("repeats"), Buffer.from("again"), address, 3_000);
  expect(queue.next(5_001)!.header.destinationId.toString()).toBe("repeats");
  add("closed", 6_000);
  queue.clear();
  expect([queue.size, queue.join(Buffer.from("closed"), Buffer.alloc(1), address, 0)]).toEqual([
    0,
    undefined,
  ]);
});

test("refuses clients that would wait for longer than clients do, by the time that clients took", () => {
  const { queue, add, newcomer } = newQueue();
  const judgeAt = (firstAt: number, now: number) => queue.judge(newcomer("last", firstAt, true), now);
  for (let count = 0; count < 1_000; count++) {
    add(`client ${count}`, 0);
  }
  // Each client counts as 4 ms until the real time is measured.
  expect([judgeAt(0, 0), queue.judge(newcomer("last", 0), 0)]).toEqual(["refuse", "refuse"]);
  let now = 0;
  for (let count = 0; count < 200; count++) {
    queue.next(now);
    queue.handshakeBegan(now);
    now += 1;
  }
  expect([judgeAt(now, now), judgeAt(now - 2_000, now), judgeAt(now - 3_000, now)]).toEqual([
    "wait",
    "wait",
    "refuse",
  ]);
  expect([3_500, 3_501].map((at) => queue.isLate(newcomer("last", 0), at))).toEqual([false, true]);
});

test("counts no time in which nobody waited", () => {
  const { queue, add, newcomer } = newQueue();
  for (const now of [0, 60_000, 120_000]) {
    add("client", now);
    queue.next(now);
    queue.handshakeBegan(now);
  }
  add("first", 120_000);
  expect(queue.judge(newcomer("second", 120_000), 120_000)).toBe("wait");
});

test("keeps room for clients that showed their address", () => {
  const { queue, add, newcomer } = newQueue();
  for (let count = 0; count < 200; count++) {
    add(`before ${count}`, 0);
    queue.handshakeBegan(0);
  }
  const seen: [number, string, string][] = [];
  for (let count = 201; count <= 4_096; count++) {
    add(`client ${count}`, 0);
    if (count % 2_048 >= 2_047 || count % 2_048 === 0) {
      seen.push([count, queue.judge(newcomer("last", 0), 0), queue.judge(newcomer("last", 0, true), 0)]);
    }
  }
  expect(seen).toEqual([
    [2_047, "wait", "wait"],
    [2_048, "retry", "wait"],
    [4_095, "retry", "wait"],
    [4_096, "refuse", "refuse"],
  ]);
});
