import { expect, test } from "vitest";
import { ReceivedPackets } from "./received-packets.ts";

const received = (numbers: number[], maxDelayMs = 25) => {
  const packets = new ReceivedPackets(maxDelayMs);
  for (const number of numbers) {
    packets.add(number, true, number);
  }
  return packets;
};

test("joins numbers to ranges in whatever order they come", () => {
  const { ranges } = received([5, 1, 3, 4, 9, 0, 8]);
  expect(ranges).toEqual([
    { low: 8, high: 9 },
    { low: 3, high: 5 },
    { low: 0, high: 1 },
  ]);
});

test("knows what it received", () => {
  const packets = received([0, 1, 3]);
  expect([0, 1, 2, 3, 4].map((number) => packets.has(number))).toEqual([true, true, false, true, false]);
  expect(packets.largest).toBe(3);
});

test("acknowledges every second packet, a gap at once, and a single one later", () => {
  const packets = received([]);
  packets.add(0, true, 100);
  expect(packets.ackAt).toBe(125);
  packets.add(1, true, 105);
  expect(packets.ackAt).toBe(105);
  packets.onAckSent();
  packets.add(2, false, 110);
  expect(packets.ackAt).toBeUndefined();
  packets.add(5, true, 120);
  expect(packets.ackAt).toBe(120);
  expect(packets.ackDelay(130)).toBe(10);
  expect(received([0], 0).ackAt).toBe(0);
});

test("forgets what the peer knows", () => {
  const packets = received([0, 1, 2, 5, 6, 7, 9]);
  packets.forgetUpTo(6);
  expect(packets.ranges).toEqual([
    { low: 9, high: 9 },
    { low: 7, high: 7 },
  ]);
  expect([3, 6, 8].map((number) => packets.has(number))).toEqual([true, true, false]);
});

test("keeps 64 ranges, the newest", () => {
  const packets = received(Array.from({ length: 100 }, (_, index) => index * 2));
  expect(packets.ranges).toHaveLength(64);
  expect(packets.ranges[0]).toEqual({ low: 198, high: 198 });
  expect(packets.has(1)).toBe(true);
});
