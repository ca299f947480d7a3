import { spanKinds } from "wire/model";
import { z } from "zod";
import { envelopeSchema } from "./envelope-schema.ts";
import type { OperationDescription } from "./openapi/operation.ts";
import { ratesOperation } from "./rates-endpoint.ts";
import { metricNamings } from "./span-metrics-endpoint.ts";

// Jaeger's `MetricFamily`, as its UI reads it: one metric for each service or operation, with points over time.
const familySchema = z
  .strictObject({
    name: z.string(),
    type: z.literal("GAUGE"),
    help: z.string(),
    metrics: z.array(
      z.strictObject({
        labels: z.array(z.strictObject({ name: z.string(), value: z.string() })),
        metricPoints: z.array(
          z.strictObject({
            gaugeValue: z.strictObject({
              doubleValue: z.union([z.number(), z.enum(["NaN", "Infinity", "-Infinity"])]),
            }),
            timestamp: z.string().describe("RFC 3339."),
          }),
        ),
      }),
    ),
  })
  .meta({ id: "MetricFamily" });

// Parameters of Jaeger's metrics endpoints. Times are in milliseconds.
const params = {
  service: z.array(z.string()).describe("At least one."),
  spanKind: z.array(z.enum(spanKinds)).optional().describe("`server` by default."),
  groupByOperation: z.boolean().optional(),
  endTs: z.int().optional().describe("End, milliseconds since the Unix epoch; now by default."),
  lookback: z.int().optional().describe("So many milliseconds before it; an hour by default."),
  step: z.int().optional().describe("Milliseconds between points; 5,000 by default."),
  ratePer: z.int().optional().describe("Milliseconds that a point looks back; 600,000 by default."),
};

// Fields that three endpoints share.
const shared = {
  method: "GET",
  answer: { contentType: "application/json", schema: familySchema },
  failures: "envelope",
  failureStatuses: [400, 501],
} as const;

// Parameters of the examples.
const query = { service: "shop", step: "60000" };

/** Descriptions of the endpoints in `metrics-endpoints.ts` and `span-metrics-endpoint.ts`. */
export const metricsOperations: readonly OperationDescription[] = [
  {
    ...shared,
    path: "/api/metrics/latencies",
    id: "getLatencies",
    summary: "A quantile of durations over time, in milliseconds",
    query: z.object({ quantile: z.number().min(0).max(1), ...params }),
    example: { query: { ...query, quantile: "0.95" } },
    failingExample: { status: 400, request: { query } },
  },
  {
    ...shared,
    path: "/api/metrics/calls",
    id: "getCallRates",
    summary: "Calls a second over time",
    query: z.object(params),
    example: { query: { ...query, groupByOperation: "true" } },
    failingExample: { status: 400, request: {} },
  },
  {
    ...shared,
    path: "/api/metrics/errors",
    id: "getErrorRates",
    summary: "Shares of calls that failed, over time",
    query: z.object(params),
    example: { query },
    failingExample: { status: 400, request: { query: { ...query, step: "long" } } },
  },
  {
    ...shared,
    path: "/api/metrics/minstep",
    id: "getMinStep",
    summary: "The least step between points, in milliseconds",
    answer: { contentType: "application/json", schema: envelopeSchema(z.int()).meta({ id: "MinStep" }) },
    failureStatuses: [501],
    example: {},
  },
  ratesOperation,
  {
    method: "GET",
    path: "/api/metrics/prometheus",
    id: "getSpanMetrics",
    summary: "Counters of all spans, and of calls between services, for Prometheus to scrape",
    query: z.object({
      names: z
        .array(z.enum(metricNamings))
        .optional()
        .describe(
          "Those of OpenTelemetry's span metrics connector (by default), of Tempo's metrics-generator, or both.",
        ),
    }),
    answer: { contentType: "text/plain; version=0.0.4; charset=utf-8" },
    failures: "text",
    failureStatuses: [400, 413, 501],
    example: { query: { names: ["otel", "tempo"] } },
    failingExample: { status: 400, request: { query: { names: "jaeger" } } },
  },
];
