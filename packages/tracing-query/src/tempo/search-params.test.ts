import { parseTraceQl, printTraceQl } from "traceql";
import { expect, test } from "vitest";
import { parseSearchParams } from "./search-params.ts";

const nowMs = 1_800_000_000_000;
const parse = (params: Record<string, string>) => parseSearchParams(new URLSearchParams(params), nowMs);

test("TraceQL, with Tempo's defaults", () => {
  const { query, limit, spansPerSpanset } = parse({ q: "{ .a = 1 }" });
  expect(query).toEqual(parseTraceQl("{ .a = 1 }"));
  expect([limit, spansPerSpanset]).toEqual([20, 3]);
  const asked = parse({ q: "{}", limit: "7", spss: "9", start: "1", end: "2" });
  expect([asked.limit, asked.spansPerSpanset]).toEqual([7, 9]);
  expect(asked.range).toEqual({ startUnixNano: 1_000_000_000n, endUnixNano: 2_999_999_999n });
});

test.each([
  [{}, "{ true }"],
  [{ tags: "" }, "{ true }"],
  [{ tags: "a=b" }, '{ .a = "b" }'],
  [
    { tags: 'a="5" b=true c=1.5' },
    '{ (.a = "5" || .a = 5) && (.b = "true" || .b = true) && (.c = "1.5" || .c = 1.5) }',
  ],
  [
    { tags: 'service.name="Shop" name="GET /x?"' },
    String.raw`{ resource.service.name =~ "(?i).*Shop.*" && name =~ "(?i).*GET /x\\?.*" }`,
  ],
  [{ tags: "error=true" }, "{ status = error }"],
  [{ tags: "error=false status.code=ok" }, "{ status != error && status = ok }"],
  [{ tags: "status.code=nonsense" }, "{ false }"],
  [{ minDuration: "100ms", maxDuration: "2s" }, "{ trace:duration >= 100ms && trace:duration <= 2s }"],
  [{ tags: 'a="\\" || true || .b=\\""' }, String.raw`{ .a = "\" || true || .b=\"" }`],
])("tags: %j", (params, text) => {
  const { query } = parse(params as Record<string, string>);
  expect(printTraceQl(query)).toBe(printTraceQl(parseTraceQl(text)));
});

test.each([
  [{ q: "{ .a = }" }, /^invalid TraceQL query: parse error at line 1, col 8: /, "q"],
  [{ q: "{ }\n| nonsense()" }, /^invalid TraceQL query: parse error at line 2, col 3: /, "q"],
  [{ q: "{ } | rate()" }, /^invalid TraceQL query: .*query_range/, "q"],
  [{ q: "{}", tags: "a=b" }, /^invalid request: can't specify tags and q in the same query$/, "tags"],
  [{ tags: 'a="b' }, /^invalid tags: /, "tags"],
  [{ limit: "0" }, /^invalid limit: must be a positive number$/, "limit"],
  [{ limit: "-1" }, /^invalid limit: must be a positive number/, "limit"],
  [{ limit: "x" }, /^invalid limit: strconv.Atoi: /, "limit"],
  [{ spss: "0" }, /^invalid spss: must be a positive number$/, "spss"],
  [{ spss: "99999999999" }, /^invalid spss: .*value out of range$/, "spss"],
  [{ minDuration: "5" }, /^invalid minDuration: time: missing unit/, "minDuration"],
  [{ maxDuration: "x" }, /^invalid maxDuration: time: invalid duration "x"$/, "maxDuration"],
  [
    { minDuration: "2s", maxDuration: "1s" },
    /^invalid maxDuration: must be greater than minDuration$/,
    "maxDuration",
  ],
  [{ q: `{ .a = "${"x".repeat(70_000)}" }` }, /^invalid TraceQL query: /, "q"],
])("%j is refused", (params, message, parameter) => {
  expect(() => parse(params as Record<string, string>)).toThrow(
    expect.objectContaining({
      code: "QUERY_BAD_PARAMETER",
      message: expect.stringMatching(message),
      parameter,
    }),
  );
});
