import type { PackedTrace, TraceQuery } from "storage/api";
import { nextTurn } from "storage/next-turn";
import { traceIdText } from "wire/api-v2";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import type { AdjustOptions } from "../../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../../service/query-service.ts";
import { checkLimits, checkSpans, type ReadLimits } from "../../service/read-limits.ts";
import { endOfLastMinuteMs, type ShownSpan, shownSpans } from "../../service/shown-spans.ts";
import { GroupPaths } from "../../service/span-groups.ts";
import { type DiffNode, type DiffSide, DiffTraces, diffTraces } from "../../service/trace-diff.ts";
import type { Endpoint, EndpointRequest } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema } from "./micros.ts";
import { paramsReader } from "./read-request.ts";
import { spanFilterOf, spanFilterParams, timeRangeOf } from "./span-filter.ts";
import { readTrace, traceIdSchema } from "./trace-id-part.ts";
import { queryField, tracesOfQuery } from "./traceql-filter.ts";

const paramsSchema = z.strictObject({
  a: traceIdSchema.describe("The trace that you wonder about: up to 32 hex digits."),
  b: traceIdSchema
    .optional()
    .describe("The trace that it is compared with; absent: the median of the traces that the filter finds."),
  ...spanFilterParams,
  start: spanFilterParams.start.describe("As in a search; an hour before `end` by default."),
  end: spanFilterParams.end.describe(
    "As in a search; by default the end of the minute in which the last span of `a` starts.",
  ),
  service: spanFilterParams.service.describe(
    "As in a search; by default, where no operation is named either, that of the root of `a`.",
  ),
  operation: spanFilterParams.operation.describe(
    "As in a search; by default, where no service is named either, that of the root of `a`.",
  ),
  q: queryField,
  limit: z
    .int()
    .min(1)
    .max(200)
    .default(50)
    .describe("Most traces of the median, the newest; `a` itself is left out."),
});

// Reads the URL parameters. A parameter that the schema lacks is refused with its name.
const readParams = paramsReader(paramsSchema);

// Spans of one node on one side. For several traces each figure is a median.
const side = z.strictObject({
  count: z.int().describe("Spans."),
  errors: z.int(),
  duration: microsSchema.describe("Of all of them together, microseconds."),
  selfTime: microsSchema.describe("What of that no child of theirs ran in."),
  spanIDs: z.array(z.string()).optional().describe("Of one trace."),
  traces: z.int().optional().describe("Of a median: traces that have such spans."),
});

// Totals of one side.
const totals = z.strictObject({
  traceID: z.string().optional().describe("Absent for a median."),
  traces: z.int().describe("1, or those of the median; 0 when the search found none."),
  spans: z.int(),
  duration: microsSchema,
});

const answerSchema = z
  .strictObject({
    a: totals,
    b: totals,
    nodes: z
      .array(
        z.strictObject({
          parent: z.int().nullable().describe("Index of the node above; null for a root."),
          service: z.string(),
          operation: z.string(),
          a: side.nullable().describe("null where this side has no such spans."),
          b: side.nullable(),
        }),
      )
      .describe(
        "Spans of the same service and operation, below the same node, are one node. Nodes above come before those below. " +
          "A median counts traces without such spans as 0.",
      ),
    ranked: z
      .array(z.int())
      .describe("Indexes of nodes, by the difference of their self times, largest first."),
  })
  .meta({ id: "TraceDiff" });

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const diffOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/diff",
  id: "diffTraces",
  summary: "A trace beside another, or beside the median of a search",
  query: paramsSchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 404, 413],
  example: { query: { a: "71a81d73ce7902db83be4d12250bd874", b: "beef" } },
  failingExample: { status: 404, request: { query: { a: "1" } } },
};

type Values = z.output<typeof paramsSchema>;

/**
 * The search for traces to compare `a` with: by the given conditions, or by the same root operation.
 */
// The root is the first span without a parent in the trace. If there is none, the trace's first span is used.
function searchOf(values: Values, spans: readonly ShownSpan[], limits: ReadLimits): TraceQuery {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const root = spans.find(({ parentSpanId }) => !ids.has(parentSpanId)) ?? spans[0];
  const isLikeRoot = values.service === undefined && values.operation === undefined && root !== undefined;
  const filter = isLikeRoot ? { ...values, service: root.service, operation: root.operation } : values;
  // One more than requested, because the result may contain `a` itself.
  return { ...spanFilterOf(filter, endOfLastMinuteMs(spans), limits), limit: values.limit + 1 };
}

/**
 * A request names either another trace or a search. Both together are refused with 400, because one would be ignored.
 * @throws QueryError QUERY_BAD_PARAMETER with the name of the first condition
 */
