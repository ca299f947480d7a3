import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../src/expect.ts";
import { memoryMiB, metricOf, openFaultProcesses } from "./fault-processes.ts";
import { randomOf } from "./seeded-random.ts";
import { doorNames } from "./span-doors.ts";
import { type LedgerReport, SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

/**
 * The behaviour of storage during an outage. `killed`: the process is killed. `frozen`: it hangs like a machine with a
 * stuck disk: connections stay open, requests get no answer, and begun work continues later.
 */
export type Absence = "killed" | "frozen";

export interface OutageSettings {
  readonly absence: Absence;
  /** Minimum time in milliseconds without storage. Storage stays away longer until every protocol has been refused. */
  readonly awayMs: number;
  /** Most bytes of the journal; it must be full before storage restarts. */
  readonly journalBytes: number;
  readonly seed: number;
  /** Most bytes of an attribute of each span; 1,000 by default. */
  readonly ballastBytes?: number;
  /** Milliseconds between two requests of a sender; there are ten senders; 10 by default. */
  readonly pauseMs?: number;
  /** Milliseconds for filling and for draining the journal; 2 minutes by default. */
  readonly patienceMs?: number;
  /** Called with a line of progress every few seconds. */
  say(line: string): void;
}

export interface OutageReport extends LedgerReport {
  readonly requestsAcknowledged: number;
  /** Requests without an answer, by reason: there should be none. */
  readonly cutReasons: readonly string[];
  /** The refusals of each protocol while the journal was full. */
  readonly refusals: Readonly<Record<string, readonly string[]>>;
  readonly requestsRefused: number;
  readonly awaySeconds: number;
  /** Seconds from the stop of storage to the first refusal. */
  readonly fullAfterSeconds: number;
  /** Seconds from the restart of storage until it had all spans. */
  readonly drainSeconds: number;
  /** Resident memory of the collector in MiB; undefined when the system has no /proc. */
  readonly memoryBeforeMiB: number | undefined;
  readonly memoryPeakMiB: number | undefined;
  /** Warnings and errors in the collector's log, and its line about the return of storage. */
  readonly logLines: readonly string[];
}

const startWithinMs = 60_000;
const sayEveryMs = 10_000;

/** Stops storage under load until the journal is full, and restarts it; then compares the spans. */
export async function runOutage(settings: OutageSettings): Promise<OutageReport> {
  const { absence, awayMs, journalBytes, seed, say, ballastBytes = 1_000, pauseMs = 10 } = settings;
  const { patienceMs = 120_000 } = settings;
  const random = randomOf(seed);
  const backend = await openFaultProcesses({
    collectorOptions: ["--collector.journal.max-bytes", String(journalBytes)],
  });
  const { collector, storage } = backend;
  const ledger = new SpanLedger();
  const seconds = (sinceMs: number) => Math.round((Date.now() - sinceMs) / 100) / 10;
  try {
    await Promise.all([storage.start(), collector.start()]);
    const { pid } = collector;
    const senders = new SpanSenders({ addresses: backend.addresses, ledger, random, ballastBytes, pauseMs });
    const progress = setInterval(() => {
      const refused = refusedOf(senders);
      say(
        `${senders.acknowledged} requests acknowledged, ${refused} refused, ${senders.cut} cut; ` +
          `the collector holds ${memoryMiB(collector, "VmRSS")} MiB`,
      );
    }, sayEveryMs);
    try {
      await senders.more(10, startWithinMs);
      await eventually(async () => {
        const stored = await metricOf(collector, "tracing_collector_spans_saved_total");
        if (stored === 0) {
          throw new Error("storage has nothing yet");
        }
      }, startWithinMs);
      const memoryBeforeMiB = memoryMiB(collector, "VmRSS");
      const awayAtMs = Date.now();
      say(`storage is ${absence}`);
      if (absence === "killed") {
        await storage.end("SIGKILL");
      } else {
        process.kill(storage.pid, "SIGSTOP");
      }
      await senders.until(() => refusedOf(senders) > 0, "the journal is full", patienceMs + awayMs);
      const fullAfterSeconds = seconds(awayAtMs);
      say(`the journal is full after ${fullAfterSeconds} s`);
      await senders.until(
        () => doorNames.every((name) => senders.counts[name].refused.size > 0),
        "every protocol is refused",
        patienceMs,
      );
      await sleep(Math.max(0, awayAtMs + awayMs - Date.now()));

      const awaySeconds = seconds(awayAtMs);
      const refusals = senders.refusals();
      if (absence === "killed") {
        await storage.start();
      } else {
        process.kill(storage.pid, "SIGCONT");
      }
      const backAtMs = Date.now();
      say(`storage is back after ${awaySeconds} s`);
      await senders.more(5, patienceMs);
      await senders.stop();
      await eventually(async () => {
        const waiting = await metricOf(collector, "tracing_collector_queue_length");
        if (waiting > 0) {
          throw new Error(`${waiting} spans wait for storage`);
        }
      }, patienceMs);
      const drainSeconds = seconds(backAtMs);
      const report = await ledger.compare(backend.storageUrl);
      return {
        ...report,
        problems: collector.pid === pid ? report.problems : [...report.problems, "the collector ended"],
        requestsAcknowledged: senders.acknowledged,
        requestsRefused: refusedOf(senders),
        cutReasons: doorNames.flatMap((name) => [...senders.counts[name].cut.keys()]),
        ...{ refusals, awaySeconds, fullAfterSeconds, drainSeconds, memoryBeforeMiB },
        memoryPeakMiB: memoryMiB(collector, "VmHWM"),
        logLines: collector.log
          .split("\n")
          .filter((line) => /"level":"(warn|error|fatal)"|storage is back/.test(line)),
      };
    } finally {
      clearInterval(progress);
      await senders.stop();
    }
  } finally {
    await backend.close();
  }
}

function refusedOf(senders: SpanSenders): number {
  const counts = doorNames.flatMap((name) => [...senders.counts[name].refused.values()]);
  return counts.reduce((sum, count) => sum + count, 0);
}
