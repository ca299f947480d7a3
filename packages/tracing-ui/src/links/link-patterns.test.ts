import { describe, expect, test } from "vitest";
import { buildTrace } from "../trace/build-trace.ts";
import { attributeLinks, fillIn, lookupOf, traceLinks } from "./link-patterns.ts";
import { safeAddress } from "./safe-address.ts";
import type { LinkPattern } from "./ui-config.ts";

const tag = (key: string, value: string) => ({ key, type: "string", value });
const trace = buildTrace({
  traceID: "abc",
  spans: [
    {
      ...{
        traceID: "abc",
        spanID: "1",
        operationName: "GET /",
        references: [],
        processID: "p1",
        warnings: null,
      },
      ...{ startTime: 1_700_000_000_000_000, duration: 2_000_000, logs: [] },
      tags: [tag("customer.id", "47 11"), tag("zone", "span")],
    },
  ],
  processes: { p1: { serviceName: "shop", tags: [tag("zone", "resource"), tag("cluster", "eu")] } },
  warnings: null,
});
const span = trace.spans[0] as (typeof trace.spans)[number];

describe("templates", () => {
  const lookup = (name: string) => ({ id: "7", us: "1700000000000000" })[name];
  test.each([
    ["a/#{id}", "a/7"],
    ["#{us | epoch_micros_to_date_iso}", "2023-11-14T22:13:20.000Z"],
    ["#{id | pad_start 3 0}", "007"],
    ["#{id | add 3}", "10"],
    ["#{id | add 3 | pad_start 4 0}", "0010"],
    ["#{id | unknown}", "7"],
    ["#{none}", undefined],
    ["no values", "no values"],
  ])("%s", (template, filled) => {
    expect(fillIn(template, lookup)).toBe(filled);
  });
});

test("values are encoded in addresses, and stay as they are in texts", () => {
  const pattern: LinkPattern = {
    ...{ type: "tags", key: "customer.id", text: "Customer #{customer.id}" },
    url: "https://crm.example/#{customer.id}?trace=#{traceID}&cluster=#{cluster}&zone=#{zone}",
  };
  const [first] = span.tags ?? [];
  expect(attributeLinks([pattern], "tags", first as never, lookupOf(trace, span))).toEqual([
    {
      url: "https://crm.example/47%2011?trace=abc&cluster=eu&zone=span",
      text: "Customer 47 11",
    },
  ]);
  expect(attributeLinks([pattern], "process", first as never, lookupOf(trace, span))).toEqual([]);
});

test("a pattern whose values are missing makes no link", () => {
  const pattern: LinkPattern = { type: "tags", key: "zone", url: "https://x/#{missing}", text: "x" };
  expect(attributeLinks([pattern], "tags", tag("zone", "a"), lookupOf(trace, span))).toEqual([]);
});

test("links of a trace know its id, name and times", () => {
  const pattern: LinkPattern = {
    ...{ type: "traces", text: "#{traceName}" },
    url: "https://logs.example/?t=#{traceID}&from=#{startTime}&to=#{endTime}&d=#{duration}",
  };
  expect(traceLinks([pattern], trace)).toEqual([
    {
      url: "https://logs.example/?t=abc&from=1700000000000000&to=1700000002000000&d=2000000",
      text: "shop: GET /",
    },
  ]);
});

test.each([
  ["https://a.example/x?y#z", true],
  ["http://a.example", true],
  ["javascript:alert(1)", false],
  ["JaVaScRiPt:alert(1)//https://x", false],
  ["data:text/html,x", false],
  ["//a.example", false],
  ["https://", false],
  [" https://a.example", false],
  [`https://a.example/${"x".repeat(3_000)}`, false],
])("%s is followed: %s", (text, isSafe) => {
  expect(safeAddress(text) !== undefined).toBe(isSafe);
});
