import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { readJson } from "./read-json.ts";

/**
 * The answer of `GET /percentiles/<trace id>`. A span is `[span id, index of its operation, percentile]`;
 * durations are microseconds.
 */
const peersSchema = z.object({
  operations: z.array(
    z.object({
      peers: z.number(),
      median: z.nullable(z.number()),
      p95: z.nullable(z.number()),
      p99: z.nullable(z.number()),
    }),
  ),
  spans: z.array(z.tuple([z.string(), z.number(), z.nullable(z.number())])),
});

/** Rank of a span among the spans of its operation in the preceding hour. */
export interface SpanPeers {
  /** Fraction of peers that do not last longer, 0 to 1. */
  percentile: number;
  /** Number of spans that the span is compared with. */
  peers: number;
  /** Median of the peers in microseconds. */
  medianUs: number;
  /** 95th percentile of the peers in microseconds. */
  p95Us: number;
  /** 99th percentile of the peers in microseconds. */
  p99Us: number;
}

/** Minimum number of peers; with fewer a percentile is mostly chance. */
const fewestPeers = 20;

/**
 * The rank of each span of a trace among its peers, by span id. Spans with too few peers are omitted. The result is
 * empty when the store does not support it (501), which is not a failure.
 */
export function tracePeersQuery(traceId: string) {
  return queryOptions({
    queryKey: ["peers", traceId],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, SpanPeers>> => {
      const path = `api/analysis/v1/percentiles/${encodeURIComponent(traceId)}`;
      const answer = await readJson(path, peersSchema, signal).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 501 || error.status === 404)) {
          return undefined;
        }
        throw error;
      });
      const found = new Map<string, SpanPeers>();
      for (const [spanId, index, percentile] of answer?.spans ?? []) {
        const one = answer?.operations[index];
        if (one === undefined || percentile === null || one.peers < fewestPeers) {
          continue;
        }
        const { peers, median, p95, p99 } = one;
        if (median === null || p95 === null || p99 === null) {
          continue;
        }
        found.set(spanId, { percentile, peers, medianUs: median, p95Us: p95, p99Us: p99 });
      }
      return found;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
}

/** A percentile in short: `p97`, `p99.9`; `max` when no peer is longer. */
export function percentileText(percentile: number): string {
  if (percentile >= 1) {
    return "max";
  }
  const hundredth = percentile * 100;
  return hundredth >= 99 ? `p${Math.floor(hundredth * 10) / 10}` : `p${Math.floor(hundredth)}`;
}
