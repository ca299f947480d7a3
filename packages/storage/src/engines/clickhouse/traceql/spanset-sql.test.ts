import { parseTraceQl } from "traceql";
import { describe, expect, test } from "vitest";
import type { SpanSql } from "./span-relations.ts";
import { pipelineSql } from "./spanset-sql.ts";

const spans = { inRange: "FROM spans WHERE r", around: "FROM spans WHERE a", isInRange: "r" };

function sqlOf(text: string, where: SpanSql = spans) {
  const query = parseTraceQl(text);
  if (query.type !== "search") {
    throw new Error(`${text} is no search`);
  }
  return pipelineSql(query.pipeline, where);
}

describe("pipelineSql", () => {
  test.each([
    ["{ name = `a` } | { kind = server }", "(name = 'a' AND kind = 'server')"],
    ["{ name = `a` } || { kind = server }", "(name = 'a' OR kind = 'server')"],
    [
      "{ name = `a` } > { kind = server }",
      "(kind = 'server' AND (parent_span_id != span_id AND (trace_id, parent_span_id) IN (SELECT trace_id, span_id FROM spans WHERE r AND name = 'a')))",
    ],
    ["{ nestedSetParent < 0 }", "(parent_span_id = toFixedString('', 8) OR parent_span_id = span_id)"],
    [
      "{ name = `a` } | count() > 2",
      "(name = 'a' AND trace_id IN (SELECT trace_id FROM spans WHERE r AND name = 'a' GROUP BY trace_id HAVING toInt64(count()) > 2))",
    ],
    ["{ name = `a` } | by(kind) | select(.b)", "name = 'a'"],
  ])("knows all of %s", (text, sql) => {
    expect(sqlOf(text)).toEqual({ sql, isExact: true });
  });

  test.each([
    // The parent must also have passed the first filter.
    ["{ status = error } | ({ name = `a` } > { kind = server })", "status = 'error' AND name = 'a'"],
    [
      "{ rootName = `a` }",
      "WHERE a AND (parent_span_id = toFixedString('', 8) OR parent_span_id = span_id) AND name = 'a'",
    ],
    ["{ traceDuration > 1s }", "HAVING (max("],
  ])("names what belongs together in %s", (text, part) => {
    expect(sqlOf(text).sql).toContain(part);
  });

  test.each([
    ["{ name = `a` } | by(kind) | ({ kind = server } !> { kind = client })", "name = 'a'"],
    ["{ name = `a` } | by(kind) | count() < 2", "name = 'a'"],
    ["({ name = `a` } | by(kind)) | count() < 2", "name = 'a'"],
    ["{ parent.a = 1 } | count() < 2", "1"],
    ["{ parent.a = 1 } !> { name = `a` }", "name = 'a'"],
    ["{ name = `a` } !>> { name = `b` }", "name = 'b'"],
  ])("says no more than is sure of %s", (text, sql) => {
    expect(sqlOf(text)).toEqual({ sql, isExact: false });
  });

  test.each([
    ["{ name = `a` } >> { name = `b` }", 1],
    ["{ name = `a` } << { name = `b` }", 1],
    ["{ name = `a` } &>> { name = `b` }", 1],
    ["{ name = `a` } > { name = `b` }", 1],
    ["{ name = `a` } !< { name = `b` }", 1],
    ["{ name = `a` } && { name = `b` }", 2],
    ["{ name = `a` } || { name = `b` }", 0],
    // The inner operation's result may start in another slice than the outer operation's result.
    ["({ name = `a` } >> { name = `b` }) && { name = `c` }", 0],
    ["({ name = `a` } >> { name = `b` }) >> { name = `c` }", 2],
  ])("relates only spans of traces with a result in the slice in %s", (text, times) => {
    const { sql } = sqlOf(text, { ...spans, isInSlice: "wanted_slice" });
    expect(sql.split("wanted_slice")).toHaveLength(times + 1);
  });
});
