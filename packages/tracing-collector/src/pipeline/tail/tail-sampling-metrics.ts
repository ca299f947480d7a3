import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { TailObserver } from "./tail-sampler.ts";

/**
 * Counts the traces and spans that tail sampling keeps and drops. Names start with
 * `tracing_collector_tail_sampling_`. `TailSampler` calls the methods while it decides and judges.
 */
export class TailSamplingMetrics implements TailObserver {
  readonly #registers: [Registry];
  readonly #tracesKept;
  readonly #tracesDropped;
  readonly #earlyDecisions;
  readonly #spansKept;
  readonly #spansDropped;
  readonly #lateSpans;
  readonly #forgottenSpans;

  constructor(registry: Registry) {
    const registers: [Registry] = [registry];
    this.#registers = registers;
    const prefix = "tracing_collector_tail_sampling";
    this.#tracesKept = new Counter({
      name: `${prefix}_traces_kept_total`,
      help: "Traces that are stored, by the policy that wanted them first.",
      labelNames: ["policy"],
      registers,
    });
    this.#tracesDropped = new Counter({
      name: `${prefix}_traces_dropped_total`,
      help: "Traces that no policy wanted.",
      registers,
    });
    this.#earlyDecisions = new Counter({
      name: `${prefix}_early_decisions_total`,
      help: "Traces decided before their window was over, because of sampling.tail.max-traces or a stop.",
      registers,
    });
    this.#spansKept = new Counter({
      name: `${prefix}_spans_kept_total`,
      help: "Spans of traces that are stored, by policy.",
      labelNames: ["policy"],
      registers,
    });
    this.#spansDropped = new Counter({
      name: `${prefix}_spans_dropped_total`,
      help: "Spans of traces that no policy wanted.",
      registers,
    });
    this.#lateSpans = new Counter({
      name: `${prefix}_late_spans_total`,
      help: "Spans that came after the decision about their trace, and follow it.",
      registers,
    });
    this.#forgottenSpans = new Counter({
      name: `${prefix}_forgotten_spans_total`,
      help: "Spans that are stored because the decision about their trace was no longer remembered.",
      registers,
    });
  }

  /** @param policy undefined for a dropped trace. @param early true: decided before the end of its window */
  traceDecided(policy: string | undefined, early: boolean): void {
    if (policy === undefined) {
      this.#tracesDropped.inc();
    } else {
      this.#tracesKept.inc({ policy });
    }
    if (early) {
      this.#earlyDecisions.inc();
    }
  }

  /** Counted when a segment is judged, which is later than the decision about its traces. */
  spansDecided(policy: string | undefined, spans: number): void {
    if (policy === undefined) {
      this.#spansDropped.inc(spans);
    } else {
      this.#spansKept.inc({ policy }, spans);
    }
  }

  /** Counts spans whose trace was already decided at their arrival. `spansDecided` counts them again later. */
  lateSpans(spans: number): void {
    this.#lateSpans.inc(spans);
  }

  /** Counts spans that are kept because no decision is known. Many of them show that `max-traces` is too small. */
  forgottenSpans(spans: number): void {
    this.#forgottenSpans.inc(spans);
  }

  /** Adds gauges, which are read at each scrape. */
  watch(sampler: { readonly openTraces: number }, journal: { readonly waitingSegments: number }): void {
    const registers = this.#registers;
    new Gauge({
      name: "tracing_collector_tail_sampling_open_traces",
      help: "Traces that are not decided yet.",
      registers,
      collect() {
        this.set(sampler.openTraces);
      },
    });
    new Gauge({
      name: "tracing_collector_tail_sampling_waiting_segments",
      help: "Segments of the journal that wait for decisions, or for storage after them.",
      registers,
      collect() {
        this.set(journal.waitingSegments);
      },
    });
  }
}
