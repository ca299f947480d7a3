import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  Batch,
  type KeyValue,
  type Process,
  type Span,
  SpanRefType,
  ValueType,
} from "../gen/tracing/api_v2/model.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";
import { boolTag, stringTag } from "./tags.ts";
import { toApiV2Span } from "./to-api-v2-span.ts";

// Proto3 writers omit -0 like 0; Jaeger's writer does too.
const plusZero = (value: number) => value + 0;
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((b) => Buffer.from(b));

const tag: fc.Arbitrary<KeyValue> = fc
  .tuple(
    fc.string({ unit: "grapheme" }),
    fc.oneof(
      fc.record({ vType: fc.constant(ValueType.STRING), vStr: fc.string({ unit: "grapheme" }) }),
      fc.record({ vType: fc.constant(ValueType.BOOL), vBool: fc.boolean() }),
      fc.record({ vType: fc.constant(ValueType.INT64), vInt64: int64 }),
      fc.record({ vType: fc.constant(ValueType.FLOAT64), vFloat64: fc.double().map(plusZero) }),
      fc.record({
        vType: fc.constant(ValueType.BINARY),
        vBinary: fc.uint8Array().map((b) => Buffer.from(b)),
      }),
    ),
  )
  .map(([key, value]) => ({ ...stringTag(key, ""), ...value }));

// The range of 64-bit nanoseconds: the years 1678 to 2261.
const timestamp = fc.record({
  seconds: fc.bigInt({ min: -9_223_372_036n, max: 9_223_372_035n }),
  nanos: fc.integer({ min: 0, max: 999_999_999 }),
});
const duration = fc
  .record({
    seconds: fc.bigInt({ min: 0n, max: 9_223_372_035n }),
    nanos: fc.integer({ min: 0, max: 999_999_999 }),
    isNegative: fc.boolean(),
  })
  .map(({ seconds, nanos, isNegative }) =>
    isNegative ? { seconds: -seconds, nanos: 0 - nanos } : { seconds, nanos },
  );

const process: fc.Arbitrary<Process> = fc.record({
  serviceName: fc.string({ unit: "grapheme", minLength: 1 }),
  tags: fc.array(tag, { maxLength: 4 }),
});

const span: fc.Arbitrary<Span> = fc.record({
  traceId: bytes(16),
  spanId: bytes(8),
  operationName: fc.string({ unit: "grapheme" }),
  references: fc.array(
    fc.record({
      traceId: bytes(16),
      spanId: bytes(8),
      refType: fc.constantFrom(SpanRefType.CHILD_OF, SpanRefType.FOLLOWS_FROM),
    }),
    { maxLength: 3 },
  ),
  flags: fc.nat(0xffffffff),
  startTime: timestamp,
  duration,
  tags: fc.array(tag, { maxLength: 6 }),
  logs: fc.array(fc.record({ timestamp, fields: fc.array(tag, { maxLength: 3 }) }), { maxLength: 3 }),
  process: fc.option(process, { nil: undefined }),
  processId: fc.constant(""),
  warnings: fc.array(fc.string({ unit: "grapheme" }), { maxLength: 2 }),
});

const bareSpan: Span = {
  traceId: Buffer.alloc(16, 1),
  spanId: Buffer.alloc(8, 2),
  operationName: "op",
  references: [],
  flags: 0,
  startTime: undefined,
  duration: undefined,
  tags: [],
  logs: [],
  process: undefined,
  processId: "",
  warnings: [],
};

function read(change: Partial<Span>, batchProcess?: Process) {
  const [span] = fromApiV2Batch({ spans: [{ ...bareSpan, ...change }], process: batchProcess }, "proto");
  return span!;
}

