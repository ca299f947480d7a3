import { expect, test } from "vitest";
import { nextTurn } from "./next-turn.ts";

test("one caller goes on in a turn of the loop, in the order in which they asked, each as often as it wants", async () => {
  const turns: string[] = [];
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn++;
    if (!isOver) {
      setImmediate(count);
    }
  };
  setImmediate(count);
  const work = async (name: string) => {
    for (let piece = 0; piece < 3; piece++) {
      await nextTurn();
      turns.push(`${name} ${turn}`);
    }
  };
  await Promise.all(["a", "b", "c"].map(work));
  isOver = true;
  expect(turns.map((each) => each[0])).toEqual([..."abcabcabc"]);
  const numbers = turns.map((each) => each.slice(2));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test("one that ends in between holds up nobody", async () => {
  const done: number[] = [];
  await Promise.all([1, 2, 3].map((name) => nextTurn().then(() => done.push(name))));
  expect(done).toEqual([1, 2, 3]);
  await nextTurn();
});
