import { expect, test } from "vitest";
import { SharedMemory } from "./shared-memory.ts";

test("lends what came back last, and no more than it may", () => {
  const memory = new SharedMemory(10, 2);
  const first = memory.borrow() as Buffer;
  const second = memory.borrow() as Buffer;
  expect(memory.borrow()).toBeUndefined();
  memory.giveBack(first);
  memory.giveBack(second);
  expect([memory.borrow(), memory.borrow(), memory.borrow()]).toEqual([second, first, undefined]);
});

test("what was lost is made anew, and does not count", () => {
  const memory = new SharedMemory(10, 1);
  const first = memory.borrow();
  memory.lose();
  expect(memory.lent).toBe(0);
  expect(memory.borrow()).not.toBe(first);
  expect(memory.lent).toBe(1);
});
