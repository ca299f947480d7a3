import { expect, test } from "vitest";
import { neighbourhood } from "./neighbourhood.ts";

const edges = (...pairs: string[]) =>
  pairs.map((pair) => ({ parent: pair[0] as string, child: pair[1] as string, calls: 1 }));
const names = (found: readonly { parent: string; child: string }[]) =>
  found.map(({ parent, child }) => parent + child).join(" ");

// a calls b, which calls c and d, which calls e; x also calls c.
const all = edges("ab", "bc", "bd", "de", "xc");

test.each([
  ["b", 1, "ab bc bd"],
  ["b", 2, "ab bc bd de"],
  ["c", 1, "bc xc"],
  ["c", 9, "ab bc xc"],
  ["e", 2, "bd de"],
  ["nobody", 1, "ab bc bd de xc"],
  [undefined, 1, "ab bc bd de xc"],
])("about %s, %d calls away", (focus, hops, expected) => {
  expect(names(neighbourhood(all, focus, hops))).toBe(expected);
});

test("circles end", () => {
  expect(names(neighbourhood(edges("ab", "bc", "ca"), "a", 9))).toBe("ab bc ca");
});
