import { expect, test } from "vitest";
import { ReplicaTurns } from "./replica-turns.ts";

test("takes replicas in turn, and keeps to one that won a race for half a minute", () => {
  let nowMs = 0;
  const turns = new ReplicaTurns(() => nowMs);
  expect([turns.next(), turns.next()]).toEqual([0, 1]);
  turns.won(3);
  nowMs = 29_999;
  expect([turns.next(), turns.next()]).toEqual([3, 3]);
  nowMs = 30_000;
  expect([turns.next(), turns.next()]).toEqual([2, 3]);
});
