import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commentSentences } from "./comment-sentences.ts";
import { findInFiles, isChecked } from "./find-in-files.ts";
import { findHabits } from "./habits.ts";
import { pageSentences } from "./page-sentences.ts";

const long = `One ${"word ".repeat(29)}more.`;

test.each([
  ["What of a trace is kept.", ["opening", "phrase"]],
  ["Of marks only the blocks are unpacked.", ["opening"]],
  ["So many rows are read faster.", ["opening", "phrase"]],
  ["As many as fit are sent.", ["opening"]],
  ["By what it is found.", ["opening"]],
  ["It is dialed in vain.", ["phrase"]],
  ["The client waits for so long.", ["phrase"]],
  ["A reload in the midst of it.", ["phrase"]],
  ["The differences that are meant.", ["phrase"]],
  ["Three tries where absent.", ["phrase"]],
  ["The given folder, else what PEERS names.", ["phrase"]],
  ["It waits for so long that the client leaves.", []],
  ["The value is meant for people.", []],
  [long, ["length"]],
  ["What does it cost?", []],
  ["As soon as a segment is full, it is sent.", []],
  ["Of course it may fail.", []],
  ["At most this many rows are read.", []],
  [long.replace("word ", ""), []],
])("%s", (text, habits) => {
  expect(findHabits({ text, line: 1, docComment: true }).map(({ habit }) => habit)).toEqual(habits);
});

test("a docstring may begin with Whether, other comments may not", () => {
  const source = "/** Whether it runs. */\nlet a = 1; // Whether it runs.\n// Whether it\n// runs.\n";
  const lines = commentSentences("a.ts", source)
    .flatMap(findHabits)
    .map(({ line }) => line);
  expect(lines).toEqual([2, 3]);
});

test.each([
  ["It is the process's. Clients send it.", 2],
  ["See e.g. Tempo's API. It has one.", 2],
  ["J. Doe wrote it.", 1],
])("%s has %d sentences", (text, count) => {
  expect(commentSentences("a.ts", `// ${text}\n`)).toHaveLength(count);
});

test("comments are read sentence by sentence, with their lines", () => {
  const source = `/**
 * Reads one. Then it reads
 * another, e.g. \`a. b\`. \`c\` is none.
 * @param size in bytes
 * - an item
 * \`\`\`ts
 * code("Of this.");
 * \`\`\`
 */
const text = "// no comment";
// biome-ignore lint/x: for a tool
// One thought
// on two lines.
`;
  expect(commentSentences("a.ts", source).map(({ line, text }) => [line, text])).toEqual([
    [2, "Reads one."],
    [2, "Then it reads another, e.g. `…`."],
    [3, "`…` is none."],
    [4, "in bytes"],
    [5, "an item"],
    [12, "One thought on two lines."],
  ]);
});

test("pages are read without headings and code", () => {
  const page = `# What it is

First [line](what.md)
and second. Third.

- an item
- another,
  longer

| What | Why |
|---|---|
| \`a\` | cell |

\`\`\`sh
# Of code
\`\`\`

> quoted
`;
  expect(pageSentences(page).map(({ line, text }) => [line, text])).toEqual([
    [3, "First line and second."],
    [4, "Third."],
    [6, "an item"],
    [7, "another, longer"],
    [12, "`…`"],
    [12, "cell"],
    [18, "quoted"],
  ]);
});

test("generated files and records of measurements are not checked", () => {
  expect(isChecked("packages/wire/src/a.ts")).toBe(true);
  expect(isChecked("packages/wire/src/gen/a.ts")).toBe(false);
  expect(isChecked("docs/measurements/a.md")).toBe(false);
});

test("every finding is reported with its path and line; a removed file has none", () => {
  const root = mkdtempSync(join(tmpdir(), "words-"));
  writeFileSync(join(root, "a.ts"), "// What it is.\n// So many are.\n");
  writeFileSync(join(root, "b.md"), "Plain words.\n\n| Name | Text |\n|---|---|\n| a | Whether it runs. |\n");
  const findings = findInFiles(root, ["a.ts", "b.md", "removed.md"]);
  rmSync(root, { recursive: true });
  expect(findings.map(({ path, line, habit }) => [path, line, habit])).toEqual([
    ["a.ts", 1, "opening"],
    ["a.ts", 2, "opening"],
  ]);
});
