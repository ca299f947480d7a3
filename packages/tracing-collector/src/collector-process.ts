import { type ProcessDefinition, TenantCheck } from "lifecycle";
import { CollectorMetrics } from "./metrics.ts";
import { openStore } from "./open-store.ts";
import { collectorOptions } from "./options/collector-options.ts";
import { Journal } from "./pipeline/journal/journal.ts";
import { SpanCounts } from "./pipeline/span-counts.ts";
import { StorageWriter } from "./pipeline/storage-writer.ts";
import { receiverOpeners } from "./receivers/open-receivers.ts";
import type { Receiver } from "./receivers/receiver.ts";
import { openSampling } from "./sampling/open-sampling.ts";

/** The larger the block, the cheaper for ClickHouse; the age keeps spans visible within a second when few arrive. */
const segmentLimits = {
  segmentRows: 100_000,
  segmentBytes: 32 * 1024 * 1024,
  segmentAgeMs: 500,
  busySegmentRows: 5_000,
};

/** Shares of a graceful stop: calls under way, then the last inserts; together less than the shell's 10 s. */
const finishCallsMs = 3_000;
const lastInsertsMs = 5_000;

/** `tracing-collector`: spans in, over every protocol; a journal; then storage. */
export const collectorProcess: ProcessDefinition<typeof collectorOptions.shape> = {
  name: "tracing-collector",
  description:
    "Takes spans over OTLP, gRPC, Thrift and Zipkin's formats, keeps them in a journal on disk before it acknowledges them, " +
    "and writes them to storage in large blocks.",
  options: collectorOptions,
  aliases: { "clickhouse.username": "clickhouse.user" },
  adminHostPort: ":14269",
  async start({ options, log, metrics: registry }) {
    const metrics = new CollectorMetrics(registry);
    await using opened = new AsyncDisposableStack();
    const store = openStore(options);
    opened.defer(() => store.close());
    const sampling = await openSampling(options, { store, metrics: registry, log });
    opened.defer(() => sampling.provider.close());
    const maxBytes = options["collector.journal.max-bytes"];
    const journal = await Journal.open(
      {
        folder: options["collector.journal.dir"],
        sync: options["collector.journal.sync"],
        maxBytes,
        ...segmentLimits,
      },
      { committed: (durationMs) => metrics.journalCommitSeconds.observe(durationMs / 1_000) },
      log,
    );
    opened.defer(() => journal.close());
    metrics.watchJournal(journal, maxBytes);

    const context = {
      ...{ journal, metrics, log },
      sampling: sampling.provider,
      steps: [new SpanCounts(metrics), ...sampling.steps],
      tenants: new TenantCheck(options),
    };
    const receivers: Receiver[] = [];
    for (const open of receiverOpeners(options)) {
      const receiver = await open(context);
      opened.defer(() => receiver.stop(AbortSignal.abort()));
      receivers.push(receiver);
    }
    // Everything is open: from here on `stop` closes it.
    opened.move();
    const writer = new StorageWriter({ journal, store, metrics, log });
    writer.start();
    log.info(Object.fromEntries(receivers.map(({ what, port }) => [what, port])), "listening");

    return {
      async stop(signal) {
        const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
        const callsEnd = within(finishCallsMs);
        await Promise.all(receivers.map((receiver) => receiver.stop(callsEnd)));
        await journal.finish();
        await writer.drain(within(lastInsertsMs));
        if (journal.segments > 0) {
          log.info({ segments: journal.segments }, "spans stay in the journal for the next start");
        }
        await journal.close();
        await sampling.provider.close();
        await store.close();
      },
    };
  },
};
