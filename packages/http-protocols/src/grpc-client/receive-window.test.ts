import fc from "fast-check";
import { expect, test } from "vitest";
import { ReceiveWindow } from "./receive-window.ts";

test("gives back what was used when that is over half", () => {
  const window = new ReceiveWindow(100);
  expect(window.take(50)).toBe(true);
  expect(window.grant()).toBe(0);
  expect(window.take(1)).toBe(true);
  expect(window.grant()).toBe(51);
  expect(window.take(100)).toBe(true);
  expect(window.grant()).toBe(100);
});

test("says when a peer sends what it may not", () => {
  const window = new ReceiveWindow(100);
  expect(window.take(100)).toBe(true);
  expect(window.take(1)).toBe(false);
});

test("never stops a peer that keeps to it, and never lets it have more than the window", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 16 })), (frames) => {
      const window = new ReceiveWindow(40);
      let mayBytes = 40;
      for (const frame of frames) {
        expect(window.take(frame)).toBe(true);
        mayBytes += window.grant() - frame;
        expect(mayBytes).toBeGreaterThanOrEqual(20);
        expect(mayBytes).toBeLessThanOrEqual(40);
      }
    }),
  );
});
