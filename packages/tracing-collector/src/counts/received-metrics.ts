import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { IntakeTotals } from "./intake-totals.ts";

/** How spans reached the collector. */
export interface SpanSource {
  readonly transport: "grpc" | "http";
  readonly format: "otlp" | "otlp-json" | "proto" | "jaeger" | "zipkin";
}

const sourceLabels = ["transport", "format"] as const;

/** Counts that are not metrics themselves, because every request changes them. */
interface ReceivedCounts {
  /** Counts by source object; each receiver uses one object for its lifetime. */
  readonly totals: ReadonlyMap<SpanSource, IntakeTotals>;
  /** Number of spans in the last request. */
  batchSpans(): number;
}

/**
 * Metrics of requests with spans. Most take their counts from `totals` at each scrape, so that requests need not look
 * up labels.
 */
export function receivedMetrics(registers: [Registry], { totals, batchSpans }: ReceivedCounts) {
  const requests = new Counter({
    name: "tracing_collector_requests_total",
    help: "Requests with spans, by how they ended: kept, invalid (bad input), refused (come again).",
    labelNames: [...sourceLabels, "result"],
    registers,
    collect() {
      for (const [source, kept] of totals) {
        this.inc({ ...source, result: "kept" }, kept.takeRequests());
      }
    },
  });
  new Counter({
    name: "tracing_collector_received_bytes_total",
    help: "Bytes of messages with spans, decompressed.",
    labelNames: sourceLabels,
    registers,
    collect() {
      for (const [source, received] of totals) {
        this.inc({ ...source }, received.takeBytes());
      }
    },
  });
  countSpansByService(registers, totals);
  new Gauge({
    name: "tracing_collector_batch_size",
    help: "Spans of the last request.",
    registers,
    collect() {
      this.set(batchSpans());
    },
  });
  const spansRejected = new Counter({
    name: "tracing_collector_spans_rejected_total",
    help: "Spans left out of requests that were otherwise kept, because of empty ids.",
    labelNames: sourceLabels,
    registers,
  });
  const spansRefused = new Counter({
    name: "tracing_collector_spans_refused_total",
    help: "Spans whose senders were told to come again, by reason.",
    labelNames: [...sourceLabels, "reason"],
    registers,
  });
  const spansRepeated = new Counter({
    name: "tracing_collector_spans_repeated_total",
    help: "Spans of batches that had come a short while before: they were acknowledged, and not kept twice.",
    labelNames: sourceLabels,
    registers,
  });
  return { requests, spansRejected, spansRefused, spansRepeated };
}

function countSpansByService(registers: [Registry], totals: ReadonlyMap<SpanSource, IntakeTotals>): void {
  new Counter({
    name: "tracing_collector_spans_received_total",
    help: "Spans received and understood, by service; services past 4,000 together as other-services.",
    labelNames: [...sourceLabels, "debug", "svc"],
    registers,
    collect() {
      for (const [source, received] of totals) {
        for (const [{ service, debug }, count] of received.takeSpans()) {
          this.inc({ ...source, debug: String(debug), svc: service }, count);
        }
      }
    },
  });
  new Counter({
    name: "tracing_collector_traces_received_total",
    help: "Root spans received and understood, by service and by the sampler that chose them.",
    labelNames: [...sourceLabels, "debug", "svc", "sampler_type"],
    registers,
    collect() {
      for (const [source, received] of totals) {
        for (const [{ service, debug }, types] of received.takeTraces()) {
          const labels = { ...source, debug: String(debug), svc: service };
          for (const [type, count] of types) {
            this.inc({ ...labels, sampler_type: type }, count);
          }
        }
      }
    },
  });
}
