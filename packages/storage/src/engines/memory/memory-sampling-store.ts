import type {
  CalculatedProbabilities,
  OperationThroughput,
  SamplingStore,
} from "../../api/sampling-store.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { throwIfAborted } from "./throw-if-aborted.ts";

interface Counts {
  readonly takenUnixMs: number;
  readonly throughput: readonly OperationThroughput[];
}

interface Lease {
  readonly owner: string;
  readonly endsUnixMs: number;
}

/** Sampling data in the memory of one process. */
export class MemorySamplingStore implements SamplingStore {
  readonly #maxEntries: number;
  #counts: Counts[] = [];
  #entries = 0;
  #latest: CalculatedProbabilities | undefined;
  readonly #leases = new Map<string, Lease>();

  /** @param maxEntries limit of stored counts; the oldest counts are dropped */
  constructor(maxEntries = 200_000) {
    this.#maxEntries = maxEntries;
  }

  async insertThroughput(
    throughput: readonly OperationThroughput[],
    takenUnixMs: number,
    { signal }: ReadOptions = {},
  ): Promise<void> {
    throwIfAborted(signal);
    if (throughput.length === 0) {
      return;
    }
    this.#counts.push({ takenUnixMs, throughput: [...throughput] });
    this.#entries += throughput.length;
    while (this.#entries > this.#maxEntries && this.#counts.length > 1) {
      this.#entries -= this.#counts.shift()?.throughput.length ?? 0;
    }
  }

  async getThroughput(
    startUnixMs: number,
    endUnixMs: number,
    { signal }: ReadOptions = {},
  ): Promise<OperationThroughput[]> {
    throwIfAborted(signal);
    const sums = new Map<string, OperationThroughput>();
    for (const { takenUnixMs, throughput } of this.#counts) {
      if (takenUnixMs <= startUnixMs || takenUnixMs > endUnixMs) {
        continue;
      }
      for (const entry of throughput) {
        const key = JSON.stringify([entry.service, entry.operation]);
        sums.set(key, added(sums.get(key), entry));
      }
    }
    return [...sums.values()];
  }

  async insertProbabilities(
    calculated: CalculatedProbabilities,
    { signal }: ReadOptions = {},
  ): Promise<void> {
    throwIfAborted(signal);
    if (calculated.calculatedUnixMs < (this.#latest?.calculatedUnixMs ?? Number.NEGATIVE_INFINITY)) {
      return;
    }
    this.#latest = { ...calculated, operations: [...calculated.operations] };
  }

  async latestProbabilities({ signal }: ReadOptions = {}): Promise<CalculatedProbabilities | undefined> {
    throwIfAborted(signal);
    return this.#latest;
  }

  async acquireLease(
    name: string,
    owner: string,
    ttlMs: number,
    { signal }: ReadOptions = {},
  ): Promise<boolean> {
    throwIfAborted(signal);
    const held = this.#leases.get(name);
    const now = Date.now();
    if (held !== undefined && held.owner !== owner && held.endsUnixMs > now) {
      return false;
    }
    this.#leases.set(name, { owner, endsUnixMs: now + ttlMs });
    return true;
  }

  async releaseLease(name: string, owner: string, { signal }: ReadOptions = {}): Promise<void> {
    throwIfAborted(signal);
    if (this.#leases.get(name)?.owner === owner) {
      this.#leases.delete(name);
    }
  }
}

function added(one: OperationThroughput | undefined, other: OperationThroughput): OperationThroughput {
  return {
    service: other.service,
    operation: other.operation,
    count: (one?.count ?? 0) + other.count,
    probabilities: [...new Set([...(one?.probabilities ?? []), ...other.probabilities])],
  };
}
