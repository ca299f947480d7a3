import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { Span } from "../model/span.ts";
import { resourceSpansOf } from "../otlp/resource-spans.ts";
import { serviceNameOf } from "../otlp/service-name.ts";

/**
 * For tests: the OTLP request with these spans. It is made by generated code, independently of the transcoders. Each
 * span has a separate `ResourceSpans`.
 */
export function requestOfSpans(spans: readonly Span[]): ExportTraceServiceRequest {
  return {
    resourceSpans: spans.map((span) => {
      const { resource, scope } = span;
      return resourceSpansOf({ resource, scopes: [{ scope, spans: [span] }] });
    }),
  };
}

/**
 * For tests: the span that results from converting a span to OTLP and back: warnings, reference types and other formats
 * are lost.
 */
export function otlpSpanOf(span: Span): Span {
  return {
    ...span,
    links: span.links.map((link) => ({ ...link, refType: "none" })),
    resource: { ...span.resource, serviceName: serviceNameOf(span.resource.attributes) },
    format: "otlp",
    warnings: [],
  };
}

/**
 * For tests: the request in OTLP's JSON form with hex ids. Everything except the ids is printed by the generated code
 * for protobuf JSON.
 */
export function otlpJsonOf(request: ExportTraceServiceRequest): string {
  return JSON.stringify(ExportTraceServiceRequest.toJSON(request), (key, value: unknown) => {
    if (/^(traceId|spanId|parentSpanId)$/.test(key)) {
      return Buffer.from(value as string, "base64").toString("hex");
    }
    if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) {
      return Object.is(value, -0) ? "-0" : String(value);
    }
    return value;
  });
}
