import { Counter, type Registry } from "@prometheus-io/client";
import { WireError } from "wire/errors";
import type { CountedRows } from "./counted-rows.ts";
import { ServiceCounter } from "./service-counter.ts";
import type { ServiceCounts } from "./service-counts.ts";

/** Result for rows: stored, or refused by the store. */
export type SaveResult = "ok" | "err";

/**
 * Counts rows that left the journal by service, as Jaeger counts written spans. Source: Jaeger
 * 1.62, cmd/collector/app/metrics.go
 */
export class SavedCounts {
  readonly #counter = new ServiceCounter();
  readonly #spans: Counter<"debug" | "svc" | "result">;
  readonly #traces: Counter<"debug" | "svc" | "result" | "sampler_type">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#spans = new Counter({
      name: "tracing_collector_spans_saved_by_svc_total",
      help: "Spans that storage has (ok) or refuses (err), by service; services past 4,000 together as other-services.",
      labelNames: ["debug", "svc", "result"],
      registers,
    });
    this.#traces = new Counter({
      name: "tracing_collector_traces_saved_by_svc_total",
      help: "Root spans that storage has (ok) or refuses (err), by service and by the sampler that chose them.",
      labelNames: ["debug", "svc", "result", "sampler_type"],
      registers,
    });
  }

  /** Counts rows. Unreadable rows are ignored: the store decides if it accepts them. */
  count(rows: CountedRows, result: SaveResult): void {
    let services: ServiceCounts;
    try {
      services = rows.services ?? this.#counter.count(rows);
    } catch (error) {
      if (error instanceof WireError) {
        return;
      }
      throw error;
    }
    this.add(services, result);
  }

  /** Like `count`, for rows that were counted before. */
  add(services: ServiceCounts, result: SaveResult): void {
    for (const [{ service, debug }, count] of services.spans) {
      this.#spans.inc({ debug: String(debug), svc: service, result }, count);
    }
    for (const [{ service, debug }, types] of services.traces) {
      for (const [type, count] of types) {
        this.#traces.inc({ debug: String(debug), svc: service, result, sampler_type: type }, count);
      }
    }
  }
}
