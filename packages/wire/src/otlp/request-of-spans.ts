import { ExportTraceServiceRequest } from "../gen/opentelemetry/proto/collector/trace/v1/trace_service.ts";
import type { Span } from "../model/span.ts";
import { resourceSpansOf } from "./resource-spans.ts";
import { serviceNameOf } from "./service-name.ts";

/**
 * For tests: the OTLP request with these spans. Generated code makes it, so it is independent of the transcoders. Each
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
 * For tests: the span that remains after a conversion to OTLP and back, which loses warnings, reference types and other
 * formats.
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
 * For tests: the request in OTLP's JSON form with hex ids. Everything else is printed by generated code for protobuf
 * JSON.
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
