import { RowScanner, type SpanRows } from "wire/rows";
import { ServiceCounts } from "./service-counts.ts";
import { type ServiceLabels, ServiceNames } from "./service-labels.ts";

/** Bit of a span's flags with which a sender asks to keep the trace. */
const debugFlag = 2;

/**
 * Counts the spans of a block by service, and its traces by root span. Source: Jaeger 1.62,
 * cmd/collector/app/metrics.go
 */
export class ServiceCounter {
  readonly #names: ServiceNames;
  readonly #scanner = new RowScanner();
  #labels: ServiceLabels | undefined;
  #service = Buffer.alloc(0);

  constructor(names = new ServiceNames()) {
    this.#names = names;
  }

  /** @throws WireError for unreadable rows. In rows with a tally, only root spans are read. */
  count(rows: SpanRows): ServiceCounts {
    const counts = new ServiceCounts();
    const scanner = this.#scanner;
    scanner.open(rows);
    if (rows.tally !== undefined) {
      for (const { service, debug, spans, rootsAt } of rows.tally) {
        const labels = this.#names.labels(service, debug);
        counts.addSpans(labels, spans);
        for (const traceIdAt of rootsAt) {
          scanner.readSpan(traceIdAt);
          counts.addTraces(labels, this.#samplerType(), 1);
        }
      }
      return counts;
    }
    let spans = 0;
    let labels: ServiceLabels | undefined;
    while (scanner.next()) {
      const debug = (scanner.flags & debugFlag) !== 0;
      const next = this.#labelsOf(debug);
      if (next !== labels) {
        if (labels !== undefined) {
          counts.addSpans(labels, spans);
        }
        labels = next;
        spans = 0;
      }
      spans++;
      if (scanner.isRoot) {
        counts.addTraces(labels, this.#samplerType(), 1);
      }
    }
    if (labels !== undefined) {
      counts.addSpans(labels, spans);
    }
    return counts;
  }

  /** Value of the sampler tag of a client: `probabilistic`, `const` and the like; "" without the tag. */
  #samplerType(): string {
    return this.#scanner.attributeText("sampler.type") ?? "";
  }

  /** Labels of the present row; mostly equal to the labels of the previous row. */
  #labelsOf(debug: boolean): ServiceLabels {
    if (this.#labels?.debug === debug && this.#isSameService()) {
      return this.#labels;
    }
    const { bytes, serviceStart, serviceEnd } = this.#scanner;
    this.#service = Buffer.from(bytes.subarray(serviceStart, serviceEnd));
    this.#labels = this.#names.labels(this.#service.toString(), debug);
    return this.#labels;
  }

  #isSameService(): boolean {
    const { bytes, serviceStart, serviceEnd } = this.#scanner;
    const last = this.#service;
    if (last.length !== serviceEnd - serviceStart || last.length === 0) {
      return false;
    }
    for (let index = 0; index < last.length; index++) {
      if (last[index] !== bytes[serviceStart + index]) {
        return false;
      }
    }
    return true;
  }
}
