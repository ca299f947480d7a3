import { randomBytes } from "node:crypto";

/** Milliseconds from the acknowledgement of a span until a search finds it. */
export const visibleWithinMs = 20_000;

export interface SampleTrace {
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly childSpanId: string;
  readonly service: string;
  /** The body of an OTLP/JSON export. */
  readonly otlpJson: unknown;
}

/**
 * A new trace of two spans with every attribute type, an event, a link, a status and a trace state. Its service name is
 * unique, so that suites can run against a store that already has data.
 */
export function sampleTrace(): SampleTrace {
  const traceId = randomBytes(16).toString("hex");
  const rootSpanId = randomBytes(8).toString("hex");
  const childSpanId = randomBytes(8).toString("hex");
  const service = `conformance-${traceId.slice(0, 12)}`;
  const start = BigInt(Date.now() - 1_000) * 1_000_000n;
  const otlpJson = {
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: "service.name", value: { stringValue: service } },
            { key: "service.version", value: { stringValue: "1.2.3" } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: "conformance", version: "0.1" },
            spans: [
              {
                traceId,
                spanId: rootSpanId,
                traceState: "vendor=1",
                name: "GET /orders",
                kind: 2,
                startTimeUnixNano: String(start),
                endTimeUnixNano: String(start + 250_000_000n),
                attributes: [
                  { key: "http.request.method", value: { stringValue: "GET" } },
                  { key: "http.response.status_code", value: { intValue: "503" } },
                  { key: "queue.load", value: { doubleValue: 72.5 } },
                  { key: "cache.hit", value: { boolValue: true } },
                  { key: "big", value: { intValue: "9007199254740993" } },
                  { key: "digest", value: { bytesValue: "AQID" } },
                  {
                    key: "items",
                    value: { arrayValue: { values: [{ stringValue: "x" }, { intValue: "1" }] } },
                  },
                ],
                events: [
                  {
                    timeUnixNano: String(start + 5_000_000n),
                    name: "exception",
                    attributes: [{ key: "exception.message", value: { stringValue: "out of stock" } }],
                  },
                ],
                links: [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }],
                status: { code: 2, message: "stock" },
              },
              {
                traceId,
                spanId: childSpanId,
                parentSpanId: rootSpanId,
                name: "SELECT orders",
                kind: 3,
                startTimeUnixNano: String(start + 10_000_000n),
                endTimeUnixNano: String(start + 60_000_000n),
                attributes: [{ key: "db.system.name", value: { stringValue: "postgresql" } }],
              },
            ],
          },
        ],
      },
    ],
  };
  return { traceId, rootSpanId, childSpanId, service, otlpJson };
}
