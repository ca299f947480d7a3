import {
  type ComparedAttribute,
  explainedShare,
  nextTurn,
  type Population,
  type PopulationComparison,
  type PopulationSums,
  quantileNano,
  type SpanSelection,
} from "storage/api";
import { spanKinds } from "wire/model";
import { z } from "zod";
import type { AdjustOptions } from "../../service/adjusters/adjust-trace.ts";
import { type CallSums, DownstreamCalls } from "../../service/downstream-calls.ts";
import type { QueryService } from "../../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../../service/read-limits.ts";
import { shownSpans } from "../../service/shown-spans.ts";
import { durationDiffers, shareDiffers } from "../../service/significance.ts";
import type { Endpoint, EndpointRequest } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { microsOf, microsSchema } from "./micros.ts";
import { readJson } from "./read-request.ts";
import { type SpanFilterValues, spanFilterOf, spanFilterSchema } from "./span-filter.ts";
import { besideField, besideQuery } from "./traceql-filter.ts";

// Maximum number of bytes of the request body: 1 MiB. A longer body gets 413 with `maxLength` and this number.
const maxBodyBytes = 1_048_576;

/** Maximum number of spans per side that are searched for calls. The first trace above it ends the search. */
const mostCallSpans = 200_000;

// One side of the comparison: a filter as the search takes it, and TraceQL beside it.
const sideSchema = spanFilterSchema.extend({ q: besideField }).meta({ id: "ComparedSpans" });

const bodySchema = z
  .strictObject({
    a: sideSchema.describe("The spans that you wonder about."),
    b: sideSchema.describe("What they are compared with; spans of `a` are left out."),
    limit: z.int().min(1).max(200).default(50).describe("Most operations, attributes and calls each."),
    maxSpans: z
      .int()
      .min(1)
      .max(200_000)
      .default(20_000)
      .describe("Most spans of a side whose attributes are read, from many parts of its time."),
    traces: z
      .int()
      .min(0)
      .max(200)
      .default(50)
      .describe("Most traces of a side whose calls are looked at: the newest. None with `q`."),
  })
  .meta({ id: "ChangesRequest" });

// Statistical significance. `null` means that too few spans were seen for a result, not that nothing changed.
const significant = z
  .boolean()
  .nullable()
  .describe(
    "Whether it is more than chance (1 in 1,000), as though spans were independent; null with too few spans to say.",
  );

// Counts and the mean of one group of spans.
const sums = {
  spans: z.int(),
  errors: z.int(),
  mean: microsSchema.describe("Duration of a span on average, microseconds."),
};

// Counts and quantiles of all spans of a side, or of one operation on that side.
const population = z.strictObject({
  ...sums,
  p50: microsSchema.describe("Half of the spans take no longer; right within a tenth, as are the others."),
  p95: microsSchema,
  p99: microsSchema,
  longest: microsSchema,
});

// The part of a side whose attributes were read. It is smaller than the side if the side has more than `maxSpans`.
const sample = z.strictObject({
  ...sums,
  isEstimate: z
    .boolean()
    .describe("Whether these are some of the side's spans, and shares therefore estimates."),
});

// Calls of one operation by the side's spans. `null` in a row means that this side has none.
const call = z.strictObject({
  calls: z.int(),
  errors: z.int(),
  perTrace: z.number().describe("Calls of a trace on average."),
  mean: microsSchema,
  timePerTrace: microsSchema.describe("Duration of all calls of a trace, on average."),
});

const answerSchema = z
  .strictObject({
    a: population,
    b: population,
    isSlower: significant.describe(
      "Whether durations of `a` and `b` differ by more than chance; null with too few spans.",
    ),
    failsMore: significant.describe("The same for shares of errors."),
    durations: z
      .array(z.tuple([z.int(), z.int(), z.int()]))
      .describe(
        "`[n, spans of a, spans of b]`: durations from 2^(n/4) ns to before 2^((n+1)/4) ns. All spans count.",
      ),
    operations: z
      .array(
        z.strictObject({
          ...{ service: z.string(), operation: z.string(), kind: z.enum(spanKinds) },
          ...{ a: population, b: population },
          change: microsSchema.describe(
            "Time that it takes of each span of its side, `a` less `b`: these sum up to the difference of the means.",
          ),
          isSlower: significant,
          failsMore: significant,
        }),
      )
      .describe("All spans count. By `change`, largest first."),
    sample: z.strictObject({ a: sample, b: sample }).describe("The spans whose attributes were read."),
    attributes: z
      .array(
        z.strictObject({
          place: z.enum(["span", "resource"]),
          key: z.string(),
          value: z.string(),
          a: z.strictObject(sums),
          b: z.strictObject(sums),
          explains: z
            .number()
            .describe(
              "Share of the difference of the means, 0 to 1, that is gone without these spans; 0 with too few.",
            ),
          isSignificant: significant.describe("Whether shares of both samples differ by more than chance."),
        }),
      )
      .describe("Values that tell most first: by difference of shares, or by what they explain."),
    calls: z
      .strictObject({
        ...{ tracesA: z.int(), tracesB: z.int() },
        rows: z.array(
          z.strictObject({
            ...{ service: z.string(), operation: z.string(), kind: z.enum(spanKinds) },
            ...{ a: call.nullable(), b: call.nullable() },
          }),
        ),
      })
      .nullable()
      .describe(
        "Calls that the spans make to others, in the newest traces of each side, largest change of time first.",
      ),
  })
  .meta({ id: "Changes" });

