import { plainBytesOf, type SpanRows } from "wire/rows";
import type { CountedRows } from "../counts/counted-rows.ts";
import type { SpanCountsObserver, SpanSource } from "../counts/metrics.ts";
import { ServiceCounter } from "../counts/service-counter.ts";
import type { RowStep } from "./row-step.ts";

/** Counts received spans and traces by service, and attaches the counts to the rows for later steps. */
export class SpanCounts implements RowStep {
  readonly #observer: SpanCountsObserver;
  readonly #counter: ServiceCounter;

  constructor(observer: SpanCountsObserver, counter = new ServiceCounter()) {
    this.#observer = observer;
    this.#counter = counter;
  }

  /** Returns the same bytes, with the counts by service. */
  apply(rows: SpanRows, source: SpanSource): CountedRows {
    const services = this.#counter.count(rows);
    this.#observer.servicesReceived(source, services);
    return { bytes: rows.bytes, count: rows.count, plainBytes: plainBytesOf(rows), services };
  }
}
