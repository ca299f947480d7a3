import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { RunningTimeout } from "./running-timeout.ts";

/** Blocks this thread, like long work or a busy machine. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test("ends a wait, but not because this process did not run", async () => {
  const timeout = new RunningTimeout(120);
  await nextTurn();
  const asUsual = AbortSignal.timeout(120);
  block(400);
  await nextTurn();
  await nextTurn();
  expect({ asUsual: asUsual.aborted, running: timeout.signal.aborted }).toEqual({
    asUsual: true,
    running: false,
  });
  await once(timeout.signal, "abort");
  expect(String(timeout.signal.reason)).toBe("Error: no answer in 120 ms");
});

test("ends nothing after its end", async () => {
  const timeout = new RunningTimeout(12);
  timeout.end();
  const later = new RunningTimeout(60);
  await once(later.signal, "abort");
  expect(timeout.signal.aborted).toBe(false);
});