type Answer = z.output<typeof answerSchema>;

/** Describes the endpoint for the OpenAPI document. The examples here run as tests against a store. */
export const changesOperation: OperationDescription = {
  method: "POST",
  path: "/api/analysis/v1/changes",
  id: "compareSpans",
  summary: "What is slower, or fails more, than before, and why",
  description:
    "Two times, two versions, or any two conditions side by side. Counts and durations are of all spans, attributes of a " +
    "sample, calls of some traces.",
  body: bodySchema,
  answer: { contentType: "application/json", schema: answerSchema },
  failures: "problem",
  failureStatuses: [400, 413, 501],
  example: {
    body: {
      a: { service: "shop", tags: { "service.version": "2.0" } },
      b: { service: "shop", tags: { "service.version": "1.9" } },
      limit: 5,
    },
  },
  failingExample: { status: 400, request: { body: { a: {} } } },
};

// A parsed side: the conditions of the filter and, under `q`, the text of a query.
type SideValues = SpanFilterValues & { readonly q?: string | undefined };

/**
 * `POST …/changes`: two groups of spans side by side. It is an API of our own; Jaeger has no such endpoint.
 *
 * The body names the sides. A side takes the conditions of a search, without a limit.
 *
 * ```
 * {"a": {"service": "shop", "tags": {"service.version": "2.0"}},
 *  "b": {"service": "shop", "tags": {"service.version": "1.9"}}, "limit": 5}
 * ```
 *
 * The answer has five parts, which count different spans:
 *
 * - `a`, `b`, `isSlower`, `failsMore`, `durations`: all spans of the sides
 * - `operations`: all spans, by service, operation and kind
 * - `sample`: the spans whose attributes were read, at most `maxSpans` a side
 * - `attributes`: values in that sample, the most significant first
 * - `calls`: calls in at most `traces` traces per side; `null` when `traces` is 0 or a side has `q`
 *
 * Errors: 400 for a field that the schema refuses, 413 for a long body, 501 from a store without analysis.
 */
export function changesEndpoint(service: QueryService, adjust: AdjustOptions, limits: ReadLimits): Endpoint {
  return async ({ body, read }) => {
    const asked = readJson(bodySchema, await body({ bytes: maxBodyBytes }));
    const nowMs = Date.now();
    const sideOf = ({ q, ...values }: SideValues, path: string): SpanSelection => ({
      ...spanFilterOf(values, nowMs, limits, path),
      ...besideQuery(q, path),
    });
    const [a, b] = [sideOf(asked.a, "a."), sideOf(asked.b, "b.")];
    const { limit, maxSpans } = asked;
    const found = await service.analysis.comparePopulations({ a, b, limit, maxSpans }, read);
    // A TraceQL condition selects spans, but calls are read by searching traces with a plain filter. The results would
    // contradict each other.
    const hasCalls = asked.traces > 0 && asked.a.q === undefined && asked.b.q === undefined;
    const most = Math.min(asked.traces, limits.maxTraces);
    const callsOf = (side: SpanSelection) => readCalls(service, side, { limit: most, adjust, limits, read });
    const calls = hasCalls ? callsJson(await callsOf(a), await callsOf(b), limit) : null;
    return [JSON.stringify({ ...changesJson(found), calls } satisfies Answer)];
  };
}

/** Settings for reading the calls of one side. */
interface CallsRead {
  /** Maximum number of traces that are read. */
  readonly limit: number;
  /** Corrections of traces. */
  readonly adjust: AdjustOptions;
  /** Maximum number of traces, spans and bytes that are read. */
  readonly limits: ReadLimits;
  /** Tenant and abort signal of the request. */
  readonly read: EndpointRequest["read"];
}

/** Calls in the newest traces of a side; large traces reduce the number of read traces. */
async function readCalls(
  service: QueryService,
  side: SpanSelection,
  { limit, adjust, limits, read }: CallsRead,
): Promise<DownstreamCalls> {
  // The filter selects spans by these names. Other spans of a trace are children, or make other calls.
  const calls = new DownstreamCalls({
    service: side.service === "" ? undefined : side.service,
    operation: side.operation === "" ? undefined : side.operation,
  });
  // The time range was already checked with the side's other conditions.
  checkLimits({ limit }, { ...limits, maxRangeNano: undefined });
  const traces = await service.traces.findPackedTraces({ ...side, limit }, read);
  // The limit counts spans, not traces: one trace of a million spans would block the process.
  let left = Math.min(mostCallSpans, limits.maxSpans);
  for (const trace of traces) {
    left -= trace.spans.length;
    if (left < 0) {
      break;
    }
    calls.add(await shownSpans(trace, adjust));
    // Other requests of the process run between two traces.
    await nextTurn();
  }
  return calls;
}

