import { expect, test } from "vitest";
import { FloodGuard } from "./flood-guard.ts";

test("a PING for each DATA frame that was sent is no flood", () => {
  const guard = new FloodGuard();
  for (let frame = 0; frame < 100_000; frame++) {
    guard.dataSent();
    guard.idleFrame();
  }
});

test("frames that nothing was sent for are one, and what was sent before buys no more than the burst", () => {
  const guard = new FloodGuard();
  for (let frame = 0; frame < 100_000; frame++) {
    guard.dataSent();
  }
  let count = 0;
  const flood = () => {
    for (; count < 100_000; count++) {
      guard.idleFrame();
    }
  };
  expect(flood).toThrow("too many frames that move nothing");
  expect(count).toBeGreaterThanOrEqual(1_000);
  // The elapsed time adds only a few: 200 per second.
  expect(count).toBeLessThan(2_000);
});
