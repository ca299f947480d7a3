import { expect, test } from "vitest";
import { makeAppendGate } from "./append-gate.ts";

function counter() {
  let value = 0;
  return {
    get value() {
      return value;
    },
    add(amount: number) {
      value += amount;
      return value;
    },
  };
}

test("waits for those that had entered, not for those that come later", async () => {
  const gate = makeAppendGate(counter(), [counter(), counter()]);
  const leave = gate.enter();
  let settled = false;
  const settling = gate.settle().then(() => {
    settled = true;
  });
  const leaveLater = gate.enter();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(settled).toBe(false);
  leave();
  await settling;
  leaveLater();
  await gate.settle();
});
