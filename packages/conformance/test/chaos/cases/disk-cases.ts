import { closeSync, openSync, rmSync, statfsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../src/expect.ts";
import { metricOf } from "../../faults/fault-processes.ts";
import { doorNames } from "../../faults/span-doors.ts";
import type { ChaosCase } from "../chaos-case.ts";
import type { ChaosProcesses } from "../chaos-processes.ts";

const withinMs = 120_000;
const mebibyte = 1024 * 1024;
const pieceBytes = 64 * 1024;
const ballast = "ballast";

/** Fills a disk with a file, until at most this many bytes are left. */
function fill(disk: string, leftBytes: number): void {
  const file = openSync(join(disk, ballast), "a");
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(disk);
      const tooMuch = bavail * bsize - leftBytes;
      if (tooMuch <= 0) {
        return;
      }
      writeSync(file, Buffer.alloc(Math.min(pieceBytes, tooMuch)));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") {
      throw error;
    }
  } finally {
    closeSync(file);
  }
}

/** Waits until a journal has spans, because storage does not accept them. */
async function spansWait({ processes }: ChaosProcesses): Promise<void> {
  await eventually(async () => {
    const waiting = await metricOf(processes["collector-1"], "tracing_collector_queue_length");
    if (waiting < 100) {
      throw new Error(`only ${waiting} spans wait`);
    }
  }, withinMs);
}

function journalCase(): ChaosCase {
  return {
    name: "disk-full/journal",
    meaning:
      "storage is away until the disk of both journals is full: senders are refused over every protocol",
    settings: (scratch) => ({ journals: scratch.disk(6) }),
    ballastBytes: 1_500,
    restarts: ["storage"],
    harm: async ({ backend, senders }) => {
      await backend.processes.storage.end("SIGKILL");
      await senders.until(
        () => doorNames.every((name) => senders.counts[name].refused.size > 0),
        "every protocol is refused",
        withinMs,
      );
    },
    mend: ({ backend }) => backend.processes.storage.start(),
  };
}

/** @param reserve value of `--storage.min-free-bytes` @param left number of bytes that are left on the full disk */
function storageCase(name: string, meaning: string, reserve: string, left: number): ChaosCase {
  let disk = "";
  return {
    name,
    meaning,
    settings: (scratch) => {
      disk = scratch.disk(256);
      return { data: join(disk, "storage"), storageOptions: ["--storage.min-free-bytes", reserve] };
    },
    harm: async ({ backend }) => {
      fill(disk, left);
      await spansWait(backend);
      // Fills the space that was freed meanwhile.
      fill(disk, left);
    },
    mend: async () => rmSync(join(disk, ballast)),
  };
}

/** Disks that become full under load, and later have space again. */
export const diskCases: readonly ChaosCase[] = [
  journalCase(),
  storageCase(
    "disk-full/storage",
    "the disk of storage has less room than its reserve: rows are refused, and wait in the journals",
    "64MiB",
    32 * mebibyte,
  ),
  storageCase(
    "disk-full/storage-no-reserve",
    "without a reserve, the disk of storage has no byte left: writes fail in the middle",
    "0",
    0,
  ),
];
