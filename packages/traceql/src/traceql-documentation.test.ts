import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseTraceQl } from "./parse-traceql.ts";
import { printTraceQl } from "./print-traceql.ts";

const text = readFileSync(new URL("../../../docs/traceql.md", import.meta.url), "utf8");
const queries = [...text.matchAll(/```traceql\n([\s\S]*?)```/g)].flatMap(([, block = ""]) =>
  block.split("\n").filter((line) => line !== ""),
);

describe("docs/traceql.md", () => {
  test.each(queries)("has a query that can be run: %s", (query) => {
    const printed = printTraceQl(parseTraceQl(query));
    expect(printTraceQl(parseTraceQl(printed))).toBe(printed);
  });

  test("has some", () => {
    expect(queries.length).toBeGreaterThan(10);
  });
});
