import type { ThriftBatch, ThriftTag } from "wire/thrift";

/** A batch of one span, as a client sends it. @param id id of the trace and of the span, at most 31 bits */
export function oneSpanBatch(serviceName: string, id: number, tags: readonly ThriftTag[] = []): ThriftBatch {
  return {
    process: { serviceName, tags: [{ key: "hostname", vType: 0, vStr: "h" }] },
    spans: [
      {
        traceIdLow: { high: 0, low: id },
        traceIdHigh: { high: 0, low: 0 },
        spanId: { high: 0, low: id },
        parentSpanId: { high: 0, low: 0 },
        operationName: `span ${id}`,
        flags: 1,
        startTime: { high: 395_812, low: 0 },
        duration: { high: 0, low: 1_500 },
        tags,
      },
    ],
  };
}
