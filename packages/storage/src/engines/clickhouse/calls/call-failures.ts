import { ClickHouseError } from "@clickhouse/client";
import { StorageError } from "../../../api/storage-error.ts";
import {
  isConnectionError,
  isCredentialsFault,
  isHostFault,
  isNeighbourFault,
  isSchemaMissing,
  toStorageError,
  wasNeverSent,
} from "../clickhouse-errors.ts";
import type { Host, HostPool } from "../hosts/host-pool.ts";
import type { KeeperOfInserts } from "../hosts/keeper-watch.ts";
import type { FailedAttempt } from "./first-answer.ts";
import { awayError, type ShardsOfReads } from "./shard-reads.ts";

/** A call that failed at one server. */
export interface FailedCall {
  /** Signal of the caller; undefined: the caller cannot abort the call. */
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the call fails. */
  readonly timeoutMs: number;
  /** Aborted after `timeoutMs`. */
  readonly deadline: AbortSignal;
  /** Aborted by the caller or the deadline. */
  readonly abort: AbortSignal;
  /** True for a call that writes. */
  readonly isInsert?: boolean;
  /** True: running the call twice is harmless. */
  readonly isRepeatable?: boolean;
}

interface FailureParts {
  /** Learns which servers failed. */
  readonly pool: HostPool;
  /** State of the Keeper, which writes to a cluster need; undefined without a Keeper. */
  readonly keeper: KeeperOfInserts | undefined;
  /** Tells which shards of a cluster answer; undefined without shards. */
  readonly shards: ShardsOfReads | undefined;
}

/** Judges failures of calls: which side is at fault, and whether another server may be tried. */
export class CallFailures {
  readonly #parts: FailureParts;

  constructor(parts: FailureParts) {
    this.#parts = parts;
  }

  /** Records the failure of a server for later calls. @returns the failure, and whether another server may be tried */
  async judge({ url, index }: Host, error: unknown, call: FailedCall): Promise<FailedAttempt> {
    const { pool, keeper, shards } = this.#parts;
    const { signal, timeoutMs, deadline, abort, isInsert = false } = call;
    const noKeeper = isInsert && !abort.aborted ? keeper?.awaySignal : undefined;
    if (noKeeper?.aborted) {
      return { kind: "failed", failure: noKeeper.reason, goOn: "throw" };
    }
    const isOurs = { aborted: signal?.aborted === true, timedOut: deadline.aborted };
    const failure = toStorageError(error, { url, timeoutMs, ...isOurs, isInsert });
    const isStranger = isCredentialsFault(failure) && pool.hosts.length > 1;
    if (isStranger) {
      pool.refusesUs(index, failure.message);
    } else if (isConnectionError(failure)) {
      pool.failed(index, failure.message);
    } else if (failure.cause instanceof ClickHouseError) {
      pool.answered(index);
    }
    const isEmptied = pool.hosts.length > 1 && call.isRepeatable === true && isSchemaMissing(failure);
    if (isEmptied) {
      return { kind: "failed", failure, goOn: "next" };
    }
    if (!isStranger && !isHostFault(failure)) {
      return { kind: "failed", failure, goOn: "throw" };
    }
    const mayGoOn = call.isRepeatable === true || isStranger || wasNeverSent(failure);
    if (await this.#isOfShards(failure)) {
      // Reads report missing shards themselves, with a different text.
      const ofShards = isInsert ? awayError(shards?.away ?? [], failure) : failure;
      return { kind: "failed", failure: ofShards, goOn: "throw" };
    }
    return { kind: "failed", failure, goOn: mayGoOn ? "next" : "stop" };
  }

  /** True when the call failed because no server of a shard answers. Other servers would fail in the same way. */
  async #isOfShards(failure: StorageError): Promise<boolean> {
    const { shards } = this.#parts;
    if (shards === undefined || !isNeighbourFault(failure)) {
      return false;
    }
    // Another task checks missing shards every second, so a check is needed only if no missing shard is known.
    if (shards.away.length === 0) {
      await shards.look();
    }
    return shards.away.length > 0;
  }
}

/**
 * Combines the errors of all tried servers into one error. With a single server, its error is returned unchanged.
 * @param hosts number of servers
 */
export function allFailed(failures: readonly StorageError[], hosts: number): StorageError {
  const [first] = failures;
  if (first === undefined) {
    return new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
  }
  if (failures.length === 1) {
    return first;
  }
  const texts = failures.map(({ message }) => message).join("; ");
  const who = failures.length === hosts ? `none of the ${hosts} servers` : `${failures.length} servers, none`;
  return new StorageError(first.code, `${who} of ClickHouse could do it: ${texts}`, { cause: first.cause });
}
