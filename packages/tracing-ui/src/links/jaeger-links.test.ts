import { describe, expect, test } from "vitest";
import { comparedIds, fieldsOf, searchFields, traceFields } from "./jaeger-links.ts";

const knows = (lookback: string) => ["1h", "2d"].includes(lookback);
const asked = (text: string) => searchFields(fieldsOf(text), knows, 10_000e6);

describe("links of a search", () => {
  test.each([
    ["lookback=1h&start=5&end=9&service=a", { lookback: "custom", start: "5", end: "9", service: "a" }],
    ["lookback=custom&start=5&end=9", { lookback: "custom", start: "5", end: "9" }],
    ["lookback=2d", { lookback: "2d" }],
    ["lookback=2h", { lookback: "custom", start: "2800000000", end: "10000000000" }],
    ["lookback=nonsense&start=5", {}],
    ["operation=all&service=a", { service: "a" }],
    [
      "operation=GET&tag=error:true&tag=url:http://x",
      { operation: "GET", tags: '{"error":"true","url":"http://x"}' },
    ],
    ["tag=error", { tags: '{"error":"true"}' }],
    ["traceID=1&traceID=2", { traceID: "1,2" }],
    ["span=a%20b@1&span=c@2", { traceID: "1,2" }],
    ["traceID=2&span=a@1&span=@2", { traceID: "2,1" }],
    ["span=a", {}],
    ["service=a&service=b", { service: "b" }],
  ])("%s", (text, fields) => {
    expect(asked(text)).toEqual(fields);
  });
});

test("what a link of a trace looks for stands out", () => {
  expect(traceFields(fieldsOf("uiFind=abc&span=1"))).toEqual({ q: "abc", others: "dim", span: "1" });
  expect(traceFields(fieldsOf("uiFind=abc&q=x"))).toEqual({ q: "x" });
  expect(traceFields(fieldsOf("uiFind="))).toEqual({});
  const found = (text: string) => traceFields({ uiFind: text }).q;
  expect(found("payment error")).toBe("payment OR error");
  expect(found('GET "a b" status=error -http. OR')).toBe('GET OR "a b" OR "status=error" OR "OR"');
  expect(found("-http.")).toBe("-http.");
});

test("two traces at the address of one", () => {
  expect(comparedIds("1a...2B")).toEqual({ a: "1a", b: "2B" });
  expect(comparedIds("1a...")).toEqual({ a: "1a" });
  expect(comparedIds("...2b")).toEqual({ b: "2b" });
  for (const id of ["1a", "1a..", "1a...2b...3c", "x...y"]) {
    expect(comparedIds(id)).toBeUndefined();
  }
});
