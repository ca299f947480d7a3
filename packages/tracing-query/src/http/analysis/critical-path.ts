import { criticalPath, criticalPathSums, type PackedTrace, type Trace } from "storage/api";
import { traceIdText } from "wire/api-v2";
import { z } from "zod";
import type { AdjustOptions } from "../../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../../service/read-limits.ts";
import { type ShownSpan, shownSpans } from "../../service/shown-spans.ts";
import { spansOf } from "../../service/spans-of.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema, timeMicrosOf, timeMicrosSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { spanFilterOf, spanFilterParams, timeRangeOf } from "./span-filter.ts";
import { readTrace, traceIdPart } from "./trace-id-part.ts";
import { queryField, tracesOfQuery } from "./traceql-filter.ts";

// The endpoint of one trace takes no parameters; a filter there gets 400 instead of being ignored.
const readNothing = paramsReader(z.strictObject({}));

const traceAnswerSchema = z
  .strictObject({
    traceID: z.string(),
    start: timeMicrosSchema.describe("When the path begins."),
    duration: microsSchema.describe("Of the whole path, microseconds."),
    spans: z
      .array(
        z.strictObject({
          spanID: z.string(),
          service: z.string(),
          operation: z.string(),
          selfTime: microsSchema.describe("Time that the trace waited for this span itself."),
        }),
      )
      .describe("Those on the path, by self time, longest first."),
    sections: z
      .array(z.tuple([z.int(), z.number(), z.number()]))
      .describe(
        "`[index in spans, microseconds since start, duration]`, earliest first, without gaps or overlaps.",
      ),
  })
  .meta({ id: "CriticalPath" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const traceCriticalPathOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/critical-path/:traceId",
  id: "getTraceCriticalPath",
  summary: "What a trace waited for",
  description:
    "At each moment the span that ended last, and its parent where no child ran; of the trace's first root.",
  pathParts: traceIdPart,
  answer: { contentType: "application/json", schema: traceAnswerSchema },
  failures: "problem",
  failureStatuses: [400, 404, 413],
  example: { path: { traceId: "71a81d73ce7902db83be4d12250bd874" } },
  failingExample: { status: 404, request: { path: { traceId: "1" } } },
};

/**
 * `GET …/critical-path/{traceId}`: the spans that one trace waited for, section by section. It works with every store,
 * because it needs no analysis. Jaeger's UI computes the same path in the browser.
 *
 * ```
 * GET …/critical-path/71a81d73ce7902db83be4d12250bd874
 * {"traceID": "71a8…", "start": 1795967689000000, "duration": 100000,
 *  "spans": [{"spanID": "…a3", "service": "db", "operation": "SELECT", "selfTime": 50000},
 *            {"spanID": "…a2", "service": "db", "operation": "SELECT", "selfTime": 30000},
 *            {"spanID": "…a1", "service": "shop", "operation": "GET /", "selfTime": 20000}],
 *  "sections": [[2, 0, 10000], [1, 10000, 30000], [0, 40000, 50000], [2, 90000, 10000]]}
 * ```
 *
 * Errors: 400 for any parameter, 404 for an unknown trace, 413 past --query.max-spans.
 */
export function traceCriticalPathEndpoint(
  service: QueryService,
  adjust: AdjustOptions,
  limits: ReadLimits,
): Endpoint {
  return async ({ params, pathPart, read }) => {
    readNothing(params);
    const trace = await readTrace(service, pathPart("traceId"), { parameter: "traceId", limits, read });
    // The path is computed from its end to its start, but the answer starts with the first section.
    const sections = (await criticalPath(await shownSpans(trace, adjust))).reverse();
    const startNano = sections[0]?.startUnixNano ?? trace.spans.at(0)?.startTimeUnixNano ?? 0n;
    const selfNano = new Map<ShownSpan, bigint>();
    let durationNano = 0n;
    for (const { span, startUnixNano, endUnixNano } of sections) {
      selfNano.set(span, (selfNano.get(span) ?? 0n) + endUnixNano - startUnixNano);
      durationNano += endUnixNano - startUnixNano;
    }
    const spans = [...selfNano].sort(([, one], [, other]) => (one === other ? 0 : one > other ? -1 : 1));
    const indexOf = new Map(spans.map(([span], index) => [span, index]));
    const answer: z.output<typeof traceAnswerSchema> = {
      traceID: traceIdText(trace.traceId),
      start: timeMicrosOf(startNano),
      duration: microsOf(durationNano),
      spans: spans.map(([{ spanId, service: name, operation }, nano]) => ({
        ...{ spanID: spanId, service: name, operation, selfTime: microsOf(nano) },
      })),
      sections: sections.map(({ span, startUnixNano, endUnixNano }) => [
        indexOf.get(span) ?? 0,
        microsOf(startUnixNano - startNano),
        microsOf(endUnixNano - startUnixNano),
      ]),
    };
    return [JSON.stringify(answer)];
  };
}

const paramsSchema = z.strictObject({
  ...spanFilterParams,
  q: queryField,
  limit: z.int().min(1).max(200).default(100).describe("Most traces looked at, the newest."),
});

const readParams = paramsReader(paramsSchema);

const answerSchema = z
  .strictObject({
    traces: z.int().describe("Traces looked at."),
    duration: microsSchema.describe("Of all critical paths together, microseconds."),
    operations: z
      .array(
        z.strictObject({
          service: z.string(),
          operation: z.string(),
          duration: microsSchema.describe("Microseconds that traces waited for it."),
          traces: z.int().describe("Traces whose critical path it lies on."),
        }),
      )
      .describe("Longest first."),
  })
  .meta({ id: "CriticalPathSums" });

/** Describes the sums for the OpenAPI document. The examples here run as tests against a store. */
export const criticalPathOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/critical-path",
  id: "getCriticalPath",
  summary: "What the traces of a search waited for, by operation",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { service: "shop", limit: "50" } },
  failingExample: { status: 400, request: { query: { limit: "1000" } } },
};

