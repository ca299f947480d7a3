import { spanKinds } from "wire/model";
import { z } from "zod";
import type { AnalysisService } from "../../service/analysis-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { spanFields, timeFields, timeRangeOf } from "./span-filter.ts";

// Without `service` the operations of all services are ranked.
const paramsSchema = z.strictObject({
  ...timeFields,
  service: spanFields.service,
  order: z
    .enum(["calls", "errors", "duration", "p95"])
    .default("duration")
    .describe("Highest first: number of calls, of errors, sum of durations, or 95th percentile."),
  limit: z.int().min(1).max(1_000).default(20).describe("Most operations in the answer."),
});

const readParams = paramsReader(paramsSchema);

// One row for each operation and kind: a server span and a client span with the same name are two rows.
const answerSchema = z
  .strictObject({
    operations: z.array(
      z.strictObject({
        service: z.string(),
        operation: z.string(),
        kind: z.enum(spanKinds),
        calls: z.int(),
        errors: z.int(),
        duration: microsSchema.describe("Microseconds, of all calls together."),
        median: microsSchema.describe("Microseconds; right within a tenth, as are the others."),
        p95: microsSchema,
        p99: microsSchema,
      }),
    ),
  })
  .meta({ id: "TopOperations" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const topOperationsOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/operations/top",
  id: "getTopOperations",
  summary: "Operations with the most calls, errors or time",
  description: "From counts by minute: whole minutes, those that the times touch.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { order: "errors", limit: "5" } },
  failingExample: { status: 400, request: { query: { order: "name" } } },
};

/**
 * `GET …/operations/top`: the operations with the most calls, errors or time. This is an API of our own.
 *
 * ```
 * GET …/operations/top?order=duration&limit=1
 * {"operations": [{"service": "shop", "operation": "GET /", "kind": "server", "calls": 2, "errors": 0,
 *                  "duration": 120000, "median": 21757.357, "p95": 94906.266, "p99": 94906.266}]}
 * ```
 *
 * Durations are microseconds, and quantiles come from buckets. Errors: 400 for a parameter, 501 from a store
 * without analysis.
 */
export function topOperationsEndpoint(analysis: AnalysisService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const { service = "", order, limit } = values;
    const range = timeRangeOf(values, Date.now(), limits);
    const found = await analysis.getTopOperations({ service, range, order, limit }, read);
    const answer: z.output<typeof answerSchema> = {
      operations: found.map((one) => ({
        service: one.service,
        operation: one.operation,
        kind: one.spanKind,
        calls: one.calls,
        errors: one.errors,
        duration: microsOf(one.durationNano),
        median: microsOf(one.medianNano),
        p95: microsOf(one.p95Nano),
        p99: microsOf(one.p99Nano),
      })),
    };
    return [JSON.stringify(answer)];
  };
}
