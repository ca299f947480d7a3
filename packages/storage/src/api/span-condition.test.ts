import { parseTraceQl, printFieldExpression } from "traceql";
import { describe, expect, test } from "vitest";
import { spanConditionOf } from "./span-condition.ts";

describe("spanConditionOf", () => {
  test.each([
    ["{ status = error && span.a / 2 > 1 }", "status = error && span.a / 2 > 1"],
    ["{ name = `a` } || { kind = server }", "name = `a` || kind = server"],
    ["{ name = `a` } | { .b != nil } | select(.c)", "name = `a` && .b != nil && true"],
    ["({ name = `a` } | { event:name = `x` }) || { }", "name = `a` && event:name = `x` || true"],
  ])("takes %s", (text, condition) => {
    const found = spanConditionOf(parseTraceQl(text));
    expect(found && printFieldExpression(found).replaceAll(/[()]/g, "")).toBe(condition);
  });

  test.each([
    "{ name = `a` } && { kind = server }",
    "{ name = `a` } > { kind = server }",
    "{ } | count() > 1",
    "{ } | by(name)",
    "{ } | { parent.a = 1 }",
    "{ !(rootName = `a`) }",
    "{ traceDuration > 1s }",
    "{ nestedSetParent < 0 }",
    "{ } | rate()",
  ])("leaves %s to those who see traces", (text) => {
    expect(spanConditionOf(parseTraceQl(text))).toBeUndefined();
  });
});
