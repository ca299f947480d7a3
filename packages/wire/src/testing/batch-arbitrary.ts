import fc from "fast-check";
import type { Duration } from "../gen/google/protobuf/duration.ts";
import type { Batch, KeyValue, Process, Span, SpanRefType, ValueType } from "../gen/tracing/api_v2/model.ts";
import { anyText } from "./any-text.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  anyText({ maxLength: 12 }),
  fc.string({ minLength: 100, maxLength: 300 }),
);
/** Keys and values from which kind and status are derived must be frequent, some of them with a wrong type. */
const key = fc.oneof(
  text,
  fc.constantFrom("span.kind", "error", "otel.status_code", "otel.status_description", "event"),
);
const value = fc.oneof(
  text,
  fc.constantFrom("server", "client", "producer", "unspecified", "true", "false", "ERROR", "OK", "boom"),
);
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array));

/** Mostly known numbers, but also unknown numbers, because protobuf passes them on. */
function numberOfEnum<T>(known: fc.Arbitrary<number>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: int32 }) as fc.Arbitrary<T>;
}

const tag: fc.Arbitrary<KeyValue> = fc.record({
  key,
  vType: numberOfEnum<ValueType>(fc.nat(4)),
  vStr: value,
  vBool: fc.boolean(),
  vInt64: fc.oneof(int64, fc.bigInt({ min: -200n, max: 200n })),
  vFloat64: fc.oneof(fc.double(), fc.integer()),
  vBinary: fc.uint8Array({ maxLength: 90 }).map((array) => Buffer.from(array)),
});
const tags = fc.array(tag, { maxLength: 6 });
const process: fc.Arbitrary<Process> = fc.record({ serviceName: fc.oneof(text, fc.constant("shop")), tags });
const time: fc.Arbitrary<Duration> = fc.oneof(
  fc.record({ seconds: fc.bigInt({ min: 0n, max: 2n ** 33n }), nanos: fc.nat(999_999_999) }),
  fc.record({ seconds: int64, nanos: int32 }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

/** Few different ids, so that references often point into the same trace. */
const traceId = fc.oneof(
  fc.constantFrom(
    Buffer.alloc(16, 1),
    Buffer.alloc(8, 2),
    Buffer.concat([Buffer.alloc(8), Buffer.alloc(8, 2)]),
  ),
  bytes(16),
  bytes(8),
);
const spanId = fc.oneof(fc.constantFrom(Buffer.alloc(8), Buffer.alloc(8, 3)), bytes(8));

const span: fc.Arbitrary<Span> = fc.record({
  traceId,
  spanId,
  operationName: text,
  references: fc.array(
    fc.record({
      traceId,
      spanId,
      refType: numberOfEnum<SpanRefType>(fc.nat(1)),
    }),
    { maxLength: 4 },
  ),
  flags: fc.nat(0xffffffff),
  startTime: maybe(time),
  duration: maybe(time),
  tags,
  logs: fc.array(fc.record({ timestamp: maybe(time), fields: tags }), { maxLength: 3 }),
  process: fc.option(process, { nil: undefined, freq: 2 }),
  processId: text,
  warnings: fc.array(text, { maxLength: 2 }),
});

/** For property tests: every batch that the message allows, with ids of the right length. */
export const batchArbitrary: fc.Arbitrary<Batch> = fc.record({
  spans: fc.array(span, { maxLength: 5 }),
  process: maybe(process),
});
