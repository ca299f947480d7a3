import { spanKinds } from "wire/model";
import { z } from "zod";
import type { OperationDescription } from "./openapi/operation.ts";

/** Jaeger sends this media type, although the answers are JSON. */
const contentType = "text/plain; charset=utf-8";

// An attribute of OTLP. Its value has one field named after its type: `{"stringValue": "shop"}`.
const keyValue = z.strictObject({ key: z.string(), value: z.looseObject({}).describe("OTLP's AnyValue.") });

const attributes = z.array(keyValue).optional();

// 64-bit numbers are strings in the JSON of protobuf, because JSON numbers lose digits past 2^53.
const nanos = z
  .string()
  .regex(/^-?\d+$/)
  .describe("Nanoseconds since the Unix epoch.");

// Fields with zero or empty values may be missing, as in all protobuf JSON.
const otlpSpan = z
  .looseObject({
    traceId: z.string().describe("32 hex digits."),
    spanId: z.string().describe("16 hex digits."),
    parentSpanId: z.string().optional(),
    name: z.string().optional(),
    kind: z.int().optional(),
    startTimeUnixNano: nanos.optional(),
    endTimeUnixNano: nanos.optional(),
    attributes,
  })
  .meta({ id: "OtlpSpan", description: "A span in OTLP's JSON." });

// gRPC-Gateway wraps a message of a stream in `result`.
const resultSchema = z
  .strictObject({
    result: z.strictObject({
      resourceSpans: z.array(
        z.looseObject({
          resource: z.looseObject({ attributes }).optional(),
          scopeSpans: z.array(z.looseObject({ spans: z.array(otlpSpan) })),
        }),
      ),
    }),
  })
  .meta({ id: "OtlpResult" });

/**
 * Parameters of a search. Underscores are accepted in names, as older clients send them: `query.service_name`.
 */
const searchParams = z.object({
  "query.serviceName": z.string().optional(),
  "query.operationName": z.string().optional(),
  "query.attributes": z.string().optional().describe("A JSON object of texts; a span has all of them."),
  "query.startTimeMin": z.string().describe("RFC 3339."),
  "query.startTimeMax": z.string().describe("RFC 3339."),
  "query.durationMin": z.string().optional().describe('With its unit: "200ms".'),
  "query.durationMax": z.string().optional(),
  "query.searchDepth": z.int().optional().describe("Most traces; 100 by default. Also as query.num_traces."),
});

// An example of a search; its wide time range finds the spans of any test.
const example = {
  query: {
    "query.serviceName": "shop",
    "query.startTimeMin": "2020-01-01T00:00:00Z",
    "query.startTimeMax": "2100-01-01T00:00:00Z",
  },
};

// Both times are required, as in Jaeger.
const failingExample = { status: 400, request: { query: { "query.serviceName": "shop" } } };

// A count of zero is omitted.
const count = z.int().optional();

// Schema of the answer that lists traces without their spans.
const summariesSchema = z
  .strictObject({
    summaries: z
      .array(
        z.strictObject({
          traceId: z.string().describe("32 hex digits."),
          rootServiceName: z.string().optional().describe("Of the earliest span without a parent."),
          rootOperationName: z.string().optional(),
          minStartTimeUnixNano: nanos,
          maxEndTimeUnixNano: nanos,
          spanCount: z.int(),
          errorSpanCount: count,
          orphanSpanCount: count.describe("Spans whose parent the trace lacks."),
          services: z.array(
            z.strictObject({ name: z.string().optional(), spanCount: z.int(), errorSpanCount: count }),
          ),
        }),
      )
      .optional()
      .describe("Newest first; absent when there are none. Zeros and empty texts are left out."),
  })
  .meta({ id: "TraceSummaries" });

// Failures have the form of gRPC-Gateway: `{"error": {"httpCode": 400, "message": "…"}}`.
const shared = { method: "GET", failures: "gateway" } as const;

/** Descriptions of the endpoints in `api-v3-endpoints.ts`. */
export const apiV3Operations: readonly OperationDescription[] = [
  {
    ...shared,
    path: "/api/v3/services",
    id: "getServicesV3",
    summary: "Names of services",
    answer: {
      contentType,
      schema: z
        .strictObject({ services: z.array(z.string()).optional().describe("Absent when there are none.") })
        .meta({ id: "ServicesV3" }),
    },
    failureStatuses: [],
    example: {},
  },
  {
    ...shared,
    path: "/api/v3/operations",
    id: "getOperationsV3",
    summary: "A service's operations with their kinds",
    query: z.object({
      service: z.string().optional(),
      spanKind: z.enum(spanKinds).optional().describe("Also as span_kind."),
    }),
    answer: {
      contentType,
      schema: z
        .strictObject({
          operations: z.array(z.strictObject({ name: z.string(), spanKind: z.enum(spanKinds) })),
        })
        .meta({ id: "OperationsV3" }),
    },
    failureStatuses: [],
    example: { query: { service: "db" } },
  },
  {
    ...shared,
    path: "/api/v3/traces",
    id: "findTracesV3",
    summary: "A search",
    query: searchParams,
    answer: { contentType, schema: resultSchema },
    failureStatuses: [400, 413],
    example,
    failingExample,
  },
  {
    ...shared,
    path: "/api/v3/trace-summaries",
    id: "findTraceSummaries",
    summary: "A search for a list of traces, without their spans",
    query: searchParams,
    answer: { contentType: "application/json", schema: summariesSchema },
    failureStatuses: [400, 413],
    example,
    failingExample,
  },
  {
    ...shared,
    path: "/api/v3/traces/:traceId",
    id: "getTraceV3",
    summary: "A trace",
    pathParts: z.strictObject({ traceId: z.string().describe("Up to 32 hex digits, or base64.") }),
    answer: { contentType, schema: resultSchema },
    failureStatuses: [400, 404, 413],
    example: { path: { traceId: "71a81d73ce7902db83be4d12250bd874" } },
    failingExample: { status: 404, request: { path: { traceId: "1" } } },
  },
];
