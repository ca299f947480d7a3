import { expect, test } from "vitest";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { serviceTotals, sortResults } from "./result-order.ts";

const numbers: Record<string, string[]> = { a: [], b: ["10"], c: ["9"] };
const row = (traceId: string, startUs: number, durationUs: number, spans: number): TraceSummary => ({
  traceId,
  startUs,
  durationUs,
  spans,
  rootService: "s",
  rootOperation: "op",
  rootFound: true,
  errors: 0,
  values: { "span.n": numbers[traceId] ?? [] },
  services: [
    { name: "db", spans: spans - 1, errors: 1 },
    { name: "shop", spans: 1, errors: 0 },
  ],
});
const rows = [row("a", 1, 30, 5), row("b", 3, 10, 5), row("c", 2, 20, 9)];

test.each([
  ["newest", "bca"],
  ["longest", "acb"],
  ["spans", "cba"],
  ["-longest", "bca"],
  ["root", "bca"],
  ["@span.n", "cba"],
  ["-@span.n", "bca"],
] as const)("%s first", (sort, ids) => {
  expect(
    sortResults(rows, sort)
      .map((item) => item.traceId)
      .join(""),
  ).toBe(ids);
});

test("services are summed over the results", () => {
  expect(serviceTotals(rows)).toEqual([
    { name: "db", spans: 16, errors: 3 },
    { name: "shop", spans: 3, errors: 0 },
  ]);
});
