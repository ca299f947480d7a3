import fc from "fast-check";
import { expect, test } from "vitest";
import { absent, TraceTable } from "./trace-table.ts";

function idOf(number: number): Buffer {
  const id = Buffer.alloc(16);
  // Ids that are similar in every word: ids that count up, and ids with equal halves.
  id.writeUInt32BE(number % 3, 0);
  id.writeUInt32LE(number, 12);
  return id;
}

test("finds what is among the newest, whatever came and went before", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.nat(60), { maxLength: 200 }),
      (capacity, numbers) => {
        const table = new TraceTable(capacity);
        let newest: number[] = [];
        for (const number of numbers) {
          const slot = table.find(idOf(number), 0);
          expect(slot === absent).toBe(!newest.includes(number));
          if (slot === absent) {
            const added = table.add(number);
            expect(table.newest).toBe(added);
            expect(table.verdict(added)).toBe(0);
            expect(table.firstSeenMs(added)).toBe(number);
            table.setVerdict(added, 1 + (number % 9));
            newest = [...newest, number].slice(-capacity);
          } else {
            expect(table.verdict(slot)).toBe(1 + (number % 9));
          }
          expect(table.size).toBe(newest.length);
        }
        const copied = new Uint8Array(16);
        for (const number of newest) {
          table.copyId(table.find(idOf(number), 0), copied);
          expect(Buffer.from(copied)).toEqual(idOf(number));
        }
      },
    ),
  );
});
