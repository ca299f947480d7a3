import { Counter, type Registry } from "prom-client";
import { WireError } from "wire/errors";
import type { SpanRows } from "wire/rows";
import type { SpanSource } from "../metrics.ts";
import { SpanCounts } from "./span-counts.ts";

/** How rows ended: storage has them, or refuses them. */
export type SaveResult = "ok" | "err";

/** Rows of the journal do not say how they came, and what is counted here does not ask. */
const anySource: SpanSource = { transport: "grpc", format: "proto" };

/**
 * Counts what left the journal by service, as the public model counts what it wrote.
 * Source: Jaeger 1.62, cmd/collector/app/metrics.go
 */
export class SavedCounts {
  readonly #counts: Readonly<Record<SaveResult, SpanCounts>>;

  constructor(registry: Registry) {
    const registers = [registry];
    const spans = new Counter({
      name: "tracing_collector_spans_saved_by_svc_total",
      help: "Spans that storage has (ok) or refuses (err), by service; services past 4,000 together as other-services.",
      labelNames: ["debug", "svc", "result"],
      registers,
    });
    const traces = new Counter({
      name: "tracing_collector_traces_saved_by_svc_total",
      help: "Root spans that storage has (ok) or refuses (err), by service and by the sampler that chose them.",
      labelNames: ["debug", "svc", "result", "sampler_type"],
      registers,
    });
    const countsOf = (result: SaveResult) =>
      new SpanCounts({
        spansReceived(_, { service, debug }, count) {
          spans.inc({ debug: String(debug), svc: service, result }, count);
        },
        tracesReceived(_, { service, debug }, samplerType, count) {
          traces.inc({ debug: String(debug), svc: service, result, sampler_type: samplerType }, count);
        },
      });
    this.#counts = { ok: countsOf("ok"), err: countsOf("err") };
  }

  /** Rows that cannot be read are not counted: whether they can be stored is not decided here. */
  count(rows: SpanRows, result: SaveResult): void {
    try {
      this.#counts[result].apply(rows, anySource);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }
}
