import { type FinishedSpan, type SpanAttributes, spanKinds } from "../own-span.ts";

const errorStatus = 2;

function keyValues(attributes: SpanAttributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  }));
}

function nanosText(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

/** The body of a request of OTLP over HTTP, as JSON. Source: OpenTelemetry protocol specification, "JSON Protobuf Encoding" */
export function otlpJson(resource: SpanAttributes, scope: string, spans: readonly FinishedSpan[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [
          {
            scope: { name: scope },
            spans: spans.map((span) => ({
              traceId: span.context.traceId,
              spanId: span.context.spanId,
              ...(span.parentSpanId === "" ? {} : { parentSpanId: span.parentSpanId }),
              flags: 1,
              name: span.name,
              kind: spanKinds[span.kind],
              startTimeUnixNano: nanosText(span.startUnixMs),
              endTimeUnixNano: nanosText(span.startUnixMs + span.durationMs),
              attributes: keyValues(span.attributes),
              ...(span.isError ? { status: { code: errorStatus } } : {}),
            })),
          },
        ],
      },
    ],
  });
}
