import { expect, test } from "vitest";
import type { PacketHeader } from "../wire/packet-header.ts";
import { NewcomerQueue } from "./newcomer-queue.ts";

const address = { address: "192.0.2.1", port: 1_000 };

function newQueue() {
  const queue = new NewcomerQueue();
  const add = (name: string, at: number, isKnown = false) =>
    queue.add({
      header: { destinationId: Buffer.from(name) } as PacketHeader,
      address,
      originalId: undefined,
      isKnown,
      datagrams: [Buffer.from(name)],
      firstAt: at,
      lastAt: at,
    });
  return { queue, add };
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

test("prefers the newest client when the oldest waits for long", () => {
  const { queue, add } = newQueue();
  const next = (now: number) => queue.next(now)!.datagrams.join();
  add("first", 0);
  add("second", 100);
  add("third", 200);
  expect([next(1_001), next(1_000), next(1_200)]).toEqual(["third", "first", "second"]);
});

test("is full sooner for clients that did not show their address", () => {
  const { queue, add } = newQueue();
  const seen: [number, boolean, boolean][] = [];
  for (let count = 1; count <= 4_096; count++) {
    add(`client ${count}`, 0);
    if (count % 2_048 >= 2_047 || count % 2_048 === 0) {
      seen.push([count, queue.isFull(false), queue.isFull(true)]);
    }
  }
  expect(seen).toEqual([
    [2_047, false, false],
    [2_048, true, false],
    [4_095, true, false],
    [4_096, true, true],
  ]);
});
