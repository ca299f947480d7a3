import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** What came in, and how. */
export interface SpanSource {
  readonly transport: "grpc" | "http";
  readonly format: "otlp" | "otlp-json" | "proto";
}

const sourceLabels = ["transport", "format"] as const;
const secondsBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The collector's metrics; names start with `tracing_collector_`. */
export class CollectorMetrics {
  readonly requests;
  readonly receivedBytes;
  readonly spansReceived;
  readonly spansRejected;
  readonly spansRefused;
  readonly journalCommitSeconds;
  readonly spansSaved;
  readonly saveSeconds;
  readonly storageErrors;
  readonly storageUp;
  readonly quarantinedSpans;
  readonly #registers: [Registry];

  constructor(registry: Registry) {
    const registers: [Registry] = [registry];
    this.#registers = registers;
    this.requests = new Counter({
      name: "tracing_collector_requests_total",
      help: "Requests with spans, by how they ended: kept, invalid (bad input), refused (come again).",
      labelNames: [...sourceLabels, "result"],
      registers,
    });
    this.receivedBytes = new Counter({
      name: "tracing_collector_received_bytes_total",
      help: "Bytes of messages with spans, decompressed.",
      labelNames: sourceLabels,
      registers,
    });
    this.spansReceived = new Counter({
      name: "tracing_collector_spans_received_total",
      help: "Spans received and understood.",
      labelNames: sourceLabels,
      registers,
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
      name: "tracing_collector_save_latency_seconds",
      help: "Time of one block's insert into storage.",
      buckets: secondsBuckets,
      registers,
    });
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
  }

  /** Gauges of the journal, read when they are asked for. */
  watchJournal(journal: { readonly bytes: number; readonly segments: number }, maxBytes: number): void {
    const registers = this.#registers;
    new Gauge({
      name: "tracing_collector_journal_bytes",
      help: "Bytes in the journal, segments in quarantine included.",
      registers,
      collect() {
        this.set(journal.bytes);
      },
    });
    new Gauge({
      name: "tracing_collector_journal_segments",
      help: "Segments of the journal that storage does not have yet.",
      registers,
      collect() {
        this.set(journal.segments);
      },
    });
    new Gauge({
      name: "tracing_collector_journal_max_bytes",
      help: "Limit of the journal.",
      registers,
    }).set(maxBytes);
  }
}
