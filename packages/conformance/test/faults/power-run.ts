import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../../src/tracing-api/ask.ts";
import { drained } from "./drained.ts";
import { openFaultProcesses } from "./fault-processes.ts";
import type { PowerDisk } from "./power-disk.ts";
import { randomOf } from "./seeded-random.ts";
import { type LedgerReport, SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

export interface PowerSettings {
  /** The disk with the data of collector and storage. */
  readonly disk: PowerDisk;
  readonly cuts: number;
  readonly seed: number;
  /** Called with a line of progress after each cut. */
  say(line: string): void;
}

export interface PowerReport extends LedgerReport {
  readonly cuts: number;
  /** Number of damaged parts that storage found and set aside. */
  readonly damagedParts: number;
}

const maxIngestMs = 4_000;
const startWithinMs = 60_000;
const lookMs = 1;

/**
 * Repeatedly cuts the power of the disk that collector and storage share, while senders use every protocol. Every
 * second cut is at a random time; the others happen when storage has a new block that it has not confirmed. Then the
 * acknowledged spans are compared with the stored ones.
 * @throws Error when a process does not restart
 */
export async function runPowerCuts({ disk, cuts, seed, say }: PowerSettings): Promise<PowerReport> {
  const random = randomOf(seed);
  const folder = join(disk.folder, "data");
  const backend = await openFaultProcesses({ folder });
  const { collector, storage } = backend;
  // Data written at the time of the cut may be stored, although its sender was refused.
  const ledger = new SpanLedger({ mayKeepRefused: true });
  let damagedParts = 0;
  const start = () => Promise.all([storage.start(), collector.start()]);
  try {
    await start();
    const senders = new SpanSenders({ addresses: backend.addresses, ledger, random });
    try {
      for (let cut = 1; cut <= cuts; cut++) {
        const before = senders.acknowledged;
        await senders.until(() => senders.acknowledged > before, "a sender is acknowledged", startWithinMs);
        if (cut % 2 === 0) {
          await newPart(backend.storageUrl);
        } else {
          await sleep(random(maxIngestMs));
        }
        // Otherwise a running sync could report success for data that the disk has lost: ADR 042.
        await Promise.all([collector.halt(), storage.halt()]);
        disk.cut();
        await Promise.all([collector.end("SIGKILL"), storage.end("SIGKILL")]);
        await disk.restore();
        await start();
        damagedParts += Number(
          await answerOf(backend.storageUrl, "SELECT count() FROM system.detached_parts"),
        );
        say(`${cut} cuts, ${senders.acknowledged} requests acknowledged`);
      }
      await senders.more(1, startWithinMs);
    } finally {
      await senders.stop();
    }
    await drained(collector);
    return { ...(await ledger.compare(backend.storageUrl)), cuts, damagedParts };
  } finally {
    await backend.close();
  }
}

/** Resolves when the folder of the spans has a part that an insert has just made. */
async function newPart(storageUrl: string): Promise<void> {
  const untilMs = Date.now() + startWithinMs;
  const pause = async () => {
    if (Date.now() > untilMs) {
      throw new Error(`storage has stored nothing for ${startWithinMs} ms`);
    }
    await sleep(lookMs);
  };
  const asked = "SELECT data_paths[1] FROM system.tables WHERE database = 'tracing' AND name = 'spans'";
  let folder = await answerOf(storageUrl, asked);
  // A collector acknowledges spans before it has created the tables.
  for (; folder === ""; folder = await answerOf(storageUrl, asked)) {
    await pause();
  }
  const inserted = () => readdirSync(folder).filter((name) => /^\d+_\d+_\d+_0$/.test(name));
  const before = new Set(inserted());
  while (!inserted().some((name) => !before.has(name))) {
    await pause();
  }
}

async function answerOf(storageUrl: string, sql: string): Promise<string> {
  const { status, text } = await ask(storageUrl, { method: "POST", body: sql });
  if (status !== 200) {
    throw new Error(`storage answers ${status}: ${text.slice(0, 300)}`);
  }
  return text.trim();
}
