import { describe, expect, test } from "vitest";
import { fromApiV2Batch } from "../src/api-v2/from-api-v2-batch.ts";
import type { Span as ThriftSpan, Tag as ThriftTag } from "../src/gen/thrift/tracing.ts";
import { type KeyValue, SpanRefType, ValueType } from "../src/gen/tracing/api_v2/model.ts";
import type { I64 } from "../src/thrift/i64.ts";
import { thriftBatchToApiV2 } from "./thrift-batch-to-api-v2.ts";

const i64 = (value: bigint): I64 => ({
  high: Number(BigInt.asIntN(32, value >> 32n)),
  low: Number(BigInt.asIntN(32, value)),
});

const bare: ThriftSpan = {
  traceIdLow: i64(0x8000000000000001n),
  traceIdHigh: i64(0xfedcba9876543210n),
  spanId: i64(0xb7ad6b7169203331n),
  parentSpanId: i64(0n),
  operationName: "op",
  flags: 1,
  startTime: i64(1_700_000_000_123_456n),
  duration: i64(2_500_001n),
};

const convert = (change: Partial<ThriftSpan>) =>
  thriftBatchToApiV2({ process: { serviceName: "shop" }, spans: [{ ...bare, ...change }] }).spans[0]!;

const empty: KeyValue = {
  key: "k",
  vType: ValueType.STRING,
  vStr: "",
  vBool: false,
  vInt64: 0n,
  vFloat64: 0,
  vBinary: Buffer.alloc(0),
};

describe("thriftBatchToApiV2", () => {
  test("copies ids, name, flags and times", () => {
    expect(convert({})).toEqual({
      traceId: Buffer.from("fedcba98765432108000000000000001", "hex"),
      spanId: Buffer.from("b7ad6b7169203331", "hex"),
      operationName: "op",
      references: [],
      flags: 1,
      startTime: { seconds: 1_700_000_000n, nanos: 123_456_000 },
      duration: { seconds: 2n, nanos: 500_001_000 },
      tags: [],
      logs: [],
      process: undefined,
      processId: "",
      warnings: [],
    });
    expect(convert({ flags: -1 }).flags).toBe(0xffffffff);
  });

  test.each([
    [-1n, -1_000n],
    [-5_000_000n, -5_000_000_000n],
    [-(2n ** 63n), -(2n ** 63n)],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
  ])("keeps times of %d µs within 64 bits of ns: %d", (micros, nanos) => {
    const batch = thriftBatchToApiV2({
      process: { serviceName: "shop" },
      spans: [{ ...bare, startTime: i64(micros), duration: i64(micros) }],
    });
    const [span] = fromApiV2Batch(batch, "jaeger");
    expect(span?.startTimeUnixNano).toBe(nanos);
    expect(span?.durationNano).toBe(nanos);
  });

  test.each<[string, ThriftTag, Partial<KeyValue>]>([
    ["a string", { key: "k", vType: 0, vStr: "é" }, { vStr: "é" }],
    ["a double", { key: "k", vType: 1, vDouble: 72.5 }, { vType: ValueType.FLOAT64, vFloat64: 72.5 }],
    ["a bool", { key: "k", vType: 2, vBool: true }, { vType: ValueType.BOOL, vBool: true }],
    ["a long", { key: "k", vType: 3, vLong: i64(-7n) }, { vType: ValueType.INT64, vInt64: -7n }],
    [
      "the smallest long",
      { key: "k", vType: 3, vLong: i64(-(2n ** 63n)) },
      { vType: ValueType.INT64, vInt64: -(2n ** 63n) },
    ],
    [
      "bytes",
      { key: "k", vType: 4, vBinary: Buffer.of(0, 255) },
      { vType: ValueType.BINARY, vBinary: Buffer.of(0, 255) },
    ],
    ["a type without its value", { key: "k", vType: 3, vStr: "lost" }, { vType: ValueType.INT64 }],
    ["an unknown type", { key: "k", vType: 17 }, { vStr: "Unknown VType: 17" }],
  ])("reads %s", (_, tag, expected) => {
    const { tags, logs } = convert({ tags: [tag], logs: [{ timestamp: i64(1n), fields: [tag] }] });
    expect(tags).toEqual([{ ...empty, ...expected }]);
    expect(logs).toEqual([{ timestamp: { seconds: 0n, nanos: 1_000 }, fields: [{ ...empty, ...expected }] }]);
  });

  test("keeps the tags of the process", () => {
    const tags = [{ key: "k", vType: 0, vStr: "v" }];
    expect(thriftBatchToApiV2({ process: { serviceName: "shop", tags }, spans: [] }).process).toEqual({
      serviceName: "shop",
      tags: [{ ...empty, vStr: "v" }],
    });
  });

  const own = { traceIdLow: bare.traceIdLow, traceIdHigh: bare.traceIdHigh };
  const other = { traceIdLow: i64(1n), traceIdHigh: i64(0n) };
  test.each<[string, Partial<ThriftSpan>, [SpanRefType, string][]]>([
    ["nothing for a root", {}, []],
    ["the parent", { parentSpanId: i64(5n) }, [[SpanRefType.CHILD_OF, "0000000000000005"]]],
    [
      "the parent in front of the references",
      {
        parentSpanId: i64(5n),
        references: [
          { refType: 1, ...own, spanId: i64(6n) },
          { refType: 0, ...other, spanId: i64(5n) },
        ],
      },
      [
        [SpanRefType.CHILD_OF, "0000000000000005"],
        [SpanRefType.FOLLOWS_FROM, "0000000000000006"],
        [SpanRefType.CHILD_OF, "0000000000000005"],
      ],
    ],
    [
      "no parent beside a reference that says FOLLOWS_FROM of the same span",
      { parentSpanId: i64(5n), references: [{ refType: 1, ...own, spanId: i64(5n) }] },
      [[SpanRefType.FOLLOWS_FROM, "0000000000000005"]],
    ],
    [
      "a parent that is a reference already only once, in its place",
      {
        parentSpanId: i64(5n),
        references: [
          { refType: 1, ...own, spanId: i64(6n) },
          { refType: 0, ...own, spanId: i64(5n) },
        ],
      },
      [
        [SpanRefType.FOLLOWS_FROM, "0000000000000006"],
        [SpanRefType.CHILD_OF, "0000000000000005"],
      ],
    ],
  ])("has %s", (_, change, references) => {
    expect(
      convert(change).references.map(({ refType, spanId }) => [refType, spanId.toString("hex")]),
    ).toEqual(references);
  });
});
