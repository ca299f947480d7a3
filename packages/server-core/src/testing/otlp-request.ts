/** A span in the form that tests check. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly status: string;
  readonly service: unknown;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface Field {
  readonly number: number;
  /** Bytes of a length-delimited field; else its varint. */
  readonly bytes: Buffer;
  readonly value: bigint;
}

/** Fields of one protobuf message. */
function fields(message: Buffer): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        return value;
      }
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const type = tag & 7;
    if (type === 0) {
      found.push({ number: tag >> 3, bytes: Buffer.alloc(0), value: varint() });
    } else {
      const length = type === 1 ? 8 : type === 5 ? 4 : Number(varint());
      found.push({ number: tag >> 3, bytes: message.subarray(at, at + length), value: 0n });
      at += length;
    }
  }
  return found;
}

/** For tests: every field with this number. */
export const all = (message: Buffer, number: number) =>
  fields(message).filter((field) => field.number === number);
/** For tests: the first field with this number. */
export const first = (message: Buffer, number: number) => all(message, number)[0];
/** For tests: bytes of the first field with this number; empty when there is none. */
export const bytes = (message: Buffer, number: number) => first(message, number)?.bytes ?? Buffer.alloc(0);

/** For tests: OTLP attributes in the fields with this number. */
export function attributes(message: Buffer, number: number): Record<string, unknown> {
  const pairs = all(message, number).map(({ bytes: pair }) => {
    const value = fields(bytes(pair, 2))[0];
    const shown = value?.number === 1 ? String(value.bytes) : Number(value?.value ?? 0);
    return [String(bytes(pair, 1)), shown] as const;
  });
  return Object.fromEntries(pairs);
}

const kinds = ["", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const statuses = ["UNSET", "OK", "ERROR"];

/**
 * For tests: the spans of an OTLP trace request in protobuf. It is parsed by hand, because this package must not import
 * `wire`.
 * Source: opentelemetry-proto, trace/v1/trace.proto
 */
export function readSpans(request: Buffer): ReceivedSpan[] {
  return all(request, 1).flatMap(({ bytes: resourceSpans }) => {
    const resource = attributes(bytes(resourceSpans, 1), 1);
    return all(resourceSpans, 2)
      .flatMap((scope) => all(scope.bytes, 2))
      .map(({ bytes: span }) => ({
        name: String(bytes(span, 5)),
        kind: kinds[Number(first(span, 6)?.value ?? 0)] ?? "",
        traceId: bytes(span, 1).toString("hex"),
        spanId: bytes(span, 2).toString("hex"),
        parentSpanId: bytes(span, 4).toString("hex"),
        status: statuses[Number(first(bytes(span, 15), 3)?.value ?? 0)] ?? "",
        service: resource["service.name"],
        resource,
        attributes: attributes(span, 9),
      }));
  });
}
