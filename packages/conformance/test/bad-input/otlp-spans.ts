import { randomBytes } from "node:crypto";

/** A span in OTLP/JSON. */
export type JsonSpan = Record<string, unknown>;

export const jsonHeaders = { "Content-Type": "application/json" } as const;
export const protobufHeaders = { "Content-Type": "application/x-protobuf" } as const;

/** A span at the present time, with new ids. */
export function jsonSpan(fields: JsonSpan = {}): JsonSpan & { traceId: string } {
  const start = BigInt(Date.now()) * 1_000_000n;
  return {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "work",
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 1_000_000n),
    ...fields,
  };
}

/** An export request in OTLP/JSON. */
export function jsonRequest(service: string, ...spans: JsonSpan[]): string {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans }] }] });
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + 128);
  }
  return Buffer.from([...bytes, rest]);
}

/** A length-delimited field of protobuf. */
export function field(number: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint(number * 8 + 2), varint(content.length), content]);
}

/** One span in protobuf, without times. Ids may have any length. */
export function protobufSpan(
  traceId: Uint8Array,
  spanId: Uint8Array,
  ...more: readonly Uint8Array[]
): Buffer {
  return Buffer.concat([field(1, traceId), field(2, spanId), field(5, Buffer.from("work")), ...more]);
}

/** An export request in protobuf. @param spans spans from `protobufSpan` */
export function protobufRequest(...spans: readonly Uint8Array[]): Buffer {
  return field(1, field(2, ...spans.map((span) => field(2, span))));
}
