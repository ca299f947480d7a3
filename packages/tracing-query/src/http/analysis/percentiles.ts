import { traceIdText } from "wire/api-v2";
import { spanKinds } from "wire/model";
import { z } from "zod";
import { parseDurationNano } from "../../go-text/go-duration.ts";
import type { AdjustOptions } from "../../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import { endOfLastMinuteMs, type ShownSpan, shownSpans } from "../../service/shown-spans.ts";
import type { Endpoint } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema, timeMicrosOf, timeMicrosSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { duration, spanFields, timeFields, timeRangeOf } from "./span-filter.ts";
import { readTrace, traceIdPart } from "./trace-id-part.ts";

// The peers of a duration: spans of one service and operation, optionally of one kind.
const paramsSchema = z.strictObject({
  ...timeFields,
  service: spanFields.service.unwrap(),
  operation: spanFields.operation.unwrap(),
  kind: spanFields.kind,
  duration: duration.describe('How long the span lasts, with its unit: "1.5s", "200ms", "42us", "1024ns".'),
});

const readParams = paramsReader(paramsSchema);

const share = z.number().min(0).max(1).describe("Share of the peers that last no longer, 0 to 1.");

const answerSchema = z
  .strictObject({
    peers: z.int().describe("Spans of the same service, operation and kind that were looked at."),
    percentile: share
      .nullable()
      .describe("Share of the peers that last no longer, 0 to 1; null without peers."),
    median: microsSchema
      .nullable()
      .describe("Of the peers, microseconds; null without peers, as are the others."),
    p95: microsSchema.nullable(),
    p99: microsSchema.nullable(),
  })
  .meta({ id: "Percentile" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const percentileOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/percentiles",
  id: "getPercentile",
  summary: "Where a duration stands among those of an operation",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { service: "shop", operation: "GET /", duration: "1.5ms" } },
  failingExample: { status: 400, request: { query: { service: "shop" } } },
};

/**
 * `GET …/percentiles`: the rank of one duration among its peers. `peers` and `percentile` are exact, because the
 * store reads the spans. A store may estimate the other figures.
 *
 * ```
 * GET …/percentiles?service=db&operation=SELECT&duration=30ms
 * {"peers": 3, "percentile": 0.6666666666666666, "median": 30000, "p95": 50000, "p99": 50000}
 * ```
 *
 * Without peers all figures but `peers` are null. Errors: 400 for a missing service, operation or duration; 501
 * from a store without analysis.
 */
export function percentileEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readParams(params);
    const rank = await service.analysis.getDurationRank(
      {
        service: values.service,
        operation: values.operation,
        ...(values.kind === undefined ? {} : { spanKind: values.kind }),
        durationNano: parseDurationNano(values.duration),
        range: timeRangeOf(values, Date.now(), limits),
      },
      read,
    );
    const answer: z.output<typeof answerSchema> = {
      peers: rank?.peers ?? 0,
      percentile: rank?.percentile ?? null,
      median: rank === undefined ? null : microsOf(rank.medianNano),
      p95: rank === undefined ? null : microsOf(rank.p95Nano),
      p99: rank === undefined ? null : microsOf(rank.p99Nano),
    };
    return [JSON.stringify(answer)];
  };
}

/**
 * The store counts by minute. With an extra minute, spans that start soon after the trace are peers, even if the
 * trace's last span starts at the end of a minute.
 */
const minuteAfterMs = 60_000;

/** Maximum number of operations in one query. Further operations of a trace get null, like those without peers. */
const mostOperations = 10_000;

// Time range of the peers. The trace itself is read regardless of its time.
const traceParamsSchema = z.strictObject({
  start: timeFields.start.describe("Peers start at this time or later; an hour before `end` by default."),
  end: timeFields.end.describe(
    "Peers start before this time; by default the minute ends after that in which the trace's last span starts.",
  ),
});

const readTraceParams = paramsReader(traceParamsSchema);

