import { expect, test } from "vitest";
import { PlaceMemory } from "./place-memory.ts";

const list = { selector: "div.list", nth: 0 };
const table = { selector: "div.list", nth: 1 };

test("the last place of each box is kept, and the last focus", () => {
  const memory = new PlaceMemory();
  memory.scrolled("a", list, 10, 0);
  memory.scrolled("a", table, 20, 5);
  memory.scrolled("a", list, 30, 0);
  memory.focused("a", { selector: "a", nth: 3 });
  expect(memory.of("a")).toEqual({
    scrolls: [
      { box: table, top: 20, left: 5 },
      { box: list, top: 30, left: 0 },
    ],
    focus: { selector: "a", nth: 3 },
  });
  expect(memory.of("b")).toBeUndefined();
});

test("an entry whose address is replaced keeps its places", () => {
  const memory = new PlaceMemory();
  memory.scrolled("a", list, 10, 0);
  memory.renamed("a", "b");
  memory.renamed("unknown", "c");
  expect([memory.of("a"), memory.of("b")?.scrolls[0]?.top, memory.of("c")]).toEqual([
    undefined,
    10,
    undefined,
  ]);
});

test("places survive as a text, and a text that cannot be read is an empty memory", () => {
  const memory = new PlaceMemory();
  memory.scrolled("a", list, 10, 0);
  expect(new PlaceMemory(memory.toText()).of("a")).toEqual(memory.of("a"));
  for (const text of [null, "", "{", "7", '[["a",null],["b"],3]']) {
    expect(new PlaceMemory(text).toText()).toBe("[]");
  }
});

test("the oldest entries are forgotten", () => {
  const memory = new PlaceMemory();
  for (let entry = 0; entry < 60; entry++) {
    memory.scrolled(`${entry}`, list, entry, 0);
  }
  expect([memory.of("9"), memory.of("10")?.scrolls[0]?.top]).toEqual([undefined, 10]);
});
