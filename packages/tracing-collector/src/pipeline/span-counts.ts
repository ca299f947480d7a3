import { RowScanner, type SpanRows } from "wire/rows";
import type { SpanSource } from "../metrics.ts";
import type { RowStep } from "./row-step.ts";

/** Services past `maxServices` are counted under this name. */
export const otherServices = "other-services";
const unknownService = "__unknown";
const debugFlag = 2;
const unrecognized = "unrecognized";
const samplerTypes: ReadonlySet<string> = new Set(["probabilistic", "lowerbound", "ratelimiting", "const"]);

/** Spans of one service that came in one request, one after the other. */
export interface ServiceLabels {
  /** As `metricServiceName` writes it, or `other-services`. */
  readonly service: string;
  /** Whether the spans carry the debug flag. */
  readonly debug: boolean;
}

/** Where counts go: one call for each run of spans that are alike, not one for each span. */
export interface SpanCountsObserver {
  spansReceived(source: SpanSource, labels: ServiceLabels, spans: number): void;
  /** Root spans. @param samplerType `probabilistic`, `lowerbound`, `ratelimiting`, `const` or `unrecognized` */
  tracesReceived(source: SpanSource, labels: ServiceLabels, samplerType: string, traces: number): void;
}

/**
 * Counts received spans, and traces by their root spans, by service.
 * Source: Jaeger 1.62, cmd/collector/app/metrics.go
 */
export class SpanCounts implements RowStep {
  readonly #observer: SpanCountsObserver;
  readonly #maxServices: number;
  readonly #scanner = new RowScanner();
  /** Label of each service name as it comes. */
  readonly #names = new Map<string, string>();
  readonly #services = new Set<string>();
  #labels: ServiceLabels = { service: otherServices, debug: false };
  #service = Buffer.alloc(0);
  /** Root spans of the run at hand, by sampler type. */
  readonly #traces = new Map<string, number>();

  /** @param maxServices 4,000 by default, as in the public model */
  constructor(observer: SpanCountsObserver, maxServices = 4_000) {
    this.#observer = observer;
    this.#maxServices = maxServices;
  }

  apply(rows: SpanRows, source: SpanSource): SpanRows {
    const scanner = this.#scanner;
    scanner.open(rows);
    // What rows that could not be read to their end have left.
    this.#traces.clear();
    let spans = 0;
    while (scanner.next()) {
      const debug = (scanner.flags & debugFlag) !== 0;
      if (!this.#isSameService() || debug !== this.#labels.debug) {
        this.#endRun(source, spans);
        spans = 0;
        this.#labels = { service: this.#label(), debug };
      }
      spans++;
      if (scanner.isRoot) {
        const type = scanner.attributeText("sampler.type") ?? "";
        const samplerType = samplerTypes.has(type) ? type : unrecognized;
        this.#traces.set(samplerType, (this.#traces.get(samplerType) ?? 0) + 1);
      }
    }
    this.#endRun(source, spans);
    return rows;
  }

  #endRun(source: SpanSource, spans: number): void {
    if (spans === 0) return;
    this.#observer.spansReceived(source, this.#labels, spans);
    for (const [type, traces] of this.#traces) {
      this.#observer.tracesReceived(source, this.#labels, type, traces);
    }
    this.#traces.clear();
  }

  #isSameService(): boolean {
    const { bytes, serviceStart, serviceEnd } = this.#scanner;
    const last = this.#service;
    if (last.length !== serviceEnd - serviceStart || last.length === 0) return false;
    for (let index = 0; index < last.length; index++) {
      if (last[index] !== bytes[serviceStart + index]) return false;
    }
    return true;
  }

  #label(): string {
    const { bytes, serviceStart, serviceEnd } = this.#scanner;
    this.#service = Buffer.from(bytes.subarray(serviceStart, serviceEnd));
    const name = this.#service.toString();
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const label = metricServiceName(name || unknownService);
    if (!this.#services.has(label) && this.#services.size >= this.#maxServices) return otherServices;
    this.#services.add(label);
    // Many names may share a label: names that a sender makes up must not fill the memory.
    if (this.#names.size < 2 * this.#maxServices) this.#names.set(name, label);
    return label;
  }
}

/**
 * A service name as metrics have it: lower case, and `_` for each of the first 256 characters that is no letter, digit,
 * dot or dash.
 * Source: Jaeger 1.62, pkg/normalizer/service_name.go
 */
export function metricServiceName(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(/[^a-z0-9.\u0100-\u{10ffff}-]/gu, "_");
}
