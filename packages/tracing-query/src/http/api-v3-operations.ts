import { spanKinds } from "wire/model";
import { z } from "zod";
import type { OperationDescription } from "./openapi/operation.ts";

/** The public model sends this media type, although the answers are JSON. */
const contentType = "text/plain; charset=utf-8";

const keyValue = z.strictObject({ key: z.string(), value: z.looseObject({}).describe("OTLP's AnyValue.") });

const attributes = z.array(keyValue).optional();

const nanos = z
  .string()
  .regex(/^-?\d+$/)
  .describe("Nanoseconds since the Unix epoch.");

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
    query: z.object({ service: z.string().optional(), span_kind: z.enum(spanKinds).optional() }),
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
    query: z.object({
      "query.service_name": z.string().optional(),
      "query.operation_name": z.string().optional(),
      "query.start_time_min": z.string().describe("RFC 3339."),
      "query.start_time_max": z.string().describe("RFC 3339."),
      "query.duration_min": z.string().optional().describe('With its unit: "200ms".'),
      "query.duration_max": z.string().optional(),
      "query.num_traces": z.int().optional().describe("Most traces; 100 by default."),
    }),
    answer: { contentType, schema: resultSchema },
    failureStatuses: [400, 413],
    example: {
      query: {
        "query.service_name": "shop",
        "query.start_time_min": "2020-01-01T00:00:00Z",
        "query.start_time_max": "2100-01-01T00:00:00Z",
      },
    },
    failingExample: { status: 400, request: { query: { "query.service_name": "shop" } } },
  },
  {
    ...shared,
    path: "/api/v3/traces/:traceId",
    id: "getTraceV3",
    summary: "A trace",
    pathParts: z.strictObject({ traceId: z.string().describe("Up to 32 hex digits.") }),
    answer: { contentType, schema: resultSchema },
    failureStatuses: [400, 404, 413],
    example: { path: { traceId: "71a81d73ce7902db83be4d12250bd874" } },
    failingExample: { status: 404, request: { path: { traceId: "1" } } },
  },
];
