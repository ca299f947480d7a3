import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import type { TimedConditions } from "./analysis.ts";
import { readJson } from "./read-json.ts";

const sums = { spans: z.number(), errors: z.number(), mean: z.number() };
const population = z.object({
  ...sums,
  ...{ p50: z.number(), p95: z.number(), p99: z.number(), longest: z.number() },
});
const sample = z.object({ ...sums, isEstimate: z.boolean() });
const significant = z.nullable(z.boolean());
const name = { service: z.string(), operation: z.string(), kind: z.string() };
const call = z.object({
  ...{ calls: z.number(), errors: z.number(), perTrace: z.number() },
  ...{ mean: z.number(), timePerTrace: z.number() },
});

const answer = z.object({
  ...{ a: population, b: population, isSlower: significant, failsMore: significant },
  durations: z.array(z.tuple([z.number(), z.number(), z.number()])),
  operations: z.array(
    z.object({
      ...{ ...name, a: population, b: population },
      ...{ change: z.number(), isSlower: significant, failsMore: significant },
    }),
  ),
  sample: z.object({ a: sample, b: sample }),
  attributes: z.array(
    z.object({
      ...{ place: z.string(), key: z.string(), value: z.string() },
      ...{ a: z.object(sums), b: z.object(sums), explains: z.number(), isSignificant: significant },
    }),
  ),
  calls: z.nullable(
    z.object({
      ...{ tracesA: z.number(), tracesB: z.number() },
      rows: z.array(z.object({ ...name, a: z.nullable(call), b: z.nullable(call) })),
    }),
  ),
});

/** Two populations of spans side by side. Durations are microseconds. */
export type Changes = z.infer<typeof answer>;
/** All spans of one side. */
export type Population = z.infer<typeof population>;
/** Calls of one operation, in some traces of one side. */
export type CallFigures = z.infer<typeof call>;

/** Both sides of a comparison; undefined asks nothing. */
export interface ChangesAsked {
  readonly a: TimedConditions;
  readonly b: TimedConditions;
}

/** Both sides counted and compared. @throws ApiError with status 501 when the store cannot say */
export function changesQuery(asked: ChangesAsked | undefined) {
  return queryOptions({
    queryKey: ["changes", asked],
    queryFn: ({ signal }): Promise<Changes> =>
      readJson("api/analysis/v1/changes", answer, signal, JSON.stringify({ ...asked, limit: 100 })),
    enabled: asked !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
