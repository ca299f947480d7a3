import type { PartialReason } from "../../../api/partial-answer.ts";
import { StorageError } from "../../../api/storage-error.ts";
import { isNeighbourFault } from "../clickhouse-errors.ts";
import type { Settings } from "./host-requests.ts";
import type { ReadCall } from "./read-call.ts";

/** The state of a cluster's shards, for reads. */
export interface ShardsOfReads {
  /** Shards without a server that answers. */
  readonly away: readonly PartialReason[];
  /** Aborted when one more shard is away: reads that run may wait for it, and are run again. */
  readonly newlyAway: AbortSignal;
  /** Looks now. Never rejects. */
  look(): Promise<void>;
  /** Settings of a read that leaves out exactly these shards. */
  readonly skipSettings: Settings;
}

/** Number of tries of a read; each uses what was learned about the shards. */
const mostTries = 3;

/**
 * Reads from all shards, or from the present ones when the reader can report a partial answer.
 * @param ask runs the read with these additional settings, until `stop` is aborted
 * @throws StorageError, which names the shards that are away
 */
export async function readFromShards<T>(
  shards: ShardsOfReads | undefined,
  { signal, onPartial, isOfFewShards = false }: ReadCall,
  ask: (settings: Settings, stop?: AbortSignal) => Promise<T>,
): Promise<T> {
  if (shards === undefined) {
    return await ask({});
  }
  for (let tries = 1; ; tries++) {
    const { away, skipSettings, newlyAway } = shards;
    // A read of few shards is first tried in full, because it may not need the absent shard.
    const skips = onPartial !== undefined && away.length > 0 && !(isOfFewShards && tries === 1);
    const mayRepeat = onPartial !== undefined && tries < mostTries;
    try {
      const result = await ask(skips ? skipSettings : {}, mayRepeat ? newlyAway : undefined);
      if (skips) {
        for (const reason of away) {
          onPartial(reason);
        }
      }
      return result;
    } catch (error) {
      if (mayRepeat && newlyAway.aborted && signal?.aborted !== true) {
        continue;
      }
      if (!(error instanceof StorageError) || !isNeighbourFault(error)) {
        throw error;
      }
      // Shards that are known to be absent are checked every second by another task.
      if (skips || shards.away.length === 0) {
        await shards.look();
      }
      const isKnownBetter = shards.away !== away || (shards.away.length > 0 && !skips);
      if (mayRepeat && isKnownBetter) {
        continue;
      }
      throw shards.away.length === 0 ? error : awayError(shards.away, error);
    }
  }
}

/** A short text for people, instead of the servers' own text of many lines. */
export function awayError(away: readonly PartialReason[], cause: unknown): StorageError {
  return new StorageError("STORAGE_UNAVAILABLE", away.map(({ text }) => text).join("; "), { cause });
}
