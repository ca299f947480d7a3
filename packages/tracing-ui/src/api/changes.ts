import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { TimedConditions } from "./analysis.ts";
import { readJson } from "./read-json.ts";

/** Counts, and the mean duration in microseconds. */
const sums = { spans: z.number(), errors: z.number(), mean: z.number() };
/** All spans of a side; percentiles are accurate to 10 %. */
const population = z.object({
  ...sums,
  ...{ p50: z.number(), p95: z.number(), p99: z.number(), longest: z.number() },
});
/** The spans whose attributes were read. `isEstimate`: they are a sample, so figures are estimates. */
const sample = z.object({ ...sums, isEstimate: z.boolean() });
/** True when a difference is significant; null when there are too few spans to decide. */
const significant = z.nullable(z.boolean());
/** The operation of a row. */
const name = { service: z.string(), operation: z.string(), kind: z.string() };
/** Calls of one operation below the spans of a side, with their time in an average trace. */
const call = z.object({
  ...{ calls: z.number(), errors: z.number(), perTrace: z.number() },
  ...{ mean: z.number(), timePerTrace: z.number() },
});

/**
 * The answer of `POST /changes`: totals, a histogram of durations, then ranked operations, attributes and
 * calls.
 */
const answer = z.object({
  ...{ a: population, b: population, isSlower: significant, failsMore: significant },
  /** `[bucket, spans of A, spans of B]`; each power of two has four buckets, from 1 ns on. */
  durations: z.array(z.tuple([z.number(), z.number(), z.number()])),
  /** Operations by `change`, their part in the difference of the means. */
  operations: z.array(
    z.object({
      ...{ ...name, a: population, b: population },
      ...{ change: z.number(), isSlower: significant, failsMore: significant },
    }),
  ),
  sample: z.object({ a: sample, b: sample }),
  /**
   * Values by how well they distinguish the sides. `explains`: the fraction of the difference that disappears when the
   * spans with a value are left out.
   */
  attributes: z.array(
    z.object({
      ...{ place: z.string(), key: z.string(), value: z.string() },
      ...{ a: z.object(sums), b: z.object(sums), explains: z.number(), isSignificant: significant },
    }),
  ),
  /** Calls to other services in the newest traces of both sides; null when the store cannot read them. */
  calls: z.nullable(
    z.object({
      ...{ tracesA: z.number(), tracesB: z.number() },
      rows: z.array(z.object({ ...name, a: z.nullable(call), b: z.nullable(call) })),
    }),
  ),
});

/** The comparison of two populations of spans. Durations are in microseconds. */
export type Changes = z.infer<typeof answer>;
/** All spans of one side. */
export type Population = z.infer<typeof population>;
/** Calls of one operation, in some traces of one side. */
export type CallFigures = z.infer<typeof call>;

/** Both sides of a comparison. */
export interface ChangesAsked {
  /** The side to explain. */
  readonly a: TimedConditions;
  /** The side to compare with. */
  readonly b: TimedConditions;
}

/**
 * The comparison of both sides. Undefined sends no request. @throws ApiError with status 501 when the store does not
 * support it
 */
export function changesQuery(asked: ChangesAsked | undefined) {
  return queryOptions({
    queryKey: ["changes", asked],
    queryFn: ({ signal }): Promise<Changes> =>
      readJson("api/analysis/v1/changes", answer, signal, JSON.stringify({ ...asked, limit: 100 })),
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