// Everything except the calls, in the form of the answer.
function changesJson(found: PopulationComparison): Omit<Answer, "calls"> {
  const { a, b, sample: read } = found;
  // Time of an operation divided by all spans of the side, so that the changes of all operations add up to the
  // difference of the means. An operation that takes 3 ms of each request now, and took 1 ms before, has a change of
  // 2,000 µs.
  const perSpan = ({ durationNano }: PopulationSums, { spans }: PopulationSums) =>
    durationNano / Math.max(1, spans);
  return {
    a: populationJson(a),
    b: populationJson(b),
    ...differences(a, b),
    durations: durationsOf(a, b),
    operations: found.operations.map((one) => ({
      ...{ service: one.service, operation: one.operation, kind: one.spanKind },
      ...{ a: populationJson(one.a), b: populationJson(one.b) },
      change: microsOf(perSpan(one.a, a) - perSpan(one.b, b)),
      ...differences(one.a, one.b),
    })),
    sample: {
      a: { ...sumsJson(read.a), isEstimate: read.a.spans < a.spans },
      b: { ...sumsJson(read.b), isEstimate: read.b.spans < b.spans },
    },
    attributes: found.attributes.map((one) => attributeJson(one, read)),
  };
}

// Compares two sides by a test of durations and a test of error shares.
function differences(a: Population, b: Population) {
  const errors = (side: Population) => ({ count: side.errors, of: side.spans });
  return {
    isSlower: durationDiffers(a.buckets, b.buckets) ?? null,
    failsMore: shareDiffers(errors(a), errors(b)) ?? null,
  };
}

// A side without spans has a mean of 0, not NaN, which JSON cannot hold.
function sumsJson({ spans, errors, durationNano }: PopulationSums) {
  return { spans, errors, mean: microsOf(spans === 0 ? 0 : durationNano / spans) };
}

function populationJson(side: Population): z.output<typeof population> {
  const counts = new Map(side.buckets);
  // The upper end of a bucket may exceed all its durations.
  const at = (quantile: number) => microsOf(Math.min(side.longestNano, quantileNano(counts, quantile)));
  return {
    ...sumsJson(side),
    ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99), longest: microsOf(side.longestNano) },
  };
}

// One value of an attribute. `explains` keeps four digits, because the sample gives no more.
function attributeJson(
  one: ComparedAttribute,
  read: PopulationComparison["sample"],
): Answer["attributes"][number] {
  const share = (side: "a" | "b") => ({ count: one[side].spans, of: read[side].spans });
  return {
    ...{ place: one.place, key: one.key, value: one.value, a: sumsJson(one.a), b: sumsJson(one.b) },
    explains: Math.round(explainedShare(one, read) * 1e4) / 1e4,
    isSignificant: shareDiffers(share("a"), share("b")) ?? null,
  };
}

/**
 * Counts of durations for the histogram. The store's buckets grow by the factor 2^(1/8); two adjacent buckets become
 * one bar.
 *
 * ```
 * a [[160, 3], [161, 1]], b [[161, 2]]  →  [[80, 4, 2]]
 * ```
 */
function durationsOf(a: Population, b: Population): Answer["durations"] {
  const counts = new Map<number, [number, number]>();
  for (const [side, { buckets }] of [a, b].entries()) {
    for (const [bucket, spans] of buckets) {
      const both = counts.get(bucket >> 1) ?? [0, 0];
      both[side] = (both[side] ?? 0) + spans;
      counts.set(bucket >> 1, both);
    }
  }
  return [...counts].sort(([one], [other]) => one - other).map(([bucket, both]) => [bucket, ...both]);
}

// Rows of both sides by operation, sorted by the largest change of time per trace.
function callsJson(a: DownstreamCalls, b: DownstreamCalls, limit: number): NonNullable<Answer["calls"]> {
  const rows = [...new Set([...a.sums.keys(), ...b.sums.keys()])].map((key) => {
    const [ofA, ofB] = [a.sums.get(key), b.sums.get(key)];
    const { service, operation, spanKind } = (ofA ?? ofB) as CallSums;
    return {
      ...{ service, operation, kind: spanKind },
      ...{ a: callJson(ofA, a.traces), b: callJson(ofB, b.traces) },
    };
  });
  const change = (row: (typeof rows)[number]) =>
    Math.abs((row.a?.timePerTrace ?? 0) - (row.b?.timePerTrace ?? 0));
  rows.sort((one, other) => change(other) - change(one));
  return { tracesA: a.traces, tracesB: b.traces, rows: rows.slice(0, limit) };
}

// A side without calls of an operation has `null`, so that the UI can mark a new or a lost call.
function callJson(sums: CallSums | undefined, traces: number): z.output<typeof call> | null {
  if (sums === undefined) {
    return null;
  }
  const { calls, errors, durationNano } = sums;
  return {
    ...{ calls, errors, perTrace: calls / traces },
    ...{ mean: microsOf(durationNano / calls), timePerTrace: microsOf(durationNano / traces) },
  };
}
