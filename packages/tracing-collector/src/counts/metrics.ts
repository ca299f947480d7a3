import { hostname } from "node:os";
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";
import { IntakeTotals } from "./intake-totals.ts";
import { SavedCounts } from "./saved-counts.ts";
import type { ServiceCounts } from "./service-counts.ts";

/** The source of spans: protocol, transport and format. */
export interface SpanSource {
  /** Transport that the spans came by. */
  readonly transport: "grpc" | "http";
  /** Format that they were in. */
  readonly format: "otlp" | "otlp-json" | "proto" | "jaeger" | "zipkin";
}

/** Receives the counts of received spans. */
export interface SpanCountsObserver {
  /** A request was decoded. */
  servicesReceived(source: SpanSource, counts: ServiceCounts): void;
}

/** Labels of metrics about requests. */
const sourceLabels = ["transport", "format"] as const;
const secondsBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/**
 * The collector's metrics; names start with `tracing_collector_`. A metric that the public model has too
 * keeps its name and labels.
 */
export class CollectorMetrics implements SpanCountsObserver {
  // Counted by `SpanIntake`, for each request.
  readonly requests;
  readonly spansRejected;
  readonly spansRefused;
  readonly spansRepeated;
  // Counted by the journal's observer, and by the writer that brings segments to the store.
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
  // Counted by the receiver of Thrift over HTTP.
  readonly httpRequestSeconds;
  readonly httpServerRequests;
  readonly httpServerErrors;
  readonly #registers: [Registry];
  /** By the source object, which each receiver keeps for its lifetime. */
  readonly #totals = new Map<SpanSource, IntakeTotals>();
  /** Bytes of rows since the start. */
  #keptBytes = 0;
  /** Spans of the last request. */
  #batchSpans = 0;

  constructor(registry: Registry) {
    const registers: [Registry] = [registry];
    this.#registers = registers;
    const totals = this.#totals;
    this.requests = new Counter({
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
    const batchSpans = () => this.#batchSpans;
    new Gauge({
      name: "tracing_collector_batch_size",
      help: "Spans of the last request.",
      registers,
      collect() {
        this.set(batchSpans());
      },
    });
    this.spansRejected = new Counter({
      name: "tracing_collector_spans_rejected_total",
      help: "Spans left out of requests that were otherwise kept, because of empty ids.",
      labelNames: sourceLabels,
      registers,
    });
    this.spansRefused = new Counter({
      name: "tracing_collector_spans_refused_total",
      help: "Spans whose senders were told to come again, by reason.",
      labelNames: [...sourceLabels, "reason"],
      registers,
    });
    this.spansRepeated = new Counter({
      name: "tracing_collector_spans_repeated_total",
      help: "Spans of batches that had come a short while before: they were acknowledged, and not kept twice.",
      labelNames: sourceLabels,
      registers,
    });
    this.journalCommitSeconds = new Histogram({
      name: "tracing_collector_journal_commit_seconds",
      help: "Time of one write to the journal with its sync.",
      buckets: secondsBuckets,
      registers,
    });
    this.spansSaved = new Counter({
      name: "tracing_collector_spans_saved_total",
      help: "Spans that storage has confirmed.",
      registers,
    });
    this.saveSeconds = new Histogram({
      name: "tracing_collector_save_latency",
      help: "Seconds of one block's insert into storage.",
      buckets: secondsBuckets,
      registers,
    });
    this.inQueueSeconds = new Histogram({
      name: "tracing_collector_in_queue_latency",
      help: "Seconds from the first span of a block to its insert into storage.",
      buckets: secondsBuckets,
      registers,
    });
    this.savedCounts = new SavedCounts(registry);
    this.storageErrors = new Counter({
      name: "tracing_collector_storage_errors_total",
      help: "Failed inserts, by code; all but refused ones are tried again.",
      labelNames: ["code"],
      registers,
    });
    this.storageUp = new Gauge({
      name: "tracing_collector_storage_up",
      help: "1 when storage answered last time, 0 when it is away or was not yet asked.",
      registers,
    });
    this.quarantinedSpans = new Counter({
      name: "tracing_collector_quarantined_spans_total",
      help: "Spans set aside on disk because storage refuses them or they cannot be read back.",
      registers,
    });
    this.quarantineDropped = new Counter({
      name: "tracing_collector_quarantine_dropped_files_total",
      help: "Files dropped from the journal's quarantine: age, they were older than --collector.journal.quarantine-retention; size, copies of damaged segments were over their limit.",
      labelNames: ["reason"],
      registers,
    });
    this.damagedSpans = new Counter({
      name: "tracing_collector_journal_damaged_spans_total",
      help: "Acknowledged spans whose bytes in the journal are not those that were written: a copy of the segment is kept, storage does not get them.",
      registers,
    });
    const { spansRefused, quarantinedSpans, damagedSpans } = this;
    new Counter({
      name: "tracing_collector_spans_dropped_total",
      help: "Spans that this collector has not brought to storage, refused ones and those set aside on disk.",
      labelNames: ["host"],
      registers,
      async collect() {
        this.reset();
        const counted = await Promise.all([spansRefused.get(), quarantinedSpans.get(), damagedSpans.get()]);
        const spans = counted.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0);
        this.inc({ host: hostname() }, spans);
      },
    });
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

  /** Counts a request that was decoded. */
  batchReceived(spans: number): void {
    this.#batchSpans = spans;
  }

  /** Counts spans that were kept. @param bytes size of their rows */
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
      /** For a journal on disk. */
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
