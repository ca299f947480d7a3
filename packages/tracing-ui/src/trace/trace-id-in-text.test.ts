import { expect, test } from "vitest";
import { traceIdInText } from "./trace-id-in-text.ts";

const id = "71a81d73ce7902db83be4d12250bd874";

test.each([
  [id, id],
  [`  ${id.toUpperCase()}\n`, id],
  ["dead", "dead"],
  ["0xdead", "dead"],
  [`00-${id}-d8b7eb2154448f9d-01`, id],
  [`traceparent: 00-${id}-d8b7eb2154448f9d-01`, id],
  ["uber-trace-id: d8b7eb2154448f9d:4bf92f3577b34da6:0:1", "d8b7eb2154448f9d"],
  [`${id}:1:0:1`, id],
  ["b3: d8b7eb2154448f9d-4bf92f3577b34da6-1", "d8b7eb2154448f9d"],
  ["71a81d73-ce79-02db-83be-4d12250bd874", id],
  ["1-71a81d73-ce7902db83be4d12250bd874", id],
  ["Root=1-71a81d73-ce7902db83be4d12250bd874;Parent=53995c3f42cd8ad8;Sampled=1", id],
  [Buffer.from(id, "hex").toString("base64"), id],
  [`X-B3-TraceId: d8b7eb2154448f9d`, "d8b7eb2154448f9d"],
  [`https://host/base/trace/${id}?span=1`, id],
  ["http://host/trace/beef", "beef"],
  [`level=info trace_id=${id} msg=x`, id],
  [`{"traceId":"${id}"}`, id],
  [`see ${id}, please`, id],
])("%s holds an id", (text, expected) => {
  expect(traceIdInText(text)).toBe(expected);
});

test.each(["", "hello world", "0000", `${id}00`, "GET /orders", "zz71a8"])("%j holds none", (text) => {
  expect(traceIdInText(text)).toBeUndefined();
});
