import { expect, it } from "vitest";
import type { Span } from "../model/span.ts";
import { StoredRowReader } from "./read-stored-rows.ts";
import { StoredPrefixes } from "./stored-prefixes.ts";
import { storedRowsOf } from "./stored-rows-of.ts";

function span(service: string, scope: string): Span {
  return {
    ...{ traceId: "1".repeat(32), spanId: "2".repeat(16), parentSpanId: "", traceState: "", flags: 0 },
    ...{ name: "GET", kind: "server", startTimeUnixNano: 1n, durationNano: 2n, format: "otlp" },
    ...{ status: { code: "unset", message: "" }, attributes: [], droppedAttributesCount: 0 },
    ...{ events: [], droppedEventsCount: 0, links: [], droppedLinksCount: 0, warnings: [] },
    resource: { serviceName: service, attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    scope: { name: scope, version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  };
}

/** As an answer of its own. */
function read(prefixes: StoredPrefixes, service: string, scope = "") {
  const rows = new StoredRowReader(storedRowsOf([span(service, scope)]));
  const { start, end, prefix } = prefixes.read(rows);
  expect([start, rows.position]).toEqual([0, end]);
  expect(prefix.plain.resource.serviceName).toBe(service);
  expect(prefix.plain.scope.name).toBe(scope);
  return prefix.plain;
}

it("gives the same objects for the same bytes, answer after answer", () => {
  const prefixes = new StoredPrefixes();
  const first = read(prefixes, "shop");
  expect(read(prefixes, "shop")).toBe(first);
  expect(read(prefixes, "shop", "http")).not.toBe(first);
  expect(read(prefixes, "shop")).toBe(first);
});

it("knows no more than it may hold", () => {
  const prefixes = new StoredPrefixes();
  const first = read(prefixes, "shop");
  read(prefixes, "x".repeat(1_500_000));
  expect(read(prefixes, "shop")).toBe(first);
  read(prefixes, "y".repeat(1_500_000));
  expect(read(prefixes, "shop")).not.toBe(first);
  expect(read(prefixes, "shop")).toBe(read(prefixes, "shop"));
});
