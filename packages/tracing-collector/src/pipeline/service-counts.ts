import type { ServiceLabels } from "./service-labels.ts";

/** How many spans and traces a block holds of each service. */
export class ServiceCounts {
  /** In order of appearance. */
  readonly spans = new Map<ServiceLabels, number>();
  /** Root spans, by the type of their sampler: `probabilistic`, `lowerbound`, `ratelimiting`, `const`, `unrecognized`. */
  readonly traces = new Map<ServiceLabels, Map<string, number>>();

  addSpans(labels: ServiceLabels, count: number): void {
    this.spans.set(labels, (this.spans.get(labels) ?? 0) + count);
  }

  addTraces(labels: ServiceLabels, samplerType: string, count: number): void {
    let traces = this.traces.get(labels);
    if (traces === undefined) {
      traces = new Map();
      this.traces.set(labels, traces);
    }
    traces.set(samplerType, (traces.get(samplerType) ?? 0) + count);
  }

  /** Adds those of another block; its labels must come from the same `ServiceNames`. */
  add(other: ServiceCounts): void {
    this.addSpansOf(other);
    this.addTracesOf(other);
  }

  addSpansOf(other: ServiceCounts): void {
    for (const [labels, count] of other.spans) this.addSpans(labels, count);
  }

  addTracesOf(other: ServiceCounts): void {
    for (const [labels, traces] of other.traces) {
      for (const [type, count] of traces) this.addTraces(labels, type, count);
    }
  }
}
