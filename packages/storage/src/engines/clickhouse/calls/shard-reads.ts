import type { PartialReason } from "../../../api/partial-answer.ts";
import { StorageError } from "../../../api/storage-error.ts";
import { isNeighbourFault } from "../clickhouse-errors.ts";
import type { Settings } from "./host-requests.ts";
import type { ReadCall } from "./read-call.ts";

/** The state of a cluster's shards, for reads. */
export interface ShardsOfReads {
  /** Shards without any answering server. */
  readonly away: readonly PartialReason[];
  /** Aborted when a further shard is lost. Running reads may wait for that shard, so they are repeated. */
  readonly newlyAway: AbortSignal;
  /** Checks the shards now. It never rejects. */
  look(): Promise<void>;
  /** Settings with which a read leaves out exactly these shards. */
  readonly skipSettings: Settings;
}

/** Maximum number of attempts of a read. Each attempt uses the latest state of the shards. */
const mostTries = 3;

/**
 * Reads from all shards, or only from answering shards if the caller accepts a partial answer.
 * @param ask runs the read with these additional settings until `stop` is aborted
 * @throws StorageError, which names the missing shards
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
    // A read of few shards is first tried on all shards, because it may not need the missing shard.
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
      // Another task checks missing shards every second, so no check is needed while shards are missing.
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

/** An error with a short text for users. The servers' own text has many lines. */
export function awayError(away: readonly PartialReason[], cause: unknown): StorageError {
  return new StorageError("STORAGE_UNAVAILABLE", away.map(({ text }) => text).join("; "), { cause });
}
