import { expect, test } from "vitest";
import { changesPage } from "./changes-page.ts";

test("Notes stand by kind, what breaks first, each on a line of its own", () => {
  const page = changesPage("0.1.0", [
    { file: "b.fix.md", text: "It no longer\nfails.\n" },
    { file: "c.feature.md", text: "It counts.\n" },
    { file: "a.feature.md", text: "It adds.\n" },
    { file: "z.breaking.md", text: "It wants a name.\n" },
  ]);
  expect(page).toBe(`# Changes in 0.1.0

## Breaking

- It wants a name.

## New

- It adds.
- It counts.

## Mended

- It no longer fails.
`);
});

test("A kind without notes is left out", () => {
  expect(changesPage("0.1.0", [{ file: "a.fix.md", text: "It works." }])).not.toContain("## New");
});

test.each([
  ["a.chore.md", "It is tidy.", "changelog.d/a.chore.md"],
  ["README.md", "How to write notes.", "changelog.d/README.md"],
  ["a.fix.md", "\n", "changelog.d/a.fix.md is empty"],
])("%s with the text %j is refused", (file, text, message) => {
  expect(() => changesPage("0.1.0", [{ file, text }])).toThrow(message);
});
