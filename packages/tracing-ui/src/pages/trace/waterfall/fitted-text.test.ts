import { expect, test } from "vitest";
import { FittedText } from "./fitted-text.ts";

/** Every letter is ten pixels wide. */
const tens = () => new FittedText((text) => [...text].length * 10);

test.each([
  ["fits as it is", "Charge", 60, "Charge"],
  ["is short is cut at the end", "Charge", 59, "Char…"],
  ["is long is cut in the middle", "GET /api/v1/orders/items/list", 150, "GET /api/…/list"],
  ["is cut before a space", "a bcd", 30, "a…"],
  ["has room for the ellipsis alone", "Charge", 10, "…"],
  ["has no room", "Charge", 9, ""],
  ["is empty", "", 0, ""],
  ["is cut between letters, not within one", "🛒🛒🛒", 20, "🛒…"],
])("a text that %s", (_, text, room, expected) => {
  expect(tens().fit(text, "plain", room)).toBe(expected);
});

test("a text of a million letters is never measured whole", () => {
  let longest = 0;
  const texts = new FittedText((text) => {
    longest = Math.max(longest, text.length);
    return text.length;
  });
  expect(texts.fit("x".repeat(1_000_000), "plain", 5_000)).toHaveLength(401);
  expect(longest).toBeLessThan(500);
  expect(texts.fit(`begin${"x".repeat(1_000)}end`, "plain", 5_000)).toMatch(/^beginx+…x+end$/);
});

test("what was measured once is not measured again; fonts are told apart", () => {
  const asked: string[] = [];
  const texts = new FittedText((text, font) => {
    asked.push(`${font} ${text}`);
    return text.length * 10;
  });
  for (let time = 0; time < 3; time += 1) {
    texts.width("a", "plain");
    texts.width("a", "bold");
    texts.fit("abcdef", "plain", 30);
  }
  expect(asked.filter((one) => one.endsWith(" a"))).toEqual(["plain a", "bold a"]);
  expect(new Set(asked).size).toBe(asked.length);
});
