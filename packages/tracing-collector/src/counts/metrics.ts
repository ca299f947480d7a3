import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import { IntakeTotals } from "./intake-totals.ts";
import { receivedMetrics, type SpanSource } from "./received-metrics.ts";
import { SavedCounts } from "./saved-counts.ts";
import { savedMetrics } from "./saved-metrics.ts";
import type { ServiceCounts } from "./service-counts.ts";

export type { SpanSource } from "./received-metrics.ts";

/** Receives the counts of received spans. */
export interface SpanCountsObserver {
  /** A request was decoded. */
  servicesReceived(source: SpanSource, counts: ServiceCounts): void;
}

/**
 * The collector's metrics; names start with `tracing_collector_`. Metrics that Jaeger also has keep their
 * names and labels.
 */
export class CollectorMetrics implements SpanCountsObserver {
  // Metrics that `SpanIntake` counts, for each request.
  readonly requests;
  readonly spansRejected;
  readonly spansRefused;
  readonly spansRepeated;
  // Metrics that two parts count: the journal's observer, and the writer that inserts segments into the store.
  readonly journalCommitSeconds;
  readonly spansSaved;
  readonly saveSeconds;
  readonly inQueueSeconds;
  readonly savedCounts;
  readonly storageErrors;
  readonly storageUp;
  readonly quarantinedSpans;
  readonly quarantineDropped;
  readonly damagedSpans;
  // Metrics that the receiver of Thrift over HTTP counts.
  readonly httpRequestSeconds;
  readonly httpServerRequests;
  readonly httpServerErrors;
  readonly #registers: [Registry];
  /** Counts by source object; each receiver uses one object for its lifetime. */
  readonly #totals = new Map<SpanSource, IntakeTotals>();
  /** Bytes of stored rows since the start. */
  #keptBytes = 0;
  /** Number of spans in the last request. */
  #batchSpans = 0;

  constructor(registry: Registry) {
    const registers: [Registry] = [registry];
    this.#registers = registers;
    const received = receivedMetrics(registers, { totals: this.#totals, batchSpans: () => this.#batchSpans });
    this.requests = received.requests;
    this.spansRejected = received.spansRejected;
    this.spansRefused = received.spansRefused;
    this.spansRepeated = received.spansRepeated;
    const saved = savedMetrics(registers, this.spansRefused);
    this.journalCommitSeconds = saved.journalCommitSeconds;
    this.spansSaved = saved.spansSaved;
    this.saveSeconds = saved.saveSeconds;
    this.inQueueSeconds = saved.inQueueSeconds;
    this.savedCounts = new SavedCounts(registry);
    this.storageErrors = saved.storageErrors;
    this.storageUp = saved.storageUp;
    this.quarantinedSpans = saved.quarantinedSpans;
    this.quarantineDropped = saved.quarantineDropped;
    this.damagedSpans = saved.damagedSpans;
    this.httpRequestSeconds = new Histogram({
      name: "tracing_collector_http_request_duration",
      help: "Seconds that a request to the port of Thrift over HTTP took.",
      labelNames: ["method", "path", "status"],
      registers,
    });
    this.httpServerRequests = new Counter({
      name: "tracing_collector_http_server_requests_total",
      help: "Clients that asked over HTTP how to sample, or for baggage restrictions.",
      labelNames: ["type"],
      registers,
    });
    this.httpServerErrors = new Counter({
      name: "tracing_collector_http_server_errors_total",
      help: "Requests to the port of Thrift over HTTP that were answered with an error.",
      labelNames: ["source", "status"],
      registers,
    });
  }

  servicesReceived(source: SpanSource, services: ServiceCounts): void {
    this.totalsOf(source).addServices(services);
  }

  /** The counters that a receiver updates at every request. @param source the same object at every call */
  totalsOf(source: SpanSource): IntakeTotals {
    let totals = this.#totals.get(source);
    if (totals === undefined) {
      totals = new IntakeTotals();
      this.#totals.set(source, totals);
    }
    return totals;
  }

  /** Notes the number of spans in a decoded request, for the gauge of the last request. */
  batchReceived(spans: number): void {
    this.#batchSpans = spans;
  }

  /** Counts spans that were stored in the journal. @param bytes size of their rows */
  spansKept(bytes: number): void {
    this.#keptBytes += bytes;
  }

  /** Shows the gauge of `--collector.enable-span-size-metrics`. */
  showSpanSizes(): void {
    const keptBytes = () => this.#keptBytes;
    new Gauge({
      name: "tracing_collector_spans_bytes",
      help: "Bytes of all spans kept since the start, as they wait for storage.",
      registers: this.#registers,
      collect() {
        this.set(keptBytes());
      },
    });
  }

  /** Adds gauges of the journal, which are read at each scrape. */
  watchJournal(
    journal: {
      readonly bytes: number;
      readonly rows: number;
      readonly segments: number;
      /** Bytes of reusable files; only for a journal on disk. */
      readonly spareBytes?: number;
      readonly quarantined?: { readonly files: number; readonly bytes: number };
    },
    { maxBytes, maxRows = 0 }: { readonly maxBytes: number; readonly maxRows?: number },
  ): void {
    const registers = this.#registers;
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name: `tracing_collector_${name}`,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    gauge(
      "journal_bytes",
      "Bytes in the journal, segments that storage refused included.",
      () => journal.bytes,
    );
    gauge(
      "journal_spare_bytes",
      "Bytes of the journal's files that wait to be used again, at most three; they make room for spans.",
      () => journal.spareBytes ?? 0,
    );
    gauge(
      "quarantine_bytes",
      "Bytes of files in the journal's quarantine: segments that storage refused, and copies of damaged ones.",
      () => journal.quarantined?.bytes ?? 0,
    );
    gauge("quarantine_files", "Files in the journal's quarantine.", () => journal.quarantined?.files ?? 0);
    gauge(
      "journal_segments",
      "Segments of the journal that storage does not have yet.",
      () => journal.segments,
    );
    gauge("journal_max_bytes", "Limit of the journal.", () => maxBytes);
    gauge("queue_length", "Spans in the journal that storage does not have yet.", () => journal.rows);
    gauge(
      "queue_capacity",
      "Most of them, --collector.queue-size; 0: only bytes are limited.",
      () => maxRows,
    );
  }
}
