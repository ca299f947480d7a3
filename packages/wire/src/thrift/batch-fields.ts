import { malformed } from "./thrift-cursor.ts";

/** Bits of the fields that a struct must have, by id. */
export const requiredOfSpan = bitsOf(1, 2, 3, 4, 5, 7, 8, 9);
export const requiredOfTag = bitsOf(1, 2);
export const requiredOfReference = bitsOf(1, 2, 3, 4);
export const requiredOfTwo = bitsOf(1, 2);
export const requiredOfStats = bitsOf(1, 2, 3);

/** Names of the fields of each struct of idl/tracing.thrift, by id. */
export const fieldNames = {
  Batch: ["", "process", "spans", "seqNo", "stats"],
  Process: ["", "serviceName", "tags"],
  Span: [
    "",
    "traceIdLow",
    "traceIdHigh",
    "spanId",
    "parentSpanId",
    "operationName",
    "references",
    "flags",
    "startTime",
    "duration",
    "tags",
    "logs",
  ],
  Tag: ["", "key", "vType", "vStr", "vDouble", "vBool", "vLong", "vBinary"],
  Log: ["", "timestamp", "fields"],
  SpanRef: ["", "refType", "traceIdLow", "traceIdHigh", "spanId"],
  ClientStats: ["", "fullQueueDroppedSpans", "tooLargeDroppedSpans", "failedToEmitSpans"],
} as const;

/** A bit for each field id. */
export function bitsOf(...ids: readonly number[]): number {
  return ids.reduce((bits, id) => bits | (1 << id), 0);
}

/** @throws WireError WIRE_MALFORMED for a field that was seen before */
export function checkOnce(seen: number, id: number, name: string): void {
  if ((seen & (1 << id)) !== 0) throw malformed(`${name} comes twice`);
}

/** @throws WireError WIRE_MALFORMED naming the first required field that is missing */
export function checkRequired(seen: number, required: number, struct: keyof typeof fieldNames): void {
  const missing = required & ~seen;
  if (missing !== 0) {
    // The lowest bit that is missing.
    const id = 31 - Math.clz32(missing & -missing);
    throw malformed(`${struct}.${fieldNames[struct][id]} is required and missing`);
  }
}
