import { expect, test } from "vitest";
import { countLines, isProduct } from "./comment-share.mjs";

test("lines that hold only a comment are counted, blank lines are not", () => {
  const source = `// one
let a = 1; // beside code

/**
 * two

 * three
 */
let b = 2; /* beside code */
/** four */
`;
  expect(countLines(source)).toEqual({ comments: 6, lines: 8 });
});

test.each([
  ["packages/wire/src/model/span.ts", true],
  ["packages/tracing-ui/src/page.tsx", true],
  ["packages/wire/src/gen/span.ts", false],
  ["packages/wire/src/model/span.test.ts", false],
  ["packages/wire/src/testing/spans.ts", false],
  ["packages/tracing-collector/src/pipeline/journal/span-journal.contract.ts", false],
  ["packages/bench/src/corpus.ts", false],
  ["packages/wire/test/spans.ts", false],
])("%s is product code: %s", (path, expected) => {
  expect(isProduct(path)).toBe(expected);
});
