import { expect, test } from "vitest";
import { inTurn, withErrors } from "./in-turn.ts";

test("what is there at once needs no promise", () => {
  expect(inTurn(3, (index) => index * 2)).toEqual([0, 2, 4]);
  expect(inTurn(0, () => 1)).toEqual([]);
});

test("one that takes time holds up those after it, and none of those begins before", async () => {
  const events: string[] = [];
  const made = inTurn(4, (index) => {
    events.push(`begins ${index}`);
    const ends = async () => {
      await Promise.resolve();
      events.push(`ends ${index}`);
      return index;
    };
    return index % 2 === 0 ? index : ends();
  });
  expect(events).toEqual(["begins 0", "begins 1"]);
  expect(await made).toEqual([0, 1, 2, 3]);
  expect(events).toEqual(["begins 0", "begins 1", "ends 1", "begins 2", "begins 3", "ends 3"]);
});

test("after one that fails none is made", async () => {
  const begun: number[] = [];
  const failing = (later: boolean) => (index: number) => {
    begun.push(index);
    return later ? Promise.reject(new Error("no")) : index;
  };
  await expect(inTurn(3, failing(true))).rejects.toThrow("no");
  expect(begun).toEqual([0]);
});

test.each([
  [
    "thrown",
    () => {
      throw new Error("no");
    },
  ],
  ["rejected", () => Promise.reject(new Error("no"))],
])("an error that is %s passes through the change", async (_, work) => {
  const run = async () => withErrors<number>(work, (error) => new Error(`here: ${(error as Error).message}`));
  await expect(run()).rejects.toThrow("here: no");
});
