import { hostname } from "node:os";
import { Counter, Gauge, Histogram, type Registry } from "@prometheus-io/client";

const secondsBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/**
 * Metrics of spans on the way through the journal to the store.
 * @param spansRefused counter of refused spans, which also count as dropped
 */
export function savedMetrics(registers: [Registry], spansRefused: Pick<Counter, "get">) {
  const journalCommitSeconds = new Histogram({
    name: "tracing_collector_journal_commit_seconds",
    help: "Time of one write to the journal with its sync.",
    buckets: secondsBuckets,
    registers,
  });
  const spansSaved = new Counter({
    name: "tracing_collector_spans_saved_total",
    help: "Spans that storage has confirmed.",
    registers,
  });
  const saveSeconds = new Histogram({
    name: "tracing_collector_save_latency",
    help: "Seconds of one block's insert into storage.",
    buckets: secondsBuckets,
    registers,
  });
  const inQueueSeconds = new Histogram({
    name: "tracing_collector_in_queue_latency",
    help: "Seconds from the first span of a block to its insert into storage.",
    buckets: secondsBuckets,
    registers,
  });
  const storageErrors = new Counter({
    name: "tracing_collector_storage_errors_total",
    help: "Failed inserts, by code; all but refused ones are tried again.",
    labelNames: ["code"],
    registers,
  });
  const storageUp = new Gauge({
    name: "tracing_collector_storage_up",
    help: "1 when storage answered last time, 0 when it is away or was not yet asked.",
    registers,
  });
  const saves = { journalCommitSeconds, spansSaved, saveSeconds, inQueueSeconds, storageErrors, storageUp };
  return { ...saves, ...lossMetrics(registers, spansRefused) };
}

/** Metrics of spans that do not reach the store. */
function lossMetrics(registers: [Registry], spansRefused: Pick<Counter, "get">) {
  const quarantinedSpans = new Counter({
    name: "tracing_collector_quarantined_spans_total",
    help: "Spans set aside on disk because storage refuses them or they cannot be read back.",
    registers,
  });
  const quarantineDropped = new Counter({
    name: "tracing_collector_quarantine_dropped_files_total",
    help: "Files dropped from the journal's quarantine: age, they were older than --collector.journal.quarantine-retention; size, copies of damaged segments were over their limit.",
    labelNames: ["reason"],
    registers,
  });
  const damagedSpans = new Counter({
    name: "tracing_collector_journal_damaged_spans_total",
    help: "Acknowledged spans whose bytes in the journal are not those that were written: a copy of the segment is kept, storage does not get them.",
    registers,
  });
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
  return { quarantinedSpans, quarantineDropped, damagedSpans };
}
