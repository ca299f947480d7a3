import { SamplerCounts } from "./sampler-counts.ts";
import type { ServiceLabels } from "./service-labels.ts";

/** Number of spans and traces in a block, grouped by service. */
export class ServiceCounts {
  /** Number of spans by service, in order of first occurrence. */
  readonly spans = new Map<ServiceLabels, number>();
  /** Number of root spans by service and sampler type. */
  readonly traces = new Map<ServiceLabels, SamplerCounts>();

  addSpans(labels: ServiceLabels, count: number): void {
    this.spans.set(labels, (this.spans.get(labels) ?? 0) + count);
  }

  addTraces(labels: ServiceLabels, samplerType: string, count: number): void {
    this.#tracesOf(labels).add(samplerType, count);
  }

  /** Adds the counts of another block; both must use the same `ServiceNames`. */
  add(other: ServiceCounts): void {
    this.addSpansOf(other);
    this.addTracesOf(other);
  }

  addSpansOf(other: ServiceCounts): void {
    for (const [labels, count] of other.spans) {
      this.addSpans(labels, count);
    }
  }

  addTracesOf(other: ServiceCounts): void {
    for (const [labels, traces] of other.traces) {
      this.#tracesOf(labels).addAll(traces);
    }
  }

  #tracesOf(labels: ServiceLabels): SamplerCounts {
    let traces = this.traces.get(labels);
    if (traces === undefined) {
      traces = new SamplerCounts();
      this.traces.set(labels, traces);
    }
    return traces;
  }
}