const traceAnswerSchema = z
  .strictObject({
    traceID: z.string(),
    start: timeMicrosSchema.describe("When the peers start: from this time"),
    end: timeMicrosSchema.describe("to before this one, in whole minutes."),
    operations: z
      .array(
        z.strictObject({
          service: z.string(),
          operation: z.string(),
          kind: z.enum(spanKinds),
          peers: z.int(),
          median: microsSchema.nullable().describe("Microseconds, right within a tenth; null without peers."),
          p95: microsSchema.nullable(),
          p99: microsSchema.nullable(),
        }),
      )
      .describe("Those of the trace, each once."),
    spans: z
      .array(z.tuple([z.string(), z.int(), share.nullable()]))
      .describe("`[spanID, index in operations, percentile]`; null without peers."),
  })
  .meta({ id: "TracePercentiles" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const tracePercentilesOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/percentiles/:traceId",
  id: "getTracePercentiles",
  summary: "Where each span of a trace stands among its peers",
  description:
    "From counts by minute, with a query or two however many operations the trace has: durations are right within a tenth.",
  pathParts: traceIdPart,
  query: traceParamsSchema,
  answer: { contentType: "application/json", schema: traceAnswerSchema },
  failures: "problem",
  failureStatuses: [400, 404, 413, 501],
  example: { path: { traceId: "71a81d73ce7902db83be4d12250bd874" } },
  failingExample: { status: 404, request: { path: { traceId: "1" } } },
};

/**
 * `GET …/percentiles/{traceId}`: the rank of each span of a trace. The UI's waterfall shows the percentile beside
 * each span.
 *
 * ```
 * {"traceID": "71a8…", "start": 1795964160000000, "end": 1795967760000000,
 *  "operations": [{"service": "db", "operation": "SELECT", "kind": "client", "peers": 3,
 *                  "median": 29465.022, "p95": 47453.133, "p99": 47453.133}, …],
 *  "spans": [["00000000000000a2", 1, 0.6667], …]}
 * ```
 *
 * A span gives its operation by index, because many spans share one. Errors: 404 for an unknown trace, 413 past
 * --query.max-spans, 501 from a store without analysis.
 */
export function tracePercentilesEndpoint(
  service: QueryService,
  adjust: AdjustOptions,
  limits: ReadLimits,
): Endpoint {
  return async ({ params, pathPart, read }) => {
    const values = readTraceParams(params);
    const trace = await readTrace(service, pathPart("traceId"), { parameter: "traceId", limits, read });
    const spans = await shownSpans(trace, adjust);
    const range = timeRangeOf(values, endOfLastMinuteMs(spans) + minuteAfterMs, limits);
    // The query has one entry for each operation, because a large trace has far fewer operations than spans.
    const indexes = operationIndexes(spans);
    const operations = indexes.operations.map(({ first, durationsNano }) => ({
      service: first.service,
      operation: first.operation,
      spanKind: first.spanKind,
      durationsNano,
    }));
    const asked = operations.slice(0, mostOperations);
    const ranks = await service.analysis.getDurationRanks({ operations: asked, range }, read);
    const answer: z.output<typeof traceAnswerSchema> = {
      traceID: traceIdText(trace.traceId),
      start: timeMicrosOf(range.startUnixNano),
      // Internal ranges include their last nanosecond; the answer's `end` is exclusive.
      end: timeMicrosOf(range.endUnixNano + 1n),
      operations: operations.map((one, index) => {
        const rank = ranks[index];
        return {
          service: one.service,
          operation: one.operation,
          kind: one.spanKind,
          peers: rank?.peers ?? 0,
          median: rank === undefined ? null : microsOf(rank.medianNano),
          p95: rank === undefined ? null : microsOf(rank.p95Nano),
          p99: rank === undefined ? null : microsOf(rank.p99Nano),
        };
      }),
      spans: spans.map(({ spanId }, index) => {
        const [operation, place] = indexes.ofSpans[index] ?? [0, 0];
        const percentile = ranks[operation]?.percentiles[place];
        return [spanId, operation, percentile === undefined ? null : Math.round(percentile * 1e4) / 1e4];
      }),
    };
    return [JSON.stringify(answer)];
  };
}

/** Indexes of spans, grouped by operation. */
interface OperationIndexes {
  /** Distinct operations, each with its first span and the durations of all its spans. */
  readonly operations: { readonly first: ShownSpan; readonly durationsNano: bigint[] }[];
  /** For each span: the index of its operation, and the index of its duration in `durationsNano`. */
  readonly ofSpans: [operation: number, place: number][];
}

/** Groups spans by service, operation and kind. `JSON.stringify` creates a key without ambiguity. */
function operationIndexes(spans: readonly ShownSpan[]): OperationIndexes {
  const known = new Map<string, number>();
  const operations: OperationIndexes["operations"] = [];
  const ofSpans = spans.map((span): [number, number] => {
    const key = JSON.stringify([span.service, span.operation, span.spanKind]);
    let index = known.get(key);
    if (index === undefined) {
      index = operations.length;
      known.set(key, index);
      operations.push({ first: span, durationsNano: [] });
    }
    const place = operations[index]?.durationsNano.push(span.durationNano) ?? 1;
    return [index, place - 1];
  });
  return { operations, ofSpans };
}
