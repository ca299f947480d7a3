import fc from "fast-check";
import type { Batch as ThriftBatch, Span as ThriftSpan, Tag as ThriftTag } from "../gen/thrift/tracing.ts";
import type { I64 } from "../thrift/i64.ts";

const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const i64: fc.Arbitrary<I64> = fc.oneof(
  fc.record({ high: int32, low: int32 }),
  fc.record({ high: fc.constant(0), low: fc.nat(300) }),
  fc.constantFrom({ high: -1, low: -1 }, { high: -(2 ** 31), low: 0 }, { high: 2 ** 31 - 1, low: -1 }),
);
/** Few different ids, so that references often match parents. */
const id = fc.oneof(i64, fc.constantFrom({ high: 0, low: 1 }, { high: 0, low: 0 }));
/** Present times, and times outside of any calendar. */
const micros = fc.oneof(
  i64,
  fc.bigInt({ min: -(2n ** 52n), max: 2n ** 52n }).map((value) => ({
    high: Number(value >> 32n),
    low: Number(BigInt.asIntN(32, value)),
  })),
);
const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ minLength: 100, maxLength: 300 }));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const tag: fc.Arbitrary<ThriftTag> = fc.record({
  key: fc.oneof(text, fc.constantFrom("client-uuid", "span.kind", "error")),
  vType: fc.oneof({ weight: 9, arbitrary: fc.nat(6) }, { weight: 1, arbitrary: int32 }),
  vStr: maybe(text),
  vDouble: maybe(fc.double()),
  vBool: maybe(fc.boolean()),
  vLong: maybe(i64),
  vBinary: maybe(fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))),
});
const tags = fc.array(tag, { maxLength: 20, size: "medium" });
const span: fc.Arbitrary<ThriftSpan> = fc.record({
  traceIdLow: id,
  traceIdHigh: id,
  spanId: id,
  parentSpanId: id,
  operationName: text,
  references: maybe(
    fc.array(
      fc.record({ refType: fc.oneof(fc.nat(1), int32), traceIdLow: id, traceIdHigh: id, spanId: id }),
      { maxLength: 3 },
    ),
  ),
  flags: int32,
  startTime: micros,
  duration: micros,
  tags: maybe(tags),
  logs: maybe(fc.array(fc.record({ timestamp: micros, fields: tags }), { maxLength: 2 })),
});
const stats = fc.record({ fullQueueDroppedSpans: i64, tooLargeDroppedSpans: i64, failedToEmitSpans: i64 });

/** For property tests: every batch that the IDL allows. */
export const thriftBatchArbitrary: fc.Arbitrary<ThriftBatch> = fc.record({
  process: fc.record({ serviceName: text, tags: maybe(tags) }),
  spans: fc.array(span, { maxLength: 4 }),
  seqNo: maybe(i64),
  stats: maybe(stats),
});
