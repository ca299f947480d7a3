import type { SpanFilter } from "storage/api";
import { parseTraceQl, printTraceQl } from "traceql";
import { expect, test } from "vitest";
import { tagFilter } from "./tag-filter.ts";

/** A condition as a query. */
function shown(text: string): [filter: SpanFilter, condition: string] {
  const { filter, condition } = tagFilter(text);
  if (condition === undefined) {
    return [filter, ""];
  }
  const stages = [{ type: "filter" as const, condition }];
  return [filter, printTraceQl({ type: "search", pipeline: { type: "pipeline", stages }, hints: [] })];
}

test.each([
  ["", {}, ""],
  ["{}", {}, ""],
  ['{ resource.service.name = "shop" }', { service: "shop" }, ""],
  ['{resource.service.name="shop" && name="GET /" && }', { service: "shop", operation: "GET /" }, ""],
  [
    '{resource.service.name="shop" && resource.service.name="other"}',
    { service: "shop" },
    '{ resource.service.name = "other" }',
  ],
  ['{resource.service.name=~"shop|stock" && name=}', {}, '{ resource.service.name =~ "shop|stock" }'],
  [
    '{ span.http.method = "GET" && .n = 5 && resource.cluster = }',
    { tags: new Map([["http.method", "GET"]]) },
    '{ span.http.method = "GET" && .n = 5 }',
  ],
  ["{ kind = server && duration > 2s }", {}, "{ kind = server && duration > 2s }"],
  ['{ .a = "1" || .b = "2" }', {}, '{ .a = "1" || .b = "2" }'],
  ['{ name = "" }', { operation: "" }, '{ name = "" }'],
  ['{ .service.name = "shop" }', {}, '{ .service.name = "shop" }'],
  ['{ parent.span.a = "x" && link.b = "y" }', {}, '{ parent.span.a = "x" && link.b = "y" }'],
  ['{ .a = "1" } && { .b = "2" }', {}, ""],
  ['{ .a = "1" } | count() > 2', {}, ""],
  ["{ .a = nonsense ) ((", {}, ""],
  ["not a query at all", {}, ""],
])("%s", (text, filter, condition) => {
  expect(shown(text)).toEqual([filter, condition === "" ? "" : printTraceQl(parseTraceQl(condition))]);
});
