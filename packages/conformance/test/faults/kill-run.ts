import { setTimeout as sleep } from "node:timers/promises";
import { drained } from "./drained.ts";
import { openFaultProcesses } from "./fault-processes.ts";
import { randomOf } from "./seeded-random.ts";
import { type LedgerReport, SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

/** The collector's `--collector.journal.sync` on disk, or a journal in memory. */
export const journalKinds = ["always", "interval", "off", "memory"] as const;
export type JournalKind = (typeof journalKinds)[number];

export interface KillSettings {
  readonly kills: number;
  readonly seed: number;
  /**
   * "always" by default. With "memory", a kill may lose acknowledged requests, but only whole ones, and the collector
   * must report the loss.
   */
  readonly journal?: JournalKind;
  /** Milliseconds after which no further kill happens; by default there is no limit. */
  readonly budgetMs?: number;
  /** Called with a line of progress from time to time. */
  say(line: string): void;
}

export interface KillReport extends LedgerReport {
  readonly collectorKills: number;
  /** Number of kills during a start of the collector, while it read its journal. */
  readonly killsDuringStart: number;
  /** Number of kills that left a sender without an answer. */
  readonly killsThatCut: number;
  readonly storageKills: number;
  readonly seconds: number;
}

/** One in this many kills comes at a random time of a start. */
const duringStartEvery = 5;
const maxStartMs = 1_500;
const maxIngestMs = 700;
/** One in this many kills also kills storage. */
const storageEvery = 8;
const maxStorageAwayMs = 2_000;
const startWithinMs = 60_000;
const sayEvery = 10;

/**
 * Kills a collector with SIGKILL repeatedly at random moments, and sometimes storage, while senders use every protocol.
 * Then the acknowledged spans are compared with the stored ones.
 * @returns the report, after the journal is empty
 * @throws Error when a process does not restart
 */
export async function runKills({
  kills,
  seed,
  journal = "always",
  budgetMs,
  say,
}: KillSettings): Promise<KillReport> {
  const random = randomOf(seed);
  const begunMs = Date.now();
  const seconds = () => Math.round((Date.now() - begunMs) / 1_000);
  const isInMemory = journal === "memory";
  const backend = await openFaultProcesses({
    collectorOptions: isInMemory
      ? ["--collector.journal.mode", "memory"]
      : ["--collector.journal.sync", journal],
  });
  const { collector, storage } = backend;
  const ledger = new SpanLedger({ mayLoseAcknowledged: isInMemory });
  const counts = { collectorKills: 0, killsDuringStart: 0, killsThatCut: 0, storageKills: 0 };
  try {
    await Promise.all([storage.start(), collector.start()]);
    const senders = new SpanSenders({ addresses: backend.addresses, ledger, random });
    try {
      let starting: Promise<unknown> = Promise.resolve();
      let storageBack: Promise<unknown> = Promise.resolve();
      while (counts.collectorKills < kills && (budgetMs === undefined || Date.now() - begunMs < budgetMs)) {
        if (random(duringStartEvery) === 0) {
          counts.killsDuringStart++;
          await sleep(random(maxStartMs));
        } else {
          const before = senders.acknowledged;
          const acknowledged = senders.until(
            () => senders.acknowledged > before,
            "a sender is acknowledged",
            startWithinMs,
          );
          // The error of a collector that does not restart is more useful than a timeout of the senders.
          const failure = await Promise.race([starting, acknowledged]);
          if (failure !== undefined) {
            throw failure;
          }
          await acknowledged;
          await sleep(random(maxIngestMs));
        }
        const cutBefore = senders.cut;
        await collector.end("SIGKILL");
        counts.collectorKills++;
        // Waits for the start that the kill interrupted.
        await starting;
        if (random(storageEvery) === 0) {
          await storageBack;
          await storage.end("SIGKILL");
          counts.storageKills++;
          storageBack = sleep(random(maxStorageAwayMs)).then(() => storage.start());
        }
        starting = collector.start().catch((error: unknown) => error);
        // Every sender that waited for an answer has noticed by now, or will notice soon, that there is none.
        await sleep(1);
        if (senders.cut > cutBefore) {
          counts.killsThatCut++;
        }
        if (counts.collectorKills % sayEvery === 0) {
          say(
            `${counts.collectorKills} kills, ${senders.acknowledged} requests acknowledged, ${seconds()} s`,
          );
        }
      }
      const failure = await starting;
      if (failure !== undefined) {
        throw failure;
      }
      await storageBack;
      // Each protocol must still work.
      await senders.more(1, startWithinMs);
    } finally {
      await senders.stop();
    }
    await drained(collector);
    const setAside = [...collector.log.matchAll(/^.*set aside.*$/gm)].map(([line]) => line);
    const report = await ledger.compare(backend.storageUrl);
    const silent = isInMemory && !collector.log.includes("a crash of this process loses");
    const unsaid = silent ? ["the collector did not say that its journal is in memory"] : [];
    return {
      ...report,
      problems: [...report.problems, ...setAside, ...unsaid],
      ...counts,
      seconds: seconds(),
    };
  } finally {
    await backend.close();
  }
}
