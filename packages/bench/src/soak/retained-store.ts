import type { DiskUsage, SpanStore } from "../e2e/measure/span-store.ts";
import { metricSums } from "./metric-sum.ts";

const droppedRows = "tracing_storage_retention_dropped_rows_total";

/**
 * A store that also counts spans that retention dropped because of their age or the size limit, because it had stored
 * them.
 */
export class RetainedStore implements SpanStore {
  readonly #inner: SpanStore;
  readonly #metricsUrl: string;

  /** @param metricsUrl Prometheus page of tracing-storage */
  constructor(inner: SpanStore, metricsUrl: string) {
    this.#inner = inner;
    this.#metricsUrl = metricsUrl;
  }

  async countSpans(): Promise<number> {
    // In this order, a day that is dropped between the two reads is counted too little, so that the caller reads again.
    const dropped = await this.droppedSpans();
    return dropped + (await this.#inner.countSpans());
  }

  /** Spans that the storage dropped since its process started. `countSpans` adds them, so that none seems lost. */
  async droppedSpans(): Promise<number> {
    const sums = await metricSums(this.#metricsUrl, [droppedRows], 'table="tracing.spans"');
    return sums[droppedRows];
  }

  diskUsage(): Promise<DiskUsage | undefined> {
    return this.#inner.diskUsage();
  }
}
