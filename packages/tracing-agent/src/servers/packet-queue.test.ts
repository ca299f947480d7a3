import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PacketQueue } from "./packet-queue.ts";

const packet = (name: number, length = 1) => Buffer.alloc(length, name);
const names = (packets: readonly Buffer[]) => packets.map((one) => one[0]);

/** Takes packets from a queue, and copies them. */
function takeFrom(queue: PacketQueue, maxPackets: number, maxBytes: number): Buffer[] {
  const taken: Buffer[] = [];
  queue.take(maxPackets, maxBytes, (one) => taken.push(Buffer.from(one)));
  return taken;
}

describe("PacketQueue", () => {
  test("gives packets in order, and takes none past its limit", () => {
    const queue = new PacketQueue(3);
    expect([1, 2, 3, 4].map((name) => queue.offer(packet(name)))).toEqual([true, true, true, false]);
    expect(names(takeFrom(queue, 2, 100))).toEqual([1, 2]);
    expect(queue.size).toBe(1);
    expect(queue.offer(packet(5))).toBe(true);
    expect(names(takeFrom(queue, 9, 100))).toEqual([3, 5]);
    expect(takeFrom(queue, 9, 100)).toEqual([]);
  });

  test("keeps to the bytes asked for, but gives at least one packet", () => {
    const queue = new PacketQueue(10);
    for (const [name, length] of [
      [1, 50],
      [2, 5],
      [3, 5],
      [4, 1],
    ] as const) {
      queue.offer(packet(name, length));
    }
    expect(names(takeFrom(queue, 9, 10))).toEqual([1]);
    expect(names(takeFrom(queue, 9, 10))).toEqual([2, 3]);
    expect(names(takeFrom(queue, 9, 10))).toEqual([4]);
  });

  test("stays right through many turns", () => {
    const queue = new PacketQueue(1_000);
    const seen: (number | undefined)[] = [];
    for (let turn = 0; turn < 200; turn++) {
      queue.offer(packet(turn));
      queue.offer(packet(turn));
      seen.push(...names(takeFrom(queue, turn % 3, 100)));
    }
    seen.push(...names(takeFrom(queue, 1_000, 10_000)));
    expect(seen).toEqual(Array.from({ length: 400 }, (_, index) => index >> 1));
  });

  test("gives each packet's bytes as they came, whatever the sizes and turns", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            offers: fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 8 }),
            takes: fc.nat(9),
          }),
          {
            maxLength: 40,
          },
        ),
        (turns) => {
          const queue = new PacketQueue(20);
          const waiting: Buffer[] = [];
          let name = 0;
          for (const { offers, takes } of turns) {
            for (const length of offers) {
              const one = packet(++name % 256, length);
              expect(queue.offer(one)).toBe(waiting.length < 20);
              if (waiting.length < 20) {
                waiting.push(one);
              }
            }
            expect(queue.size).toBe(waiting.length);
            const taken = takeFrom(queue, takes, 1_000_000);
            const expected = waiting.splice(0, takes);
            expect(taken.length).toBe(expected.length);
            expect(taken.every((one, index) => one.equals(expected[index] ?? packet(0)))).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
