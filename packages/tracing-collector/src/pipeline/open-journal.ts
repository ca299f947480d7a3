import type { Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { CollectorMetrics } from "../counts/metrics.ts";
import type { CollectorOptions } from "../options/collector-options.ts";
import { MemoryJournal } from "./journal/memory-journal.ts";
import { openJournalFolder } from "./journal/open-journal-folder.ts";
import { type ClaimedJournal, claimJournal, openOrphans } from "./journal/shared-journals.ts";
import type { SpanJournal } from "./journal/span-journal.ts";
import { memoryJournalBytes } from "./memory-journal-bytes.ts";
import { readTailPolicies, type TailPolicy } from "./tail/tail-policies.ts";
import { TailSampler, type TailSamplerSettings } from "./tail/tail-sampler.ts";
import { systemTailClock, TailSamplingJournal } from "./tail/tail-sampling-journal.ts";
import { TailSamplingMetrics } from "./tail/tail-sampling-metrics.ts";

/**
 * ClickHouse handles larger blocks more cheaply. The age keeps spans visible within a second when few arrive.
 */
const segmentLimits = {
  segmentRows: 100_000,
  segmentBytes: 32 * 1024 * 1024,
  segmentAgeMs: 500,
  busySegmentRows: 5_000,
};
/**
 * Blocks that are read while they are sent need no memory in the collector. In the store they need five times their
 * size (docs/adr/029-memory-between-inserts.md).
 */
const streamedSegmentLimits = {
  ...segmentLimits,
  segmentRows: 120_000,
  segmentBytes: 96 * 1024 * 1024,
  busySegmentAgeMs: 2_500,
};
/**
 * With one server, busy spans are findable within a second. Half a second would cost the store a quarter more processor
 * time at 50,000 spans a second (docs/measurements/056-searches-during-ingest.md). Several servers get fewer blocks:
 * each block becomes a part on several servers, and a table remembers only a limited number of deduplication tokens,
 * one for each block.
 */
const oneServerBusyAgeMs = 750;
/**
 * Spans that wait for a tail-sampling decision may gather longer: this share of the wait, up to the limit.
 */
const tailAgePart = 0.1;
const maxTailAgeMs = 3_000;
const mebibyte = 1024 * 1024;

/** The journal of this collector, and how to open those of ended collectors. */
export interface OpenedJournal {
  readonly journal: SpanJournal;
  /** Opens journals of ended collectors, after `ready`; undefined when the folder is not shared. */
  readonly openOrphans: ((ready: () => Promise<void>) => Promise<ClaimedJournal[]>) | undefined;
}

/**
 * Opens the journal that the options describe, on disk or in memory. With policies, tail sampling runs
 * between journal and store.
 * @throws StartError when the folder cannot be used, or a policy is invalid
 */
export async function openJournal(
  options: CollectorOptions,
  metrics: CollectorMetrics,
  registry: Registry,
  log: Logger,
): Promise<OpenedJournal> {
  const policiesFile = options["sampling.tail.policies-file"];
  // The file is read before the folder is locked, so that a faulty file changes nothing.
  const policies = policiesFile === "" ? undefined : await readTailPolicies(policiesFile);
  const decisionWaitMs = options["sampling.tail.decision-wait"];
  const isInMemory = options["collector.journal.mode"] === "memory";
  const askedBytes = maxBytesOf(options);
  const maxBytes = isInMemory ? memoryJournalBytes(askedBytes) : askedBytes;
  warnOfLoss(options, log);
  if (maxBytes < askedBytes) {
    log.warn(`the journal in memory has ${maxBytes} bytes, not ${askedBytes}: half of the memory there is`);
  }
  const limits = limitsOf(options, policies !== undefined, maxBytes);
  const quarantine = {
    maxAgeMs: options["collector.journal.quarantine-retention"],
    maxCopyBytes: options["collector.journal.quarantine-max-bytes"],
  };
  const openFolder = (folder: string) =>
    openJournalFolder(
      { ...limits, folder, sync: options["collector.journal.sync"], quarantine },
      {
        committed: (durationMs) => metrics.journalCommitSeconds.observe(durationMs / 1_000),
        damaged: (rows) => metrics.damagedSpans.inc(rows),
        dropped: (reason) => metrics.quarantineDropped.inc({ reason }),
      },
      log,
    );
  const root = options["collector.journal.dir"];
  const isShared = options["collector.journal.shared"] && !isInMemory;
  const claimed = isShared ? await claimJournal(root, openFolder) : undefined;
  if (claimed !== undefined) {
    log.info({ folder: claimed.folder }, "this collector's journal in the shared folder");
  }
  const journal = claimed?.journal ?? (isInMemory ? new MemoryJournal(limits, log) : await openFolder(root));
  const openOrphansOf =
    claimed === undefined
      ? undefined
      : (ready: () => Promise<void>) => openOrphans({ root, own: claimed.folder }, openFolder, ready);
  metrics.watchJournal(journal, limits);
  if (policies === undefined) {
    return { journal, openOrphans: openOrphansOf };
  }
  const tailMetrics = new TailSamplingMetrics(registry);
  const sampler = new TailSampler(samplerSettings(policies, options), tailMetrics);
  const tailJournal = new TailSamplingJournal(journal, sampler, log);
  tailMetrics.watch(sampler, tailJournal);
  log.info(
    { policies: policies.map(({ name }) => name), decisionWaitMs },
    "traces are sampled when they are over",
  );
  return { journal: tailJournal, openOrphans: openOrphansOf };
}

function samplerSettings(policies: readonly TailPolicy[], options: CollectorOptions): TailSamplerSettings {
  return {
    policies,
    decisionWaitMs: options["sampling.tail.decision-wait"],
    maxTraces: options["sampling.tail.max-traces"],
    now: systemTailClock.now,
    statesProbability: options["sampling.tracestate"],
  };
}

/** Logs when acknowledged spans may be lost: operators choose the mode, but may not know its risk. */
function warnOfLoss(options: CollectorOptions, log: Logger): void {
  const sync = options["collector.journal.sync"];
  if (options["collector.journal.mode"] === "memory") {
    log.warn(
      "the journal is in memory: a crash of this process loses what is acknowledged and not yet in storage",
    );
  } else if (sync !== "always") {
    log.warn(
      { sync },
      "spans are acknowledged before they are synced to disk: a crash of this machine may lose them",
    );
  }
}

/**
 * Limits of the journal and of a segment's size and age. With tail sampling, a segment may gather for a tenth of the
 * decision wait, at least 500 ms and at most 3 s.
 */
function limitsOf(options: CollectorOptions, isTailSampled: boolean, maxBytes: number) {
  const isStreamed =
    options["collector.journal.mode"] !== "memory" &&
    !isTailSampled &&
    options["span-storage.type"] === "clickhouse";
  const waitMs = Math.min(options["sampling.tail.decision-wait"] * tailAgePart, maxTailAgeMs);
  return {
    ...(isStreamed ? streamedSegmentLimits : segmentLimits),
    ...(isStreamed && options["clickhouse.url"].length === 1 && { busySegmentAgeMs: oneServerBusyAgeMs }),
    ...(isTailSampled && { segmentAgeMs: Math.max(segmentLimits.segmentAgeMs, waitMs) }),
    maxBytes,
    maxRows: options["collector.queue-size"],
  };
}

/**
 * `--collector.queue-size-memory` is Jaeger's option, and takes precedence over the journal's own
 * option.
 */
function maxBytesOf(options: CollectorOptions): number {
  const mebibytes = options["collector.queue-size-memory"];
  return mebibytes > 0 ? Math.floor(mebibytes * mebibyte) : options["collector.journal.max-bytes"];
}
