import { expect, test } from "vitest";
import { garbageCollector } from "./unpacked-garbage.ts";

const mib = 1024 * 1024;

test("garbage is collected when much was unpacked since the last time", () => {
  let held = 5 * mib;
  let kept = 9 * mib;
  const left: number[] = [];
  const collect = garbageCollector({
    heldBytes: () => held,
    collect: () => {
      held = kept;
      left.push(held / mib);
    },
  });
  for (held of [10, 17, 18, 21].map((size) => size * mib)) {
    collect();
  }
  // One collection at 18 MiB. Later limits are counted from the memory that remained, even if it decreases.
  expect(left).toEqual([9]);
  kept = 3 * mib;
  held = 4 * mib;
  collect();
  held = 17 * mib;
  collect();
  expect(left).toEqual([9, 3]);
});

test("what is unpacked and forgotten goes back", () => {
  const collect = garbageCollector();
  const held = () => process.memoryUsage().arrayBuffers;
  const before = held();
  let most = 0;
  for (let call = 0; call < 200; call++) {
    Buffer.allocUnsafeSlow(mib);
    collect();
    most = Math.max(most, held() - before);
  }
  // Other tests of this process also cause garbage. Without this collector, V8 would keep more than 60 MiB.
  expect(most).toBeLessThan(40 * mib);
});