describe("fromApiV2Batch", () => {
  test("loses nothing: back in api_v2 the span is what it was, and says its format", () => {
    fc.assert(
      fc.property(
        fc.array(span, { maxLength: 3 }),
        process,
        fc.constantFrom("proto", "jaeger"),
        (spans, shared, format) => {
          const wire = Batch.encode({ spans, process: shared }).finish();
          const back = fromApiV2Batch(Batch.decode(wire), format).map(toApiV2Span);
          expect(back).toEqual(
            spans.map((one) => ({
              ...one,
              process: one.process ?? shared,
              tags: [...one.tags, stringTag("internal.span.format", format)],
            })),
          );
        },
      ),
      { seed: 3, numRuns: 300 },
    );
  });

  test("keeps batch and order of tags with equal keys", () => {
    const tags = [stringTag("a", "1"), boolTag("a", true), stringTag("a", "1")];
    expect(read({ tags }).attributes.map(({ value }) => value)).toEqual([
      { type: "string", value: "1" },
      { type: "bool", value: true },
      { type: "string", value: "1" },
    ]);
  });

  test.each<[string, Process | undefined, Process | undefined, string]>([
    ["its own", { serviceName: "own", tags: [] }, { serviceName: "batch", tags: [] }, "own"],
    ["the batch's", undefined, { serviceName: "batch", tags: [] }, "batch"],
    ["none", undefined, undefined, "null-process-and-service-name"],
    [
      "one without a name",
      { serviceName: "", tags: [] },
      { serviceName: "batch", tags: [] },
      "empty-service-name",
    ],
  ])("names the service when the process is %s", (_, own, batch, service) => {
    expect(read({ process: own }, batch).resource.serviceName).toBe(service);
  });

  test("reads trace ids of 8 bytes as the low half, in references too", () => {
    const id = Buffer.from("00000000000000ab", "hex");
    const references = [{ traceId: id, spanId: Buffer.alloc(8, 9), refType: SpanRefType.CHILD_OF }];
    const { traceId, links, parentSpanId } = read({ traceId: id, references });
    expect(traceId).toBe("000000000000000000000000000000ab");
    expect(links[0]?.traceId).toBe(traceId);
    expect(parentSpanId).toBe("0909090909090909");
  });

  const bad = { traceId: Buffer.alloc(16), spanId: Buffer.alloc(8), refType: SpanRefType.CHILD_OF };
  test.each<[string, Partial<Span>, string]>([
    ["trace id", { traceId: Buffer.alloc(15) }, "invalid length for TraceID: 15 bytes, not 16 or 8"],
    ["no trace id", { traceId: Buffer.alloc(0) }, "invalid length for TraceID: 0 bytes, not 16 or 8"],
    ["span id", { spanId: Buffer.alloc(16) }, "invalid length for SpanID: 16 bytes, not 8"],
    [
      "reference's trace id",
      { references: [{ ...bad, traceId: Buffer.alloc(17) }] },
      "invalid length for TraceID: 17 bytes, not 16 or 8",
    ],
    [
      "reference's span id",
      { references: [{ ...bad, spanId: Buffer.alloc(7) }] },
      "invalid length for SpanID: 7 bytes, not 8",
    ],
  ])("refuses a bad %s", (_, change, message) => {
    expect(() => read(change)).toThrow(expect.objectContaining({ code: "WIRE_BAD_ID", message }));
  });

  const own = bareSpan.traceId;
  const other = Buffer.alloc(16, 7);
  const { CHILD_OF, FOLLOWS_FROM } = SpanRefType;
  test.each<[string, [Buffer, number, SpanRefType][], string]>([
    ["no reference", [], ""],
    ["a child-of", [[own, 5, CHILD_OF]], "05".repeat(8)],
    [
      "a follows-from before a child-of",
      [
        [own, 4, FOLLOWS_FROM],
        [own, 5, CHILD_OF],
        [own, 6, CHILD_OF],
      ],
      "05".repeat(8),
    ],
    [
      "only follows-from",
      [
        [other, 4, CHILD_OF],
        [own, 5, FOLLOWS_FROM],
      ],
      "05".repeat(8),
    ],
    ["other traces only", [[other, 5, CHILD_OF]], ""],
    ["a parent of zero", [[own, 0, CHILD_OF]], ""],
  ])("finds the parent with %s", (_, rows, parentSpanId) => {
    const references = rows.map(([traceId, fill, refType]) => ({
      traceId,
      spanId: Buffer.alloc(8, fill),
      refType,
    }));
    expect(read({ references }).parentSpanId).toBe(parentSpanId);
  });

  test.each<[string, KeyValue[], string, string, string]>([
    ["nothing", [], "unspecified", "unset", ""],
    [
      "the first span.kind",
      [stringTag("span.kind", "client"), stringTag("span.kind", "server")],
      "client",
      "unset",
      "",
    ],
    ["an unknown kind", [stringTag("span.kind", "CLIENT")], "unspecified", "unset", ""],
    ["error=true", [boolTag("error", true)], "unspecified", "error", ""],
    ['error="true"', [stringTag("error", "true")], "unspecified", "error", ""],
    ["error=false", [boolTag("error", false)], "unspecified", "unset", ""],
    [
      "an SDK's error",
      [stringTag("otel.status_code", "ERROR"), stringTag("otel.status_description", "d")],
      "unspecified",
      "error",
      "d",
    ],
    ["an SDK's ok", [stringTag("otel.status_code", "OK")], "unspecified", "ok", ""],
  ])("derives kind and status from %s", (_, tags, kind, code, message) => {
    expect(read({ tags })).toMatchObject({ kind, status: { code, message } });
  });

  test("keeps the number of a tag type it does not know", () => {
    const future = { ...stringTag("a", "lost"), vType: 9 as ValueType };
    expect(read({ tags: [future] }).attributes).toEqual([
      { key: "a", value: { type: "string", value: "unknown type 9" } },
    ]);
  });
});
