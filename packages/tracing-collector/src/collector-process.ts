import { type Logger, type ProcessDefinition, TenantCheck } from "lifecycle";
import type { TraceStore } from "storage/api";
import { derivedComparison, openStore } from "trace-store";
import { checkPrivacyCommand } from "./commands/check-privacy-command.ts";
import { migrateConfigCommand } from "./commands/migrate-config-command.ts";
import { quarantineCommand } from "./commands/quarantine-command.ts";
import { CollectorMetrics } from "./counts/metrics.ts";
import { type CollectorOptions, collectorOptions } from "./options/collector-options.ts";
import type { SpanJournal } from "./pipeline/journal/span-journal.ts";
import { openJournal } from "./pipeline/open-journal.ts";
import { openRowSteps } from "./pipeline/open-row-steps.ts";
import { OrphanJournals } from "./pipeline/orphan-journals.ts";
import { openPrivacy } from "./pipeline/privacy/open-privacy.ts";
import { openQuotas } from "./pipeline/quotas/open-quotas.ts";
import { openRecentBatches } from "./pipeline/recent-batches.ts";
import { SpanCounts } from "./pipeline/span-counts.ts";
import { StorageWriter } from "./pipeline/storage-writer.ts";
import { receiverOpeners } from "./receivers/open-receivers.ts";
import { BodyReader } from "./receivers/read-body.ts";
import type { Receiver } from "./receivers/receiver.ts";
import { maxBodyBytes, maxUnfinishedBytes } from "./receivers/request-limits.ts";
import { UnfinishedBytes } from "./receivers/unfinished-bytes.ts";
import { openSampling } from "./sampling/open-sampling.ts";
import { DerivedWatch, type DerivedWatchParts } from "./upkeep/derived-watch.ts";

/**
 * Time limits of a graceful stop: for running calls, then for the last inserts. Their sum stays below the 10 s of
 * `--shutdown-timeout`.
 */
const finishCallsMs = 2_500;
const lastInsertsMs = 4_000;

/**
 * `tracing-collector`: receives spans over several protocols, writes them to a journal, and inserts them into the
 * store.
 */
export const collectorProcess: ProcessDefinition<typeof collectorOptions.shape> = {
  name: "tracing-collector",
  description:
    "Takes spans over OTLP, gRPC, Thrift and Zipkin's formats, keeps them in a journal on disk before it acknowledges them, " +
    "and writes them to storage in large blocks.",
  options: collectorOptions,
  aliases: { "clickhouse.username": "clickhouse.user" },
  commands: [quarantineCommand, migrateConfigCommand, checkPrivacyCommand],
  adminHostPort: ":14269",
  /**
   * Opens in this order: store, sampling, rules, journal, receivers. Receivers come last, because a span may arrive as
   * soon as a port is open, and must then be stored. An error in between closes the open parts in reverse order.
   */
  async start({ options, log, metrics: registry, health }) {
    const metrics = new CollectorMetrics(registry);
    if (options["collector.enable-span-size-metrics"]) {
      metrics.showSpanSizes();
    }
    await using opened = new AsyncDisposableStack();
    const store = openStore(options, log, { metrics: registry });
    opened.defer(() => store.close());
    const sampling = await openSampling(options, { store, metrics: registry, log });
    opened.defer(() => sampling.provider.close());
    const privacy = await openPrivacy(options, { metrics: registry, log, health });
    opened.defer(() => privacy.close());
    const quotas = await openQuotas(options, { metrics: registry, log, health });
    opened.defer(() => quotas.close());
    const { journal, openOrphans } = await openJournal(options, metrics, registry, log);
    opened.defer(() => journal.close());

    const unfinished = new UnfinishedBytes(maxUnfinishedBytes);
    const context = {
      ...{ journal, metrics, log },
      sampling: sampling.provider,
      showsRejected: privacy.steps.length === 0,
      quotas: quotas.quotas,
      recent: openRecentBatches(options["collector.recent-batches"]),
      steps: openRowSteps(options, [new SpanCounts(metrics), ...privacy.steps, ...sampling.steps], registry),
      tenants: new TenantCheck(options),
      unfinished,
      bodies: new BodyReader({ maxBytes: maxBodyBytes, unfinished }),
    };
    const receivers: Receiver[] = [];
    for (const open of receiverOpeners(options)) {
      const receiver = await open(context);
      opened.defer(() => receiver.stop(AbortSignal.abort()));
      receivers.push(receiver);
    }
    // From this line on, `stop` closes everything that was opened.
    opened.move();
    const workers = options["collector.num-workers"];
    const writer = new StorageWriter({ journal, store, metrics, log, workers });
    writer.start();
    const writerOf = (orphan: SpanJournal) => new StorageWriter({ journal: orphan, store, metrics, log });
    const ready = (signal: AbortSignal) => store.ready(signal);
    const orphans = openOrphans && new OrphanJournals({ open: openOrphans, ready, writerOf, log });
    orphans?.start();
    const derivedWatch = openDerivedWatch(options, {
      leases: store.sampling,
      log,
      health,
      metrics: registry,
    });
    derivedWatch?.start();
    log.info(Object.fromEntries(receivers.map(({ what, port }) => [what, port])), "listening");
    const lastClosed = [sampling.provider, privacy, quotas];
    const running = { receivers, journal, writer, orphans, derivedWatch, lastClosed, store, log };
    return { stop: (signal) => stopCollector(running, signal) };
  },
};

/** @returns undefined when the option switches the comparison of derived tables off */
function openDerivedWatch(
  options: CollectorOptions,
  parts: Omit<DerivedWatchParts, "compare">,
): DerivedWatch | undefined {
  const compare = derivedComparison(options, parts.log);
  const limits = {
    intervalMs: options["collector.derived-check-interval"],
    repair: options["collector.derived-repair"],
  };
  return compare && new DerivedWatch({ ...parts, compare }, limits);
}

/** All parts that a stop has to close. */
interface RunningCollector {
  readonly receivers: readonly Receiver[];
  readonly journal: SpanJournal;
  readonly writer: StorageWriter;
  readonly orphans: OrphanJournals | undefined;
  readonly derivedWatch: DerivedWatch | undefined;
  /** Sampling provider, privacy rules and quotas. They close after the journal: nothing needs them then. */
  readonly lastClosed: readonly { close(): Promise<void> }[];
  readonly store: TraceStore;
  readonly log: Logger;
}

/**
 * Stops in the order in which spans pass: receivers accept no more calls, the journal seals its last segment, the
 * writer empties the journal. When the time does not suffice, spans in a journal on disk wait for the next start.
 */
async function stopCollector(running: RunningCollector, signal: AbortSignal): Promise<void> {
  const { receivers, journal, writer, orphans, derivedWatch, lastClosed, store, log } = running;
  const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const callsEnd = within(finishCallsMs);
  await Promise.all(receivers.map((receiver) => receiver.stop(callsEnd)));
  await journal.finish();
  const insertsEnd = within(lastInsertsMs);
  await Promise.all([writer.drain(insertsEnd), orphans?.stop(insertsEnd), derivedWatch?.close()]);
  if (journal.segments > 0) {
    const { segments } = journal;
    if (journal.isDurable) {
      log.info({ segments }, "spans stay in the journal for the next start");
    } else {
      log.error({ segments }, "spans in memory are lost: storage did not take them in time");
    }
  }
  await journal.close();
  await Promise.all(lastClosed.map((one) => one.close()));
  await store.close();
}