function refuseFilterBeside(b: string, values: Values): void {
  const { a: _a, b: _b, limit: _limit, ...filter } = values;
  const [name] = Object.entries(filter).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) {
    const message = `parameter '${name}' is of a search; 'b' names the trace ${JSON.stringify(b)}`;
    throw new QueryError("QUERY_BAD_PARAMETER", message, { parameter: name });
  }
}

/**
 * `GET …/diff`: compares the times of two traces. It works with every store that can search.
 *
 * The example compares the trace with `beef`. Without `b`, the median of similar traces is used.
 *
 * ```
 * GET …/diff?a=71a81d73ce7902db83be4d12250bd874&b=beef
 * {"a": {"traceID": "71a8…", "traces": 1, "spans": 3, "duration": 100000},
 *  "b": {"traceID": "000000000000beef", "traces": 1, "spans": 2, "duration": 20000},
 *  "nodes": [{"parent": null, "service": "shop", "operation": "GET /",
 *             "a": {"count": 1, "errors": 0, "duration": 100000, "selfTime": 20000, "spanIDs": ["…a1"]},
 *             "b": {"count": 1, "errors": 0, "duration": 20000, "selfTime": 15000, "spanIDs": ["…b1"]}},
 *            {"parent": 0, "service": "db", "operation": "SELECT", …}],
 *  "ranked": [1, 0]}
 * ```
 *
 * Errors: 400 for a condition beside `b`, 404 when the store lacks `a` or `b`, 413 past --query.max-spans.
 */
export function diffEndpoint(service: QueryService, adjust: AdjustOptions, limits: ReadLimits): Endpoint {
  // The traces of side `b`: the named trace, or the search results.
  const others = async (
    values: Values,
    { traceId, spans }: { readonly traceId: string; readonly spans: readonly ShownSpan[] },
    read: EndpointRequest["read"],
  ): Promise<PackedTrace[]> => {
    if (values.b !== undefined) {
      refuseFilterBeside(values.b, values);
      return [await readTrace(service, values.b, { parameter: "b", limits, read })];
    }
    const { q, limit, a: _a, b: _b, ...filter } = values;
    checkLimits({ limit }, { ...limits, maxRangeNano: undefined });
    const search = { range: timeRangeOf(values, endOfLastMinuteMs(spans), limits), limit: limit + 1, limits };
    const found =
      q === undefined
        ? await service.traces.findPackedTraces(searchOf(values, spans, limits), read)
        : await tracesOfQuery(service, q, { values: filter, bounds: search, read });
    // Checked before `a` and the surplus trace are removed, because all found traces are in memory.
    checkSpans(found, limits);
    return found.filter((other) => other.traceId !== traceId).slice(0, values.limit);
  };

  return async ({ params, read }) => {
    const values = readParams(params);
    const trace = await readTrace(service, values.a, { parameter: "a", limits, read });
    const spans = await shownSpans(trace, adjust);
    const traces = await others(values, { traceId: trace.traceId, spans }, read);
    const paths = new GroupPaths();
    const [a, b] = [new DiffTraces(paths), new DiffTraces(paths)];
    await a.add(spans);
    // Traces are removed from the list as they are added, so that each can be garbage-collected before the next is
    // unpacked.
    traces.reverse();
    for (let other = traces.pop(); other !== undefined; other = traces.pop()) {
      await nextTurn();
      await b.add(await shownSpans(other, adjust));
    }
    await nextTurn();
    const diff = diffTraces(paths, a, b);
    const total = ({ spans, durationNano }: typeof diff.a) => ({ spans, duration: microsOf(durationNano) });
    const answer: z.output<typeof answerSchema> = {
      a: { traceID: traceIdText(trace.traceId), traces: 1, ...total(diff.a) },
      b: {
        ...(values.b === undefined ? {} : { traceID: traceIdText(values.b.toLowerCase().padStart(32, "0")) }),
        traces: b.traces,
        ...total(diff.b),
      },
      nodes: diff.nodes.map(nodeJson),
      ranked: [...diff.ranked],
    };
    return [JSON.stringify(answer)];
  };
}

// A root has `null` as parent; JSON has no undefined.
function nodeJson({
  parent,
  service,
  operation,
  a,
  b,
}: DiffNode): z.output<typeof answerSchema>["nodes"][number] {
  return { parent: parent ?? null, service, operation, a: sideJson(a), b: sideJson(b) };
}

// Some fields exist only for one trace, others only for a median. See the schema `side`.
function sideJson(found: DiffSide | undefined): z.output<typeof side> | null {
  if (found === undefined) {
    return null;
  }
  const { count, errors, durationNano, selfNano, spanIds, traces } = found;
  return {
    count,
    errors,
    duration: microsOf(durationNano),
    selfTime: microsOf(selfNano),
    ...(spanIds === undefined ? {} : { spanIDs: [...spanIds] }),
    ...(traces === undefined ? {} : { traces }),
  };
}
