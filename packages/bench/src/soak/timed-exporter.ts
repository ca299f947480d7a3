import type { ExportAnswer, Exporter, ExportRequest } from "../e2e/exporters/exporter.ts";
import { LatencyHistogram } from "../e2e/load/tally.ts";

/** An exporter that measures the latency of its calls. */
export class TimedExporter implements Exporter {
  readonly #inner: Exporter;
  #latency = new LatencyHistogram();
  accepted = 0;

  constructor(inner: Exporter) {
    this.#inner = inner;
  }

  async export(batch: ExportRequest): Promise<ExportAnswer> {
    const startedAt = performance.now();
    const answer = await this.#inner.export(batch);
    if (answer.outcome === "accepted") {
      this.#latency.record(performance.now() - startedAt);
      this.accepted++;
    }
    return answer;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /**
   * 95th percentile in milliseconds of the calls accepted since the previous call of this method; undefined when there
   * were none.
   */
  takeP95(): number | undefined {
    const { p95, max } = this.#latency.percentiles();
    this.#latency = new LatencyHistogram();
    return max === 0 ? undefined : p95;
  }
}
