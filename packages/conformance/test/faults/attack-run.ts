import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../src/expect.ts";
import { type Attacked, attacks } from "./attacks.ts";
import { memoryMiB, metricOf, openFaultProcesses, openFiles } from "./fault-processes.ts";
import { randomOf } from "./seeded-random.ts";
import { doorNames } from "./span-doors.ts";
import { type LedgerReport, SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

export interface AttackSettings {
  readonly attackMs: number;
  readonly seed: number;
  /** Called with a line of progress every few seconds. */
  say(line: string): void;
}

export interface AttackReport extends LedgerReport {
  /** Number of rounds of each attack. */
  readonly rounds: Readonly<Record<string, number>>;
  /** Answers to the normal senders. */
  readonly requestsAcknowledged: number;
  readonly requestsRefused: Readonly<Record<string, readonly string[]>>;
  readonly cutReasons: readonly string[];
  readonly slowestMs: number;
  /** Memory of the collector in MiB; undefined on systems without /proc. */
  readonly memoryBeforeMiB: number | undefined;
  readonly memoryPeakMiB: number | undefined;
  readonly memoryAfterMiB: number | undefined;
  readonly filesBefore: number | undefined;
  readonly filesPeak: number | undefined;
  readonly filesAfter: number | undefined;
  /** Number of lines in the collector's log during the attack, and the lines that are errors. */
  readonly logLines: number;
  readonly logErrors: readonly string[];
}

const startWithinMs = 60_000;
const sayEveryMs = 10_000;
/** Number of concurrent connections of each attack. */
const lanes = 2;
/** Number of files that are opened and closed all the time: segments of the journal, connections to storage. */
const comingAndGoing = 12;
const filesCloseWithinMs = 30_000;

/**
 * Attacks every port of a collector in all ways at the same time, while senders send over every protocol; then compares
 * the spans.
 */
export async function runAttack({ attackMs, seed, say }: AttackSettings): Promise<AttackReport> {
  const random = randomOf(seed);
  const backend = await openFaultProcesses();
  const { collector, storage } = backend;
  const ledger = new SpanLedger();
  try {
    await Promise.all([storage.start(), collector.start()]);
    const { pid } = collector;
    const senders = new SpanSenders({
      addresses: backend.addresses,
      ledger,
      random,
      lanesPerDoor: 1,
      pauseMs: 20,
    });
    try {
      await senders.more(10, startWithinMs);
      const memoryBeforeMiB = memoryMiB(collector, "VmRSS");
      const filesBefore = openFiles(collector);
      let filesPeak = filesBefore ?? 0;
      const loggedBefore = collector.log.length;

      const end = AbortSignal.timeout(attackMs);
      const all = [...Object.values<string>({ ...backend.addresses }), backend.collectorAdmin];
      const attacked: Attacked = { addresses: backend.addresses, all, random, signal: end };
      const rounds: Record<string, number> = {};
      const progress = setInterval(() => {
        say(
          `${Object.values(rounds).reduce((sum, count) => sum + count, 0)} attacks, ` +
            `${senders.acknowledged} good requests acknowledged, ${senders.cut} cut; the collector holds ` +
            `${memoryMiB(collector, "VmRSS")} MiB and ${openFiles(collector)} files`,
        );
      }, sayEveryMs);
      const attackers = Object.entries(attacks).flatMap(([name, attack]) =>
        Array.from({ length: lanes }, async () => {
          while (!end.aborted) {
            await attack(attacked);
            rounds[name] = (rounds[name] ?? 0) + 1;
            filesPeak = Math.max(filesPeak, openFiles(collector) ?? 0);
            // An attack that is refused immediately would otherwise leave no time for the senders, which run in this
            // process.
            await sleep(5);
          }
        }),
      );
      await Promise.all(attackers);
      clearInterval(progress);
      await senders.more(5, startWithinMs);
      const filesAfter = await eventually(async () => {
        const files = openFiles(collector);
        if ((files ?? 0) > (filesBefore ?? 0) + comingAndGoing) {
          throw new Error(`${files} files are open, ${filesBefore} were before the attack`);
        }
        return files;
      }, filesCloseWithinMs);
      await senders.stop();
      await eventually(async () => {
        const waiting = await metricOf(collector, "tracing_collector_queue_length");
        if (waiting > 0) {
          throw new Error(`${waiting} spans wait for storage`);
        }
      }, startWithinMs);
      const logged = collector.log.slice(loggedBefore).split("\n").filter(Boolean);
      const report = await ledger.compare(backend.storageUrl);
      return {
        ...report,
        problems: collector.pid === pid ? report.problems : [...report.problems, "the collector ended"],
        ...{ rounds, memoryBeforeMiB, filesBefore, filesPeak, filesAfter },
        requestsAcknowledged: senders.acknowledged,
        requestsRefused: senders.refusals(),
        cutReasons: doorNames.flatMap((name) => [...senders.counts[name].cut.keys()]),
        slowestMs: Math.round(Math.max(...doorNames.map((name) => senders.counts[name].slowestMs))),
        memoryPeakMiB: memoryMiB(collector, "VmHWM"),
        memoryAfterMiB: memoryMiB(collector, "VmRSS"),
        logLines: logged.length,
        logErrors: logged.filter((line) => /"level":"(error|fatal)"/.test(line)),
      };
    } finally {
      await senders.stop();
    }
  } finally {
    await backend.close();
  }
}
