import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { traceQlLimits } from "./limits.ts";
import { parseTraceQl } from "./parse-traceql.ts";
import { printTraceQl } from "./print-traceql.ts";
import { queryArbitrary, wholeVocabulary } from "./testing/query-arbitrary.ts";
import { TraceQlError } from "./traceql-error.ts";

const same = (text: string) => printTraceQl(parseTraceQl(text));

function errorOf(text: string): TraceQlError {
  try {
    parseTraceQl(text);
  } catch (error) {
    if (error instanceof TraceQlError) {
      return error;
    }
    throw error;
  }
  throw new Error(`${text} is a query`);
}

describe("parseTraceQl", () => {
  test.each([
    ["{}", "{ true }"],
    ["{ .a = 1 && .b = `x` }", "{ .a = 1 && .b = `x` }"],
    ["{ .a || .b && .c }", "{ .a || .b && .c }"],
    ["{ .a || (.b && .c) }", "{ .a || (.b && .c) }"],
    ["{ -.a = 2 }", "{ (-.a) = 2 }"],
    ["{ - .a * .b = 2 }", "{ (-(.a * .b)) = 2 }"],
    ["{ !.a = true }", "{ (!.a) = true }"],
    ["{ 2 ^ 3 ^ 2 = (2 ^ 3) ^ 2 }", "{ 2 ^ 3 ^ 2 = (2 ^ 3) ^ 2 }"],
    ["{ .a + 2 * 3 - 1 > minInt }", "{ .a + 2 * 3 - 1 > minInt }"],
    ["{ .a+2 = 1 }", "{ .a+2 = 1 }"],
    ["{ span.a = nil || nil != .b }", "{ span.a = nil || .b != nil }"],
    [
      '{ span:duration >= 1h30m && trace:rootService != "" }',
      "{ duration >= 1h30m && rootServiceName != `` }",
    ],
    ["{ duration > 1.5s && traceDuration < 1d }", "{ duration > 1s500ms && traceDuration < 24h }"],
    ['{ ."a b" = "c" && parent.span.x = "\\u00e9`" }', '{ ."a b" = `c` && parent.span.x = "é`" }'],
    ["{ kind = server && status /* a * b */= error } // why", "{ kind = server && status = error }"],
    ["{ .a } >> { .b } && { .c }", "{ .a } >> { .b } && { .c }"],
    ["{ .a } > ({ .b } || { .c })", "{ .a } > ({ .b } || { .c })"],
    ["({ .a } | count() > 1) && ({ .b } | by(.c))", "({ .a } | count() > 1) && ({ .b } | by(.c))"],
    ["max(duration) > 3s | { status = error }", "max(duration) > 3s | { status = error }"],
    ["{ } | avg(.a) + 1 > 2 * 3", "{ true } | avg(.a) + 1 > 6"],
    [
      "{ } | by(name) | count() > 2 | select(.a, status)",
      "{ true } | by(name) | count() > 2 | select(.a, status)",
    ],
    ["{}|rate()by(.a)|topk(5)>10", "{ true } | rate() by(.a) | topk(5) > 10.0"],
    ["{ } | max_over_time(name)", "{ true } | max_over_time(name)"],
    ["{} | quantile_over_time(duration, .99, 0.9)", "{ true } | quantile_over_time(duration, 0.99, 0.9)"],
    ["({} | rate()) / ({ .a } | rate()) * 100 > 1s", "({ true } | rate()) / ({ .a } | rate()) * 100 > 1.0"],
    ["-2 - 20 / ({} | rate() > 1 / 2)", "(-2) - (20 / ({ true } | rate() > 0.0))"],
    ["{} with(exemplars=true, sample=0.1)", "{ true } with(exemplars=true, sample=0.1)"],
  ])("reads %s", (text, printed) => {
    // Nested operations of metrics are printed in parentheses.
    const expected = printed.replace(
      "({ true } | rate()) / ({ .a } | rate()) * 100",
      "(({ true } | rate()) / ({ .a } | rate())) * 100",
    );
    expect(same(text)).toBe(expected);
    expect(same(expected)).toBe(expected);
  });

  test.each([
    ["", 1, 1, "syntax error: unexpected $end, expecting { or ( or an aggregate"],
    ["{ .a < 3", 1, 9, "syntax error: unexpected $end, expecting }"],
    ["{ .a < }", 1, 8, "syntax error: unexpected }"],
    ["{ . }", 1, 3, "syntax error: the name of an attribute is missing"],
    ["{ attribute = 4 }", 1, 3, "unknown identifier: attribute"],
    ["{ resource.service.name = shop }", 1, 27, 'unknown identifier: shop; a text stands in quotes: "shop"'],
    ["{ .a == 4 }", 1, 7, "syntax error: unexpected ="],
    ["{\n  .é &&\n  duraton > 1s }", 3, 3, "unknown identifier: duraton"],
    [
      "{ trace:status = error }",
      1,
      3,
      "syntax error: unexpected INTRINSIC trace:status, expecting an intrinsic",
    ],
    ['{ .a = "x }', 1, 8, "literal not terminated"],
    ['{ .a = "\\q" }', 1, 9, "invalid escape sequence"],
    ["{ .a = 9223372036854775808 }", 1, 8, "value out of range: 9223372036854775808"],
    ["{ .a & .b }", 1, 6, 'syntax error: unexpected "&"'],
    ["{ status }", 1, 3, "span filter field expressions must resolve to a boolean: { status }"],
    ['{ .a && 1 = "foo" }', 1, 9, "binary operations must operate on the same type: 1 = `foo`"],
    ["{ status > ok }", 1, 3, "illegal operation for the given types: status > ok"],
    ["{ -name = `foo` }", 1, 3, "illegal operation for the given type: -name"],
    ["{ span.foo =~ `[` }", 1, 15, "invalid regex: `[`"],
    ["{ span.foo =~ .b }", 1, 15, "invalid type for =~ or !~: .b"],
    ["{ name = nil }", 1, 3, "name=nil is not valid because intrinsics cannot be nil"],
    ["{ parent }", 1, 3, "intrinsic (parent) not yet supported"],
    ["{ } | sum(3) = 2", 1, 7, "aggregate field expressions must reference the span: sum(3)"],
    ["{ } | max(name) = 2", 1, 7, "aggregate field expressions must resolve to a number type: max(name)"],
    ["{ } | by(1)", 1, 10, "grouping field expressions must reference the span: by(1)"],
    ["{ } | count()", 1, 7, "syntax error: count() must be compared with a number"],
    ["({ } | count()) > 1", 1, 8, "syntax error: count() must be compared with a number"],
    ["coalesce() | { }", 1, 1, "syntax error: unexpected coalesce, a pipeline cannot begin with it"],
    ["2 + 3", 1, 1, "syntax error: 5 must be compared with a number"],
    ["{ } + { }", 1, 5, "syntax error: unexpected +"],
    ["{ } | rate() | topk(0)", 1, 21, "the limit 0 of topk() is not from 1 to 10000"],
    [
      "{ } | compare({ status = error }) | topk(3)",
      1,
      1,
      "compare() must be the last stage of the query, and cannot be calculated with",
    ],
    [
      "{ } | compare({ status = error }) > 3",
      1,
      1,
      "compare() must be the last stage of the query, and cannot be calculated with",
    ],
    [
      "({ } | compare({ })) + ({ } | rate())",
      1,
      2,
      "compare() must be the last stage of the query, and cannot be calculated with",
    ],
    ["{ } | compare({ }, 0)", 1, 20, "the number of values of compare() is not from 1 to 1000: 0"],
    [
      "{ } | compare({ }, 5, 7, 7)",
      1,
      26,
      "the end of compare(), in nanoseconds, is not from 8 to 9223372036854775807: 7",
    ],
    ["{ } | compare()", 1, 15, "syntax error: unexpected ), expecting {"],
    ["{ } | quantile_over_time(duration, 2)", 1, 36, "quantile 2 is not from 0 to 1"],
    ["({ } | rate()) * 10s", 1, 18, "duration cannot be used in metrics arithmetic"],
    ["{ } with(a=)", 1, 12, "syntax error: unexpected ), expecting a value"],
  ])("refuses %j at line %i, column %i: %s", (text, line, column, reason) => {
    const error = errorOf(text);
    expect(error.reason).toBe(reason);
    expect([error.line, error.column]).toEqual([line, column]);
    expect(error.message).toBe(`parse error at line ${line}, col ${column}: ${reason}`);
    expect(error.offset + error.length).toBeLessThanOrEqual(text.length);
  });

  test("points at all of what is wrong", () => {
    const text = '{ .a && 1 = "foo" }';
    const { offset, length } = errorOf(text);
    expect(text.slice(offset, offset + length)).toBe('1 = "foo"');
  });

  test("prints what it reads as it was", () => {
    fc.assert(
      fc.property(queryArbitrary(wholeVocabulary), (query) => {
        expect(parseTraceQl(printTraceQl(query))).toEqual(query);
      }),
    );
  });

  test("fails on any other text in one way", () => {
    const word = fc.constantFrom(
      ...["{", "}", "(", ")", "|", "&&", "||", ">", ">>", "!~", "=", "!", "-", "+", "^", ",", '"', "`", "\\"],
      ...[
        ".a",
        "span.",
        "parent.",
        "nil",
        "1",
        "1s",
        "by",
        "count()",
        "rate()",
        "with",
        "status",
        "error",
        "/*",
      ],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(word).map((words) => words.join(" ")),
          fc.string(),
        ),
        (text) => {
          try {
            parseTraceQl(text);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceQlError);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["text", `{ .a = "${"x".repeat(traceQlLimits.textLength)}" }`, "is over the limit of 65536"],
    ["depth", `{ ${"(".repeat(30_000)}`, "nested deeper than 64"],
    ["unary operators", `{ ${"!".repeat(30_000)}.a }`, "nested deeper than 64"],
    ["minus", "-".repeat(30_000), "nested deeper than 64"],
    ["spansets", `${"(".repeat(30_000)}{}`, "nested deeper than 64"],
    ["powers", `{ ${"2^".repeat(30_000)}2 = 1 }`, "nested deeper than 64"],
    ["conditions", `{ ${".a || ".repeat(9_000)}.a }`, "more than 1024 fields, values and operators"],
    ["hints", `{} with(${"a=1,".repeat(9_000)}a=1)`, "more than 1024 fields, values and operators"],
    ["regex", `{ .a =~ "${"x".repeat(5_000)}" }`, "over the limit of 4096"],
    ["comment", `/*${"*".repeat(60_000)}`, "comment not terminated"],
  ])("limits %s", (_name, text, reason) => {
    expect(errorOf(text).reason).toContain(reason);
  });
});
