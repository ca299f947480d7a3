import type { SpanFilter } from "storage/api";
import { expect, test } from "vitest";
import { tagFilter } from "./tag-filter.ts";

test.each([
  ["", {}],
  ["{}", {}],
  ['{ resource.service.name = "shop" }', { service: "shop" }],
  ['{resource.service.name="shop" && name="GET /" && }', { service: "shop", operation: "GET /" }],
  [
    '{ span.http.method = "GET" && .n = 5 && resource.cluster = }',
    { tags: { "http.method": "GET", n: "5" } },
  ],
  [
    "{ kind = server && status = error && duration > 2s && duration <= 3s }",
    {
      spanKind: "server",
      hasError: true,
      durationMinNano: 2_000_000_000n,
      durationMaxNano: 3_000_000_000n,
    },
  ],
  ['{ .a = "1" || .b = "2" }', {}],
  ['{ .a != "1" && .b =~ "2" && link.c = "3" && status = ok }', {}],
  ['{ .a = "1" } && { .b = "2" }', {}],
  ['{ .a = "1" } | count() > 2', {}],
  ["{ .a = nonsense ) ((", {}],
  ["not a query at all", {}],
] as [string, Omit<SpanFilter, "tags"> & { tags?: object }][])("%s", (text, { tags, ...filter }) => {
  const expected = tags === undefined ? filter : { ...filter, tags: new Map(Object.entries(tags)) };
  expect(tagFilter(text)).toEqual(expected);
});