/** Unpacks one trace at a time, so that memory holds the objects of only one trace. */
function* wholeTraces(traces: readonly PackedTrace[]): Generator<Trace> {
  for (const { traceId, spans } of traces) {
    yield { traceId, spans: [...spansOf(spans)] };
  }
}

/**
 * `GET …/critical-path`: the critical paths of all traces that a search finds, summed by operation.
 *
 * ```
 * GET …/critical-path?service=shop
 * {"traces": 2, "duration": 120000,
 *  "operations": [{"service": "db", "operation": "SELECT", "duration": 85000, "traces": 2},
 *                 {"service": "shop", "operation": "GET /", "duration": 35000, "traces": 2}]}
 * ```
 *
 * With a plain filter the store computes the sums, and this process reads no trace. With `q` this process reads the
 * traces. Errors: 400 past --query.max-traces, 413 past --query.max-spans with `q`, 501 from a store without analysis.
 */
export function criticalPathEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const { q, limit, ...values } = readParams(params);
    checkLimits({ limit }, { ...limits, maxRangeNano: undefined });
    const nowMs = Date.now();
    const search = { range: timeRangeOf(values, nowMs, limits), limit, limits };
    const sums =
      q === undefined
        ? await service.analysis.getCriticalPath({ ...spanFilterOf(values, nowMs, limits), limit }, read)
        : await criticalPathSums(
            wholeTraces(await tracesOfQuery(service, q, { values, bounds: search, read })),
          );
    const answer: z.output<typeof answerSchema> = {
      traces: sums.traces,
      duration: microsOf(sums.durationNano),
      operations: sums.operations.map((one) => ({
        service: one.service,
        operation: one.operation,
        duration: microsOf(one.durationNano),
        traces: one.traces,
      })),
    };
    return [JSON.stringify(answer)];
  };
}
