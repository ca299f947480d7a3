import { type AdjustedFigures, type RankedRatesQuery, type RateFigures, rateOrders } from "storage/api";
import { spanKinds } from "wire/model";
import { z } from "zod";
import type { QueryService } from "../service/query-service.ts";
import { adjustedFields, adjustedFieldsOf, adjustedParam, roundedCount } from "./adjusted-json.ts";
import { paramsReader } from "./analysis/read-request.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OperationDescription } from "./openapi/operation.ts";

// Stores count spans by minute, so all times of a request are rounded to minutes.
const minuteMs = 60_000;
const text = z.string().max(4_096);
/** Milliseconds since the epoch, within the range of `Date`. */
const time = z.int().min(0).max(8_640_000_000_000_000);

// Times are in milliseconds, as in Jaeger's other metrics endpoints.
const paramsSchema = z.strictObject({
  service: text
    .optional()
    .describe("Ranks the operations of this service; services are ranked when it is absent."),
  name: z.array(text).max(200).optional().describe("Only these names."),
  contains: text.default("").describe("Only names with this part, in upper or lower case."),
  spanKind: z.array(z.enum(spanKinds)).optional().describe("Kinds of spans that count; `server` by default."),
  endTs: time
    .optional()
    .describe("End, milliseconds since the Unix epoch, in whole minutes; now by default."),
  lookback: time.default(3_600_000).describe("Milliseconds before the end, in whole minutes."),
  step: time.default(300_000).describe("Milliseconds of a step of the curves, in whole minutes."),
  order: z
    .enum(rateOrders)
    .default("calls")
    .describe("Names from a to z; or most calls, largest share of errors, longest durations first."),
  limit: z.int().min(1).max(200).default(50).describe("Most names in the answer."),
  adjusted: adjustedParam,
  offset: z.int().min(0).max(1_000_000).default(0).describe("Names before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

// Figures of one name over the whole time range.
const figures = {
  calls: z.number().describe("Spans that count."),
  errors: z.number().describe("Of them, those that failed."),
  p50: z
    .number()
    .describe(
      "Half of the calls take no longer, microseconds; right within a tenth, never above the longest.",
    ),
  p95: z.number(),
  p99: z.number(),
};

// The same figures for each step.
const curveSchema = z
  .array(z.tuple([z.int(), z.number(), z.number(), z.number(), z.number(), z.number()]))
  .describe("`[step, calls, errors, p50, p95, p99]`; steps without calls are left out.");

const answerSchema = z
  .strictObject({
    total: z
      .int()
      .describe("Names that match, on all pages. Names without calls in the time are not counted."),
    start: z.int().describe("Milliseconds since the Unix epoch: where the first step begins."),
    step: z.int().describe("Milliseconds of a step."),
    steps: z.int().describe("Number of steps."),
    names: z.array(
      z.strictObject({
        name: z.string(),
        ...figures,
        curve: curveSchema,
        adjusted: z
          .strictObject({ ...figures, ...adjustedFields, curve: curveSchema })
          .optional()
          .describe(
            "The same of what sampled spans stand for; with `adjusted=true`, from stores that know it.",
          ),
      }),
    ),
  })
  .meta({ id: "RankedRates" });

type Answer = z.output<typeof answerSchema>;

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const ratesOperation: OperationDescription = {
  method: "GET",
  path: "/api/metrics/rates",
  id: "getRankedRates",
  summary: "Services, or operations of one, ranked by how they are called, in pages",
  description:
    "The answer does not grow with the number of services: ranking, filtering and paging are the store's work.",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "envelope",
  failureStatuses: [400, 501],
  example: { query: { order: "errors", limit: "5" } },
  failingExample: { status: 400, request: { query: { order: "size" } } },
};

/**
 * `GET /api/metrics/rates`: services, or operations of one service, ranked by calls, errors or durations. This is an
 * API of our own, because the answers of Jaeger's endpoints grow with the number of services.
 *
 * ```
 * GET /api/metrics/rates?order=errors&limit=5
 * {"total": 1, "start": 1795965840000, "step": 300000, "steps": 12,
 *  "names": [{"name": "shop", "calls": 2, "errors": 0, "p50": 21757.357, "p95": 94906.266, "p99": 94906.266,
 *             "curve": [[6, 2, 0, 21757.357, 94906.266, 94906.266]]}]}
 * ```
 *
 * Errors: 400 in the envelope of `/api`, 501 from a store without metrics, 500 when Prometheus fails.
 */
export function ratesEndpoint(service: QueryService): Endpoint {
  return async ({ params, read }) => {
    const query = queryOf(readParams(params), Date.now());
    const { matched, names } = await service.getRankedRates(query, read);
    const answer: Answer = {
      total: matched,
      start: query.startUnixMs,
      step: query.stepMs,
      steps: Math.ceil((query.endUnixMs - query.startUnixMs) / query.stepMs),
      names: names.map(({ name, whole, steps }) => ({
        name,
        ...shown(whole),
        curve: curveOf(steps),
        ...(whole.adjusted === undefined ? {} : { adjusted: adjustedOf(whole.adjusted, steps) }),
      })),
    };
    return [JSON.stringify(answer)];
  };
}

/** Steps with calls as `[step, calls, errors, p50, p95, p99]`. Steps without calls are missing. */
function curveOf(
  steps: readonly (Omit<RateFigures, "adjusted"> | undefined)[],
): z.output<typeof curveSchema> {
  return steps.flatMap((step, index): z.output<typeof curveSchema> => {
    if (step === undefined) {
      return [];
    }
    const { calls, errors, p50, p95, p99 } = shown(step);
    return [[index, calls, errors, p50, p95, p99]];
  });
}

/** The figures that sampled spans represent: a span with the sampling probability 0.1 counts ten times. */
function adjustedOf(figuresOfAll: AdjustedFigures, steps: readonly (RateFigures | undefined)[]) {
  // Estimates are fractions, and are rounded to a thousandth.
  const rounded = (one: AdjustedFigures) => ({
    ...one,
    calls: roundedCount(one.calls),
    errors: roundedCount(one.errors),
  });
  return {
    ...shown(rounded(figuresOfAll)),
    ...adjustedFieldsOf(figuresOfAll),
    curve: curveOf(steps.map((step) => (step?.adjusted === undefined ? undefined : rounded(step.adjusted)))),
  };
}

/**
 * Converts the parameters to the query for the store. `end` is rounded down and `lookback` up to whole minutes, each to
 * at least one minute.
 */
function queryOf(values: z.output<typeof paramsSchema>, nowMs: number): RankedRatesQuery {
  const { service, name, contains, spanKind, endTs = nowMs, lookback, step, order, limit, offset } = values;
  const adjusted = values.adjusted === "true";
  const endUnixMs = Math.max(minuteMs, Math.floor(endTs / minuteMs) * minuteMs);
  const lookbackMs = Math.max(minuteMs, Math.ceil(lookback / minuteMs) * minuteMs);
  return {
    ...{ service, only: name, contains, order, limit, offset, adjusted },
    spanKinds: spanKind ?? ["server"],
    startUnixMs: Math.max(0, endUnixMs - lookbackMs),
    endUnixMs,
    stepMs: Math.max(minuteMs, Math.ceil(step / minuteMs) * minuteMs),
  };
}

/** Figures in the units of the answer: counts to a thousandth, durations in microseconds. */
function shown({ calls, errors, p50Ms, p95Ms, p99Ms }: Omit<RateFigures, "adjusted">) {
  const micros = (ms: number) => Math.round(ms * 1e6) / 1_000;
  return {
    calls: roundedCount(calls),
    errors: roundedCount(errors),
    p50: micros(p50Ms),
    p95: micros(p95Ms),
    p99: micros(p99Ms),
  };
}
