import type { ServiceLabels } from "./service-labels.ts";

/**
 * Sampler types with their own label value; all others are `unrecognized`. Source: Jaeger 1.62, model/span.go
 */
const samplerTypes = ["const", "probabilistic", "ratelimiting", "lowerbound", "unrecognized"];
const unrecognizedIndex = 4;

/** Number of traces by sampler type, as plain numbers, because every request changes them. */
export class SamplerCounts {
  readonly #counts: number[] = [0, 0, 0, 0, 0];

  /** @param samplerType type in the span's tag */
  add(samplerType: string, count: number): void {
    const counts = this.#counts;
    const index = samplerTypes.indexOf(samplerType);
    const slot = index < 0 ? unrecognizedIndex : index;
    counts[slot] = (counts[slot] ?? 0) + count;
  }

  addAll(other: SamplerCounts): void {
    const counts = this.#counts;
    for (let index = 0; index < counts.length; index++) {
      counts[index] = (counts[index] ?? 0) + (other.#counts[index] ?? 0);
    }
  }

  /** Sampler types with at least one trace, each with its number of traces. */
  *[Symbol.iterator](): Iterator<[samplerType: string, count: number], void> {
    for (const [index, type] of samplerTypes.entries()) {
      const count = this.#counts[index] ?? 0;
      if (count > 0) {
        yield [type, count];
      }
    }
  }
}

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
