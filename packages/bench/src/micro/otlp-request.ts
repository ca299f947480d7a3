/** The request of the OTLP micro benches: spans of 435 bytes in protobuf, with 10 attributes. */

type Value = string | number | boolean;

const attributes: readonly (readonly [key: string, value: Value])[] = [
  ["http.request.method", "GET"],
  ["url.path", "/api/products/42"],
  ["url.scheme", "http"],
  ["server.address", "shop.example"],
  ["server.port", 8080],
  ["http.response.status_code", 200],
  ["user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36"],
  ["client.address", "192.0.2.17"],
  ["network.protocol.version", "1.1"],
  ["cache.hit", true],
];
const resourceAttributes: readonly (readonly [key: string, value: Value])[] = [
  ["service.name", "shop"],
  ["host.name", "machine-1"],
  ["telemetry.sdk.language", "nodejs"],
];

/** An `ExportTraceServiceRequest` of one resource and scope, as protobuf. */
export function otlpRequest(spanCount: number): Buffer {
  const resource = Buffer.concat(resourceAttributes.map(([key, value]) => field(1, keyValue(key, value))));
  const spans = Array.from({ length: spanCount }, (_, index) => field(2, span(index)));
  const scopeSpans = Buffer.concat([field(1, field(1, "bench")), ...spans]);
  return field(1, Buffer.concat([field(1, resource), field(2, scopeSpans)]));
}

/** The same request as OTLP JSON, in the form of the JavaScript SDK. */
export function otlpJsonRequest(spanCount: number): Buffer {
  const spans = Array.from({ length: spanCount }, (_, index) => {
    const start = startOf(index);
    return {
      traceId: idOf(index).toString("hex"),
      spanId: idOf(index).toString("hex", 0, 8),
      parentSpanId: idOf(index + 1).toString("hex", 0, 8),
      name: "GET /api/products/{id}",
      kind: 2,
      startTimeUnixNano: String(start),
      endTimeUnixNano: String(start + 1_234_567n),
      attributes: attributes.map(jsonKeyValue),
      droppedAttributesCount: 0,
      events: [],
      droppedEventsCount: 0,
      status: { code: 0 },
      links: [],
      droppedLinksCount: 0,
    };
  });
  return Buffer.from(
    JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: resourceAttributes.map(jsonKeyValue), droppedAttributesCount: 0 },
          scopeSpans: [{ scope: { name: "bench" }, spans }],
        },
      ],
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}
function varintField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}
function fixed64Field(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}
function keyValue(key: string, value: Value): Buffer {
  const any =
    typeof value === "string"
      ? field(1, value)
      : varintField(typeof value === "number" ? 3 : 2, Number(value));
  return Buffer.concat([field(1, key), field(2, any)]);
}
function jsonKeyValue([key, value]: readonly [key: string, value: Value]): object {
  if (typeof value === "string") {
    return { key, value: { stringValue: value } };
  }
  return { key, value: typeof value === "number" ? { intValue: value } : { boolValue: value } };
}
function idOf(index: number): Buffer {
  return Buffer.alloc(16, index + 1);
}
function startOf(index: number): bigint {
  return 1_700_000_000_000_000_000n + BigInt(index) * 1_000_003n;
}
function span(index: number): Buffer {
  const id = idOf(index);
  const start = startOf(index);
  return Buffer.concat([
    field(1, id),
    field(2, id.subarray(0, 8)),
    field(4, idOf(index + 1).subarray(0, 8)),
    field(5, "GET /api/products/{id}"),
    varintField(6, 2),
    fixed64Field(7, start),
    fixed64Field(8, start + 1_234_567n),
    ...attributes.map(([key, value]) => field(9, keyValue(key, value))),
    field(15, Buffer.alloc(0)),
  ]);
}
