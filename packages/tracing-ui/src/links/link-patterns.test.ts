import { describe, expect, test } from "vitest";
import { fillIn, type LinkPattern } from "wire/link-template";
import { safeAddress } from "wire/safe-address";
import { buildTrace } from "../trace/build-trace.ts";
import { attributeLinks, lookupOf, traceLinks } from "./link-patterns.ts";
import { readUiConfig } from "./ui-config.ts";

const tag = (key: string, value: string) => ({ key, type: "string", value });
const made = (spanID: string, parent: string | undefined, tags: ReturnType<typeof tag>[]) => ({
  ...{
    traceID: "abc",
    spanID,
    operationName: `GET /${spanID}`,
    processID: "p1",
    warnings: null,
    logs: [],
    tags,
  },
  references: parent === undefined ? [] : [{ refType: "CHILD_OF", traceID: "abc", spanID: parent }],
  ...{ startTime: 1_700_000_000_000_000 + Number(spanID), duration: 2_000_000 / Number(spanID) },
});
const trace = buildTrace({
  traceID: "abc",
  spans: [
    made("1", undefined, [tag("customer.id", "47 11"), tag("zone", "span"), tag("far", "1")]),
    made("2", "1", [tag("far", "2"), tag("near", "2")]),
    made("4", "2", [tag("own", "4")]),
  ],
  processes: { p1: { serviceName: "shop", tags: [tag("zone", "resource"), tag("cluster", "eu")] } },
  warnings: null,
} as never);
const at = (spanID: string) => trace.spans.findIndex((each) => each.spanID === spanID);
const root = at("1");
const span = trace.spans[root] as (typeof trace.spans)[number];
const around = (spanID: string, own: ReturnType<typeof tag>[] = []) => lookupOf(trace, at(spanID), own);

describe("templates", () => {
  const lookup = (name: string) => ({ id: "7", us: "1700000000000000" })[name];
  test.each([
    ["a/#{id}", "a/7"],
    ["#{us | epoch_micros_to_date_iso}", "2023-11-14T22:13:20.000Z"],
    ["#{id | pad_start 3 0}", "007"],
    ["#{id | add 3}", "10"],
    ["#{id | add 3 | pad_start 4 0}", "0010"],
    ["#{id | unknown}", "7"],
    ["#{id | add 1e30 | epoch_micros_to_date_iso}", "1e+30"],
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
  expect(attributeLinks([pattern], "tags", first as never, around("1"))).toEqual([
    {
      url: "https://crm.example/47%2011?trace=abc&cluster=eu&zone=span",
      text: "Customer 47 11",
    },
  ]);
  expect(attributeLinks([pattern], "process", first as never, around("1"))).toEqual([]);
});

test("a pattern whose values are missing makes no link", () => {
  const pattern: LinkPattern = { type: "tags", key: "zone", url: "https://x/#{missing}", text: "x" };
  expect(attributeLinks([pattern], "tags", tag("zone", "a"), around("1"))).toEqual([]);
});

describe("a pattern finds", () => {
  test.each([
    ["the nearest ancestor's value", "#{far} #{near} #{customer.id}", "2 2 47 11"],
    ["its own list before the span's facts and attributes", "#{own} #{duration}", "mine listed"],
    [
      "facts about the span before those of the trace",
      "#{spanID} #{operationName} #{startTime}",
      "4 GET /4 1700000000000004",
    ],
    [
      "the trace behind a prefix",
      "#{trace.startTime} #{trace.duration | add 1} #{trace.traceID}",
      "1700000000000001 2000001 abc",
    ],
    ["the service", "#{serviceName} #{cluster} #{traceID}", "shop eu abc"],
  ])("%s", (_what, template, filled) => {
    const own = _what.startsWith("its own") ? [tag("own", "mine"), tag("duration", "listed")] : [];
    expect(fillIn(template, around("4", own))).toBe(filled);
  });
});

describe("a pattern is for", () => {
  const link = (pattern: object, place: "tags" | "process" | "logs" = "tags", key = "zone", value = "a") =>
    attributeLinks(
      readUiConfig({ linkPatterns: [{ url: "https://x/#{zone}", text: "x", ...pattern }] }).linkPatterns,
      place,
      tag(key, value),
      around("1"),
    ).length;
  test.each<[string, object, number[]]>([
    ["a list by its old name", { type: "tags", key: "zone" }, [1, 0, 0]],
    ["attributes", { type: "attributes", key: "zone" }, [1, 0, 0]],
    ["resource", { type: "resource", key: "zone" }, [0, 1, 0]],
    ["events", { type: "events", key: "zone" }, [0, 0, 1]],
    ["several lists", { type: ["logs", "resource"], key: ["zone", "b"] }, [0, 1, 1]],
    ["every list and key", {}, [1, 1, 1]],
    ["one value", { value: "a" }, [1, 1, 1]],
    ["other values", { value: ["b", 1] }, [0, 0, 0]],
    ["another key", { key: "cluster" }, [0, 0, 0]],
    ["a place that nobody knows", { type: "baggage" }, [0, 0, 0]],
  ])("%s", (_what, pattern, counts) => {
    expect((["tags", "process", "logs"] as const).map((place) => link(pattern, place))).toEqual(counts);
  });
});

test("links of a trace know its id, name and times", () => {
  const pattern: LinkPattern = {
    ...{ type: "traces", text: "#{traceName}" },
    url: "https://logs.example/?t=#{traceID}&from=#{startTime}&to=#{endTime}&d=#{duration}",
  };
  expect(traceLinks([pattern], trace)).toEqual([
    {
      url: "https://logs.example/?t=abc&from=1700000000000001&to=1700000002000001&d=2000000",
      text: "shop: GET /1",
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
