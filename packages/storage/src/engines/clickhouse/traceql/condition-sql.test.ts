import { type FieldExpression, parseTraceQl } from "traceql";
import { describe, expect, test } from "vitest";
import { textLiteral } from "../sql-text.ts";
import { conditionSql } from "./condition-sql.ts";

function conditionOf(text: string): FieldExpression {
  const query = parseTraceQl(`{ ${text} }`);
  const stage = query.type === "search" ? query.pipeline.stages[0] : undefined;
  if (stage?.type !== "filter") {
    throw new Error(`${text} is no condition`);
  }
  return stage.condition;
}

const at = "position(attribute_text, '\\xFFa\\xFE')";
const hasA =
  `NOT (startsWith(if(${at} = 0, 'e', substring(attribute_text, ${at} + 3, ` +
  `positionCaseInsensitive(attribute_text, '\\xFF', ${at} + 3) - (${at} + 3))), 'e'))`;

describe("conditionSql", () => {
  test.each([
    ["true", "1"],
    ["1 + 1 = 2", "1"],
    ["1 > 2", "0"],
    ["duration > 1ms && true", "duration > 1000000"],
    ["duration > 1ms && false", "0"],
    ["1.5 < duration", "toFloat64(duration) > toFloat64('1.5')"],
    ["kind = server || false", "kind = 'server'"],
    ["!(status = error)", "NOT (status = 'error')"],
    ["resource.service.name = `a`", "service = 'a'"],
    ["name =~ `a|b`", "match(name, '\\\\A(?s:a|b)\\\\z')"],
    [
      "trace:id = `0123456789abcdef0123456789abcdef`",
      "trace_id = toFixedString(unhex('0123456789abcdef0123456789abcdef'), 16)",
    ],
    ["span.a != nil", hasA],
  ])("knows all of %s", (text, sql) => {
    expect(conditionSql(conditionOf(text))).toEqual({ sql, isExact: true });
  });

  test.each([
    ["traceDuration > 1s", "1"],
    ["!(traceDuration > 1s)", "1"],
    ["kind = server && rootName = `a`", "kind = 'server'"],
    ["kind = server || rootName = `a`", "1"],
    ["kind = server && !(name = `b` && parent.a = 1)", "kind = 'server'"],
    ["span.a + 1 = 2 && kind = server", `(${hasA} AND kind = 'server')`],
  ])("says what must be so of %s", (text, sql) => {
    expect(conditionSql(conditionOf(text))).toEqual({ sql, isExact: false });
  });
});

describe("textLiteral", () => {
  test("escapes what ends a literal or begins an escape", () => {
    expect(textLiteral("a'b\\c\n\0\t\r{x:String}")).toBe("'a\\'b\\\\c\\n\\0\\t\\r{x:String}'");
  });
});
