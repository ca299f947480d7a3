import { expect, test } from "vitest";
import { ChangeLock } from "./change-lock.ts";

test("lets one through at a time, in order, also after a failure", async () => {
  const lock = new ChangeLock(10);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (name === "a") {
      throw new Error("no");
    }
  };
  await Promise.allSettled([lock.run(work("a")), lock.run(work("b"))]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("refuses more than may wait", async () => {
  const lock = new ChangeLock(1);
  const gate = Promise.withResolvers<void>();
  const first = lock.run(() => gate.promise);
  await expect(lock.run(async () => {})).rejects.toThrow("too many config changes are waiting, limit 1");
  gate.resolve();
  await first;
  await lock.run(async () => {});
});
