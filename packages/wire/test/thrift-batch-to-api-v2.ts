import { toDuration, toTimestamp } from "../src/api-v2/nano-times.ts";
import { binaryTag, boolTag, float64Tag, int64Tag, stringTag } from "../src/api-v2/tags.ts";
import {
  TagType,
  type Batch as ThriftBatch,
  type Log as ThriftLog,
  type Process as ThriftProcess,
  type Span as ThriftSpan,
  type SpanRef as ThriftSpanRef,
  type Tag as ThriftTag,
} from "../src/gen/thrift/tracing.ts";
import {
  type Batch,
  type KeyValue,
  type Log,
  type Process,
  type Span,
  type SpanRef,
  SpanRefType,
} from "../src/gen/tracing/api_v2/model.ts";
import { addParentReference } from "../src/testing/add-parent-reference.ts";
import type { I64 } from "../src/thrift/i64.ts";

const nanosPerMicro = 1_000n;
const noBytes = Buffer.alloc(0);

/**
 * Converts a Thrift batch to the `api_v2` model through objects; tests compare its result with `ThriftToApiV2`, which
 * converts bytes to bytes. The parent id becomes the first reference (CHILD_OF), unless another reference has the same
 * span. Negative times stay negative: the unsigned reading of the public model has the same result.
 */
export function thriftBatchToApiV2(batch: ThriftBatch): Batch {
  return { spans: batch.spans.map(spanOf), process: processOf(batch.process) };
}

function processOf({ serviceName, tags }: ThriftProcess): Process {
  return { serviceName, tags: tags?.map(tagOf) ?? [] };
}

function spanOf(span: ThriftSpan): Span {
  const traceId = traceIdBytes(span.traceIdHigh, span.traceIdLow);
  return {
    traceId,
    spanId: idBytes(span.spanId),
    operationName: span.operationName,
    references: addParentReference(
      span.references?.map(referenceOf) ?? [],
      traceId,
      idBytes(span.parentSpanId),
    ),
    flags: span.flags >>> 0,
    startTime: toTimestamp(nanosOf(span.startTime)),
    duration: toDuration(nanosOf(span.duration)),
    tags: span.tags?.map(tagOf) ?? [],
    logs: span.logs?.map(logOf) ?? [],
    process: undefined,
    processId: "",
    warnings: [],
  };
}

function referenceOf(reference: ThriftSpanRef): SpanRef {
  return {
    traceId: traceIdBytes(reference.traceIdHigh, reference.traceIdLow),
    spanId: idBytes(reference.spanId),
    refType: reference.refType === 0 ? SpanRefType.CHILD_OF : SpanRefType.FOLLOWS_FROM,
  };
}

function logOf(log: ThriftLog): Log {
  return { timestamp: toTimestamp(nanosOf(log.timestamp)), fields: log.fields.map(tagOf) };
}

function tagOf(tag: ThriftTag): KeyValue {
  switch (tag.vType) {
    case TagType.STRING:
      return stringTag(tag.key, tag.vStr ?? "");
    case TagType.DOUBLE:
      return float64Tag(tag.key, tag.vDouble ?? 0);
    case TagType.BOOL:
      return boolTag(tag.key, tag.vBool ?? false);
    case TagType.LONG:
      return int64Tag(tag.key, tag.vLong === undefined ? 0n : bigintOf(tag.vLong));
    case TagType.BINARY:
      return binaryTag(tag.key, tag.vBinary ?? noBytes);
    default:
      return stringTag(tag.key, `Unknown VType: ${tag.vType}`);
  }
}

function traceIdBytes(high: I64, low: I64): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  writeId(bytes, high, 0);
  writeId(bytes, low, 8);
  return bytes;
}

function idBytes(id: I64): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  writeId(bytes, id, 0);
  return bytes;
}

function writeId(bytes: Buffer, id: I64, offset: number): void {
  bytes.writeInt32BE(id.high, offset);
  bytes.writeInt32BE(id.low, offset + 4);
}

function nanosOf(micros: I64): bigint {
  return bigintOf(micros) * nanosPerMicro;
}

function bigintOf({ high, low }: I64): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}
