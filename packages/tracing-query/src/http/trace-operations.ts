import { z } from "zod";
import type { OperationDescription } from "./openapi/operation.ts";
import { tracesEnvelopeSchema } from "./trace-json-schema.ts";

// Leading zeros may be missing, because Jaeger's clients send ids of 64 bits.
const traceIdPart = z.strictObject({ traceId: z.string().describe("Up to 32 hex digits.") });

// The trace of the examples, which is in the tests' store.
const sampleTraceId = "71a81d73ce7902db83be4d12250bd874";

// The form of all three endpoints that return traces.
const traces = { contentType: "application/json", schema: tracesEnvelopeSchema } as const;

/** Descriptions of the endpoints in `trace-endpoints.ts` and `transform-endpoint.ts`. */
export const traceOperations: readonly OperationDescription[] = [
  {
    method: "GET",
    path: "/api/traces",
    id: "findTraces",
    summary: "A search, or traces by id",
    description:
      "With `traceID` everything else is ignored, and traces that are not there are listed in `errors`.",
    query: z.object({
      service: z.string().optional().describe("Required, but for traces by id."),
      operation: z.string().optional(),
      start: z.int().optional().describe("Microseconds since the Unix epoch; 48 hours ago by default."),
      end: z.int().optional().describe("Microseconds since the Unix epoch; now by default."),
      tag: z.array(z.string()).optional().describe("`key:value`; several times."),
      tags: z.array(z.string()).optional().describe('JSON: `{"key":"value"}`; several times.'),
      minDuration: z.string().optional().describe('With its unit: "1.5s", "200ms", "42us".'),
      maxDuration: z.string().optional(),
      limit: z.int().optional().describe("Most traces; 100 by default."),
      traceID: z.array(z.string()).optional().describe("A trace's id; several times."),
    }),
    answer: traces,
    failures: "envelope",
    failureStatuses: [400, 413],
    example: { query: { service: "shop", tag: ["region:west"], limit: "20" } },
    failingExample: { status: 400, request: { query: { limit: "5" } } },
  },
  {
    method: "GET",
    path: "/api/traces/:traceId",
    id: "getTrace",
    summary: "A trace",
    pathParts: traceIdPart,
    query: z.object({
      raw: z.boolean().optional().describe("As it was sent, otherwise fit to be looked at."),
    }),
    answer: traces,
    failures: "envelope",
    failureStatuses: [400, 404, 413],
    example: { path: { traceId: sampleTraceId } },
    failingExample: { status: 404, request: { path: { traceId: "1" } } },
  },
  {
    method: "POST",
    path: "/api/archive/:traceId",
    id: "archiveTrace",
    summary: "Keeps a trace, whatever retention removes",
    pathParts: traceIdPart,
    answer: {
      contentType: "application/json",
      schema: z
        .strictObject({
          data: z.array(z.never()),
          total: z.literal(0),
          limit: z.literal(0),
          offset: z.literal(0),
          errors: z.array(z.never()),
        })
        .meta({ id: "Archived" }),
    },
    failures: "envelope",
    failureStatuses: [400, 404, 500],
    example: { path: { traceId: sampleTraceId } },
    failingExample: { status: 404, request: { path: { traceId: "1" } } },
  },
  {
    method: "POST",
    path: "/api/transform",
    id: "transformTraces",
    summary: "OTLP JSON, or a file of Tempo, Grafana or Zipkin, as this API's; nothing is stored",
    body: z.looseObject({ resourceSpans: z.array(z.looseObject({})) }).meta({ id: "OtlpTraces" }),
    answer: traces,
    failures: "envelope",
    failureStatuses: [400, 413],
    example: {
      body: {
        resourceSpans: [
          {
            resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: sampleTraceId,
                    spanId: "d8b7eb2154448f9d",
                    name: "GET /",
                    startTimeUnixNano: "1784721600000000000",
                    endTimeUnixNano: "1784721600001500000",
                  },
                ],
              },
            ],
          },
        ],
      },
    },
    failingExample: { status: 400, request: { body: [] } },
  },
];
