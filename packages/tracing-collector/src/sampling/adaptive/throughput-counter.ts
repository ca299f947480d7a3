import type { OperationThroughput } from "storage/api";
import { OperationMap } from "./operation-map.ts";

/** Maximum number of probabilities of one operation that are stored; further ones are dropped. */
const maxProbabilities = 10;

interface Count {
  /** Number of root spans of the operation that were sampled by probability. */
  count: number;
  /** Probabilities that its root spans carried, also those that were not sampled by probability. */
  readonly probabilities: Set<string>;
}

export interface ThroughputLimits {
  /** Maximum number of operations of all services together that are counted. Default: 20,000. */
  readonly maxOperations?: number;
  /** Maximum number of characters of all names together. Default: 8 Mi. */
  readonly maxNameLength?: number;
}

/** A probability in the form of the counts, with 6 decimals. */
export function probabilityText(probability: number): string {
  return probability.toFixed(6);
}

/**
 * Counts root spans by service and operation, until `take`. Senders choose the names, so the memory is limited; spans
 * of further operations are refused and counted.
 */
export class ThroughputCounter {
  readonly #maxOperations: number;
  readonly #maxNameLength: number;
  #counts = new OperationMap<Count>();
  #nameLength = 0;
  #refused = 0;

  constructor({ maxOperations = 20_000, maxNameLength = 8 * 1024 * 1024 }: ThroughputLimits = {}) {
    this.#maxOperations = maxOperations;
    this.#maxNameLength = maxNameLength;
  }

  /** @param sampled 1 for a span sampled by probability, 0 for a span that only announces the operation */
  record(service: string, operation: string, sampled: number, probability: number): void {
    this.#add(service, operation, sampled, [probabilityText(probability)]);
  }

  /** Adds counts again that `take` returned and that could not be saved. */
  giveBack(throughput: readonly OperationThroughput[]): void {
    for (const { service, operation, count, probabilities } of throughput) {
      this.#add(service, operation, count, probabilities);
    }
  }

  /** Returns the counts since the last call, and the number of refused spans. */
  take(): {
    readonly throughput: OperationThroughput[];
    readonly services: number;
    readonly refused: number;
  } {
    const throughput: OperationThroughput[] = [];
    for (const [service, operation, { count, probabilities }] of this.#counts.entries()) {
      throughput.push({ service, operation, count, probabilities: [...probabilities] });
    }
    const taken = { throughput, services: this.#counts.serviceCount, refused: this.#refused };
    this.#counts = new OperationMap();
    this.#nameLength = 0;
    this.#refused = 0;
    return taken;
  }

  #add(service: string, operation: string, count: number, probabilities: readonly string[]): void {
    let found = this.#counts.get(service, operation);
    if (found === undefined) {
      const nameLength = this.#nameLength + service.length + operation.length;
      if (this.#counts.size >= this.#maxOperations || nameLength > this.#maxNameLength) {
        this.#refused++;
        return;
      }
      this.#nameLength = nameLength;
      found = { count: 0, probabilities: new Set() };
      this.#counts.set(service, operation, found);
    }
    found.count += count;
    for (const probability of probabilities) {
      if (found.probabilities.size < maxProbabilities) {
        found.probabilities.add(probability);
      }
    }
  }
}
