import type { KeyValue } from "wire/api-v2";
import type { I64, ThriftBatch, ThriftTag } from "wire/thrift";
import { apiV2Batch } from "./api-v2-spans.ts";

/** The batch of `api-v2-spans.ts`, as a Thrift client sends it. */
export function thriftBatch(spanCount: number): ThriftBatch {
  const { spans, process } = apiV2Batch(spanCount);
  return {
    process: { serviceName: process?.serviceName ?? "", tags: process?.tags.map(tagOf) ?? [] },
    spans: spans.map((span) => ({
      traceIdLow: idOf(span.traceId, 8),
      traceIdHigh: idOf(span.traceId, 0),
      spanId: idOf(span.spanId, 0),
      parentSpanId: idOf(span.references[0]?.spanId ?? Buffer.alloc(8), 0),
      operationName: span.operationName,
      flags: span.flags,
      startTime: { high: 395_812, low: 1_234_567 },
      duration: { high: 0, low: 1_234 },
      tags: span.tags.map(tagOf),
    })),
  };
}

function idOf(bytes: Buffer, offset: number): I64 {
  return { high: bytes.readInt32BE(offset), low: bytes.readInt32BE(offset + 4) };
}

function tagOf({ key, vType, vStr, vBool, vInt64 }: KeyValue): ThriftTag {
  switch (vType) {
    case 1:
      return { key, vType: 2, vBool };
    case 2:
      return { key, vType: 3, vLong: { high: 0, low: Number(vInt64) } };
    default:
      return { key, vType: 0, vStr };
  }
}
