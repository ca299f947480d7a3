import { describe, expect, test } from "vitest";
import type { ApiV2Span, KeyValue } from "wire/api-v2";
import { childOf, followsFrom, span, tag } from "../../testing/sample-span.ts";
import { adjustTrace } from "./adjust-trace.ts";
import { compareTags } from "./tag-order.ts";

function adjusted(spans: ApiV2Span[]): ApiV2Span[] {
  const trace = { spans, warnings: [] };
  adjustTrace(trace, { maxClockSkewNano: 0n });
  return trace.spans;
}

describe("IP tags", () => {
  test.each([
    [tag("ip", 0xc0a80001n), "192.168.0.1"],
    [tag("peer.ipv4", -1_062_731_775n), "192.168.0.1"],
    [tag("peer.ipv4", 2_130_706_433), "127.0.0.1"],
    [tag("ip", "already text"), "already text"],
  ])("%o", (before, shown) => {
    const [one] = adjusted([span({ tags: [before], process: { serviceName: "s", tags: [before] } })]);
    expect(one?.tags).toEqual([tag(before.key, shown)]);
    expect(one?.process?.tags).toEqual([tag(before.key, shown)]);
  });

  test.each([tag("ip", Number.NaN), tag("peer.ipv6", 1n), tag("ip", true)])("%o stays", (before) => {
    expect(adjusted([span({ tags: [before] })])[0]?.tags).toEqual([before]);
  });
});

test("SDK tags move to the process", () => {
  const [one] = adjusted([
    span({
      tags: [tag("telemetry.sdk.name", "opentelemetry"), tag("a", 1n), tag("telemetry.distro.version", "2")],
      process: { serviceName: "s", tags: [tag("z", "z")] },
    }),
  ]);
  expect(one?.tags.map(({ key }) => key)).toEqual(["a"]);
  expect(one?.process?.tags.map(({ key }) => key)).toEqual([
    "telemetry.distro.version",
    "telemetry.sdk.name",
    "z",
  ]);
});

describe("order of tags", () => {
  const ordered: KeyValue[] = [
    tag("a", "10"),
    tag("a", "9"),
    tag("a", false),
    tag("a", true),
    tag("a", -1n),
    tag("a", 2n),
    tag("a", -0.5),
    tag("a", 1e9),
    tag("a", Buffer.from([1])),
    tag("a", Buffer.from([1, 0])),
    tag("aa", ""),
    tag("b", ""),
    tag("\ue000", ""),
    tag("\u{1f600}", ""),
  ];

  test("is by key, type and value", () => {
    expect(ordered.toReversed().sort(compareTags)).toEqual(ordered);
  });

  test("of a log keeps the first string field event in front", () => {
    const fields = [
      tag("z", 1n),
      tag("event", 7n),
      tag("event", "second"),
      tag("a", 1n),
      tag("event", "first"),
    ];
    const [one] = adjusted([span({ logs: [{ timestamp: undefined, fields }] })]);
    expect(one?.logs[0]?.fields).toEqual([
      tag("event", "second"),
      tag("a", 1n),
      tag("event", "first"),
      tag("event", 7n),
      tag("z", 1n),
    ]);
  });
});

test("spans alike in every field but the order of tags are one; spans that differ stay", () => {
  const all = adjusted([
    span({ id: 1, tags: [tag("a", 1n), tag("b", 1n)] }),
    span({ id: 2 }),
    span({ id: 1, tags: [tag("b", 1n), tag("a", 1n)] }),
    span({ id: 2, operationName: "other" }),
    span({ id: 2 }),
  ]);
  expect(all.map((one) => [one.spanId.at(-1), one.operationName, one.warnings])).toEqual([
    [1, "op", []],
    [2, "op", []],
    [2, "other", ["duplicate span IDs; skipping clock skew adjustment"]],
  ]);
});

test("references to trace 0 go, with a warning; the parent comes first", () => {
  const none = "0".repeat(32);
  const elsewhere = "f".repeat(32);
  const [one] = adjusted([
    span({ references: [followsFrom(7, elsewhere), childOf(1, none), followsFrom(8), childOf(9)] }),
    span({ id: 8 }),
    span({ id: 9 }),
  ]);
  expect(one?.references).toEqual([childOf(9), followsFrom(8), followsFrom(7, elsewhere)]);
  expect(one?.warnings).toEqual([
    "Invalid span reference removed {TraceID:0000000000000000 SpanID:0000000000000001 RefType:CHILD_OF " +
      "XXX_NoUnkeyedLiteral:{} XXX_unrecognized:[] XXX_sizecache:0}",
  ]);
});

test("both sides of a call that share an id, sent twice, are two spans", () => {
  const client = () => span({ id: 7, tags: [tag("span.kind", "client")] });
  const server = () => span({ id: 7, tags: [tag("span.kind", "server")] });
  const child = () => span({ id: 9, references: [childOf(7)] });
  const spans = adjusted([client(), server(), child(), client(), server(), child()]);
  expect(spans.map(({ spanId, references }) => [spanId.at(-1), references[0]?.spanId.at(-1)])).toEqual([
    [7, undefined],
    [1, 7],
    [9, 1],
  ]);
});
