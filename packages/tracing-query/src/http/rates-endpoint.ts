import { type RankedRatesQuery, type RateFigures, rateOrders } from "storage/api";
import { spanKinds } from "wire/model";
import { z } from "zod";
import type { QueryService } from "../service/query-service.ts";
import { paramsReader } from "./analysis/read-request.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OperationDescription } from "./openapi/operation.ts";

const minuteMs = 60_000;
const text = z.string().max(4_096);
/** Milliseconds since the epoch that a `Date` can hold. */
const time = z.int().min(0).max(8_640_000_000_000_000);

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
  offset: z.int().min(0).max(1_000_000).default(0).describe("Names before those of the answer."),
});

const readParams = paramsReader(paramsSchema);

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
        curve: z
          .array(z.tuple([z.int(), z.number(), z.number(), z.number(), z.number(), z.number()]))
          .describe("`[step, calls, errors, p50, p95, p99]`; steps without calls are left out."),
      }),
    ),
  })
  .meta({ id: "RankedRates" });

type Answer = z.output<typeof answerSchema>;

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

/** `GET /api/metrics/rates` */
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
        curve: steps.flatMap((step, index): Answer["names"][number]["curve"] => {
          if (step === undefined) {
            return [];
          }
          const { calls, errors, p50, p95, p99 } = shown(step);
          return [[index, calls, errors, p50, p95, p99]];
        }),
      })),
    };
    return [JSON.stringify(answer)];
  };
}

function queryOf(values: z.output<typeof paramsSchema>, nowMs: number): RankedRatesQuery {
  const { service, name, contains, spanKind, endTs = nowMs, lookback, step, order, limit, offset } = values;
  const endUnixMs = Math.max(minuteMs, Math.floor(endTs / minuteMs) * minuteMs);
  const lookbackMs = Math.max(minuteMs, Math.ceil(lookback / minuteMs) * minuteMs);
  return {
    ...{ service, only: name, contains, order, limit, offset },
    spanKinds: spanKind ?? ["server"],
    startUnixMs: Math.max(0, endUnixMs - lookbackMs),
    endUnixMs,
    stepMs: Math.max(minuteMs, Math.ceil(step / minuteMs) * minuteMs),
  };
}

function shown({ calls, errors, p50Ms, p95Ms, p99Ms }: RateFigures) {
  const micros = (ms: number) => Math.round(ms * 1e6) / 1_000;
  return { calls, errors, p50: micros(p50Ms), p95: micros(p95Ms), p99: micros(p99Ms) };
}
