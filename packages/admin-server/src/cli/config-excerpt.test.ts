import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { configExcerpt } from "./config-excerpt.ts";

/** No terminal: no colours. */
const stream = new PassThrough();

function excerpt(text: string, place: { line: number; column?: number; word?: string }): string[] {
  return configExcerpt(text, { file: undefined, ...place }, stream).split("\n");
}

test("the word is marked", () => {
  expect(excerpt(":80 {\n\theaders x\n}", { line: 2, word: "headers" })).toEqual([
    "  2 |  headers x",
    "    |  ^^^^^^^",
    "",
  ]);
});

test("the column is marked, also past the end", () => {
  expect(excerpt("a: [1,\n b: }", { line: 2, column: 5 })[1]).toBe("    |     ^");
  expect(excerpt("x = ", { line: 1, column: 99 })[1]).toBe("    |     ^");
});

test("a word that is not there, or goes over lines, marks the beginning of the line", () => {
  expect(excerpt("  respond", { line: 1, word: "header" })[1]).toBe("    |   ^");
  expect(excerpt('respond "a\nb"', { line: 1, word: "a\nb" })[1]).toBe("    | ^");
});

test("a long line is cut around the place, and nothing in it moves the cursor", () => {
  const [line = "", caret = ""] = excerpt(`${"a".repeat(500)}\u001b[31mX\r\u0007${"b".repeat(500)}`, {
    line: 1,
    word: "X",
  });
  expect(line.length).toBeLessThan(140);
  expect(line).not.toMatch(/\p{Cc}/u);
  expect(line).toContain("X");
  expect(caret).toContain("^");
});

test("a line that is not there has no excerpt", () => {
  expect(configExcerpt("a", { file: undefined, line: 7 }, stream)).toBe("");
  expect(configExcerpt(undefined, { file: "/none/at/all", line: 1 }, stream)).toBe("");
});

test("of an import its own file is read", () => {
  const place = { file: import.meta.filename, line: 1, word: "import" };
  expect(configExcerpt(undefined, place, stream)).toContain(
    '  1 | import { PassThrough } from "node:stream";',
  );
});
