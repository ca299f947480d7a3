import { expect, test } from "vitest";
import { fieldsOfTraceQl, type SimpleFields, traceQlOfFields } from "./traceql-fields.ts";

const pairs: [SimpleFields, string][] = [
  [{}, "{ }"],
  [{ service: "cart" }, '{ resource.service.name = "cart" }'],
  [{ service: 'a"b\\', operation: "GET /" }, '{ resource.service.name = "a\\"b\\\\" && name = "GET /" }'],
  [{ minDuration: "5ms", maxDuration: "1.5s" }, "{ duration >= 5ms && duration <= 1.5s }"],
  [{ tags: "error=true span.kind=server" }, "{ status = error && kind = server }"],
  [
    { tags: "http.response.status_code=502 user=ann" },
    '{ .http.response.status_code = 502 && .user = "ann" }',
  ],
  [
    { tags: 'otel.scope.name="my lib" otel.scope.version=1 otel.status_description=declined' },
    '{ instrumentation:name = "my lib" && instrumentation:version = "1" && statusMessage = "declined" }',
  ],
  [{ tags: "otel.status_code=OK" }, "{ status = ok }"],
  [{ tags: '"odd key"="two words"' }, '{ ."odd key" = "two words" }'],
];

test.each(pairs)("fields %j are %s, and back", (fields, text) => {
  expect(traceQlOfFields(fields)).toBe(text);
  expect(fieldsOfTraceQl(text)).toEqual(fields);
});

test.each([
  '{ .code = "502" }',
  "{ span.code = 502 }",
  '{ name = "a" || name = "b" }',
  '{ name = "a" && }',
  "{ duration > 5ms }",
  '{ name =~ "a.*" }',
  '{ name = "a" } >> { name = "b" }',
  '{ name = "a" && name = "b" }',
  "{ duration >= long }",
  "{ status != ok }",
  "{ status = unset }",
  "name",
  "",
])("fields cannot say %s", (text) => {
  expect(fieldsOfTraceQl(text)).toBeUndefined();
});

test("a loose look takes scopes, texts of figures and open bounds", () => {
  expect(fieldsOfTraceQl('{ span.code = 502 && resource.zone = "7" && duration > 5ms }', true)).toEqual({
    tags: "code=502 zone=7",
    minDuration: "5ms",
  });
});
