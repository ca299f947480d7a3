import { fastBucket, type TraceStore } from "storage/api";
import { refusePartial, withinTime } from "storage/asked-time";
import type { ReadCounts } from "./objective-board.ts";
import { traceqlCounts } from "./traceql-counts.ts";

/** These reads need no limit such as `--query.max-read-size`: an answer has 750 rows at most. */
type CountedStore = Pick<TraceStore, "metrics" | "traceql">;

/**
 * Reads the counts of an objective from the sums by minute, or from spans when the objective has a condition. An answer
 * that lacks the spans of an unavailable shard is an error, because it could look better than the truth.
 */
export function storeCounts({ metrics, traceql }: CountedStore): ReadCounts {
  return async (objective, time, signal) => {
    const nano = (ms: number) => BigInt(ms) * 1_000_000n;
    const options = withinTime(
      {
        tenant: objective.tenant,
        signal,
        // Spans of a damaged part are lost for good, so counting continues without them.
        onPartial: (reason: Parameters<typeof refusePartial>[0]) =>
          reason.kind === "shard-away" ? refusePartial(reason) : undefined,
      },
      { startUnixNano: nano(time.startUnixMs), endUnixNano: nano(time.endUnixMs) },
    );
    if (objective.condition !== "") {
      return await traceqlCounts(traceql, objective, time, options);
    }
    const { service, operations, kinds, latencyMs } = objective;
    const endBucket = latencyMs === undefined ? undefined : fastBucket(latencyMs * 1e6);
    return await metrics.getGoodCounts(
      { service, operations, spanKinds: kinds, ...time, endBucket },
      options,
    );
  };
}
