import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const work = (client: string, name = client) => ({ client, name });

test("clients take turns, whoever sends more", () => {
  const turns = new Turns<{ client: string; name: string }>(10);
  for (const each of [work("a", "a1"), work("a", "a2"), work("a", "a3"), work("b"), work("c")]) {
    expect(turns.add(each)).toBeUndefined();
  }
  const order = Array.from({ length: 6 }, () => turns.next()?.name);
  expect(order).toEqual(["a1", "b", "c", "a2", "a3", undefined]);
  expect(turns.size).toBe(0);
});

test("when it is full, the client with the most gives way", () => {
  const turns = new Turns<{ client: string; name: string }>(3);
  for (const name of ["a1", "a2", "a3"]) {
    turns.add(work("a", name));
  }
  const another = work("a", "a4");
  expect(turns.add(another)).toBe(another);
  expect(turns.add(work("b"))?.name).toBe("a3");
  const second = work("b", "b2");
  expect(turns.add(second)).toBe(second);
  expect([turns.next()?.name, turns.next()?.name, turns.next()?.name]).toEqual(["a1", "b", "a2"]);
});

test("what is removed has no turn", () => {
  const turns = new Turns<{ client: string; name: string }>(3);
  const [first, second] = [work("a", "a1"), work("a", "a2")];
  turns.add(first);
  turns.add(second);
  expect([turns.remove(first), turns.remove(first), turns.size]).toEqual([true, false, 1]);
  expect(turns.next()).toBe(second);
  expect(turns.remove(second)).toBe(false);
});
