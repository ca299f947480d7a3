import type { DiskUsage, SpanStore } from "../e2e/measure/span-store.ts";
import { metricSums } from "./metric-sum.ts";

const droppedRows = "tracing_storage_retention_dropped_rows_total";

/** A store that counts the spans it dropped for their age or its size as stored: it had them. */
export class RetainedStore implements SpanStore {
  readonly #inner: SpanStore;
  readonly #metricsUrl: string;

  /** @param metricsUrl Prometheus page of tracing-storage */
  constructor(inner: SpanStore, metricsUrl: string) {
    this.#inner = inner;
    this.#metricsUrl = metricsUrl;
  }

  async countSpans(): Promise<number> {
    // In this order a day that goes in between is counted too little, and who waits asks again.
    const dropped = await this.droppedSpans();
    return dropped + (await this.#inner.countSpans());
  }

  /** Since the process started. */
  async droppedSpans(): Promise<number> {
    const sums = await metricSums(this.#metricsUrl, [droppedRows], 'table="tracing.spans"');
    return sums[droppedRows];
  }

  diskUsage(): Promise<DiskUsage | undefined> {
    return this.#inner.diskUsage();
  }
}
