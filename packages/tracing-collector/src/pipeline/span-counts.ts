import { plainBytesOf, type SpanRows } from "wire/rows";
import type { SpanSource } from "../metrics.ts";
import type { CountedRows } from "./counted-rows.ts";
import type { RowStep } from "./row-step.ts";
import { ServiceCounter } from "./service-counter.ts";
import type { ServiceCounts } from "./service-counts.ts";

/** Receives the counts of received spans. */
export interface SpanCountsObserver {
  /** A request was decoded. */
  servicesReceived(source: SpanSource, counts: ServiceCounts): void;
}

/** Counts received spans and traces by service, and attaches the counts to the rows for later steps. */
export class SpanCounts implements RowStep {
  readonly #observer: SpanCountsObserver;
  readonly #counter: ServiceCounter;

  constructor(observer: SpanCountsObserver, counter = new ServiceCounter()) {
    this.#observer = observer;
    this.#counter = counter;
  }

  apply(rows: SpanRows, source: SpanSource): CountedRows {
    const services = this.#counter.count(rows);
    this.#observer.servicesReceived(source, services);
    return { bytes: rows.bytes, count: rows.count, plainBytes: plainBytesOf(rows), services };
  }
}
