import { expect, test } from "vitest";
import { splitName } from "./split-name.ts";

test.each([
  ["", "", ""],
  ["a", "a", ""],
  ["frontend", "fron", "tend"],
  ["payments-order-orchestrator-0017", "payments-order-orchestra", "tor-0017"],
  // A letter of two code units is never split.
  ["queues-😀😀😀😀😀😀😀😀😀", "queues-😀", "😀😀😀😀😀😀😀😀"],
])("%j ends in %j after %j", (name, head, tail) => {
  expect(splitName(name)).toEqual({ head, tail });
});
