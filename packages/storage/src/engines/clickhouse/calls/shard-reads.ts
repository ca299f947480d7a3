import type { PartialReason } from "../../../api/partial-answer.ts";
import { StorageError } from "../../../api/storage-error.ts";
import { isNeighbourFault } from "../clickhouse-errors.ts";
import type { Settings } from "./host-requests.ts";
import type { ReadCall } from "./read-call.ts";

/** What reads need to know of the shards of a cluster. */
export interface ShardsOfReads {
  /** Those of which no server answers. */
  readonly away: readonly PartialReason[];
  /** Looks now. Never rejects. */
  look(): Promise<void>;
  /** Settings of a read that leaves those out, and no more than those. */
  readonly skipSettings: Settings;
}

/** A read is tried so often, each time with what was learned of the shards. */
const mostTries = 3;

/**
 * Reads from all shards, or from those that are there when the reader can say that its answer is partial.
 * @param ask makes the read with these settings besides its own
 * @throws StorageError, which names the shards that are away
 */
export async function readFromShards<T>(
  shards: ShardsOfReads | undefined,
  { onPartial, isOfFewShards = false }: ReadCall,
  ask: (settings: Settings) => Promise<T>,
): Promise<T> {
  if (shards === undefined) return await ask({});
  for (let tries = 1; ; tries++) {
    const { away, skipSettings } = shards;
    // A read of few shards is tried in full first: it may not need the one that is away.
    const skips = onPartial !== undefined && away.length > 0 && !(isOfFewShards && tries === 1);
    try {
      const result = await ask(skips ? skipSettings : {});
      if (skips) for (const reason of away) onPartial(reason);
      return result;
    } catch (error) {
      if (!(error instanceof StorageError) || !isNeighbourFault(error)) throw error;
      // Those that are known to be away are looked at every second.
      if (skips || shards.away.length === 0) await shards.look();
      const isKnownBetter = shards.away !== away || (shards.away.length > 0 && !skips);
      if (onPartial !== undefined && isKnownBetter && tries < mostTries) continue;
      throw shards.away.length === 0 ? error : awayError(shards.away, error);
    }
  }
}

/** For people, in place of the servers' own text of many lines. */
export function awayError(away: readonly PartialReason[], cause: unknown): StorageError {
  return new StorageError("STORAGE_UNAVAILABLE", away.map(({ text }) => text).join("; "), { cause });
}
