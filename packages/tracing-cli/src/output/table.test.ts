import { expect, test } from "vitest";
import { tableText } from "./table.ts";

const columns = [{ title: "N", align: "right" }, { title: "NAME" }] as const;

test("figures stand at the right, and no line ends with blanks", () => {
  expect(
    tableText(columns, [
      ["1", "one"],
      ["1000", "a thousand"],
    ]),
  ).toBe("   N  NAME\n   1  one\n1000  a thousand\n");
});

test("a line is cut to the terminal", () => {
  const [, line = ""] = tableText(columns, [["1", "x".repeat(100)]], 40).split("\n");
  expect([line.length, line.at(-1)]).toEqual([40, "…"]);
});

test("what a program traced cannot write over the terminal", () => {
  const text = tableText(columns, [["1", "a\x1b[2Jb\nc\u202ed"]]);
  expect(text.split("\n")).toHaveLength(3);
  expect(text).toContain("a\ufffd[2Jb\ufffdc\ufffdd");
});
