import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../src/expect.ts";
import { ask } from "../../../src/tracing-api/ask.ts";
import { metricOf } from "../../faults/fault-house.ts";
import type { ChaosCase } from "../chaos-case.ts";
import type { ChaosHouse } from "../chaos-house.ts";

const withinMs = 120_000;
/** For this time a journal trusts what it has written. */
const freshMs = 11_000;
const collectors = ["collector-1", "collector-2"] as const;

/** Changes a byte of a file. @param share of its length: which byte */
function flip(path: string, share: number): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * share);
  bytes[at] = (bytes[at] ?? 0) ^ 0x20;
  writeFileSync(path, bytes);
}

async function query({ storageUrl }: ChaosHouse, sql: string): Promise<string> {
  const { status, text } = await ask(storageUrl, { method: "POST", body: sql });
  if (status !== 200) {
    throw new Error(`storage answers ${status}: ${text.slice(0, 300)}`);
  }
  return text.trim();
}

/** The folder of the largest part of the spans. */
async function largestPart(house: ChaosHouse): Promise<string> {
  return await eventually(async () => {
    const sql =
      "SELECT path FROM system.parts WHERE active AND database = 'tracing' AND table = 'spans' ORDER BY rows DESC LIMIT 1";
    const path = await query(house, sql);
    if (path === "") {
      throw new Error("no spans are stored yet");
    }
    return join(house.folder, "storage/engine", path.replace(/^.*?(?=store\/)/, ""));
  }, withinMs);
}

/** The file with the columns of a part, or the largest of them. */
function largestFile(part: string): string {
  const files = readdirSync(part).map((name) => join(part, name));
  return files.sort((one, other) => statSync(other).size - statSync(one).size)[0] ?? "";
}

/** Spans that storage says its answers lack. */
async function missingFromStorage({ storageUrl }: ChaosHouse): Promise<number> {
  const response = await fetch(storageUrl, { method: "POST", body: "SELECT count() FROM tracing.spans" });
  await response.text();
  const reasons = JSON.parse(response.headers.get("x-tracing-partial") ?? "[]") as { text: string }[];
  return reasons.reduce((sum, { text }) => sum + Number(/: (\d+) rows/.exec(text)?.[1] ?? 0), 0);
}

/** Spans that journals have said they lost. */
async function missingFromJournals({ processes }: ChaosHouse): Promise<number> {
  const counts = collectors.map((name) =>
    metricOf(processes[name], "tracing_collector_journal_damaged_spans_total"),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const saidMissing = async (house: ChaosHouse) =>
  (await missingFromStorage(house)) + (await missingFromJournals(house));

/** Segments of a journal that hold spans, oldest first. */
function segmentsOf({ folder }: ChaosHouse, name: string): string[] {
  const journal = join(folder, name);
  const files = readdirSync(journal).filter((file) => file.endsWith(".segment"));
  return files.sort().map((file) => join(journal, file));
}

/** Storage goes away, and both journals have segments that are old enough to be compared with their checksums. */
async function segmentsWait(house: ChaosHouse): Promise<void> {
  await house.processes.storage.end("SIGKILL");
  await eventually(async () => {
    for (const name of collectors) {
      if (segmentsOf(house, name).length === 0) {
        throw new Error(`${name} has no segment`);
      }
    }
  }, withinMs);
  await sleep(freshMs);
}

/** Behind the headers of the segment and of its first frame: in the rows of that one. */
const inRows = 24 + 12 + 20;

/** A byte of the rows of the first frame. */
function harmSegment(path: string): void {
  const bytes = readFileSync(path);
  bytes[inRows] = (bytes[inRows] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const ofOwn = () => ({});

/** Bytes on the disk that are others than were written: what is acknowledged is found, or said to be missing. */
export const damageCases: readonly ChaosCase[] = [
  {
    name: "damage/part",
    meaning: "a byte of the largest part is another, while storage runs",
    ...{ settings: ofOwn, saidMissing },
    harm: async ({ house }) => flip(largestFile(await largestPart(house)), 0.5),
    mend: async () => {},
  },
  {
    name: "damage/part-stopped",
    meaning: "a byte of the largest part, and one of its checksums, are others when storage starts",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage"] },
    harm: async ({ house }) => {
      const part = await largestPart(house);
      await house.processes.storage.end("SIGTERM");
      flip(largestFile(part), 0.5);
      flip(join(part, "checksums.txt"), 0.5);
    },
    mend: ({ house }) => house.processes.storage.start(),
  },
  {
    name: "damage/metadata",
    meaning:
      "a byte of each file by which storage knows its tables is another when it starts: nothing is missing",
    ...{ settings: ofOwn, restarts: ["storage"] },
    harm: async ({ house }) => {
      const tables = await query(house, "SELECT metadata_path FROM system.tables WHERE database = 'tracing'");
      await house.processes.storage.end("SIGKILL");
      const engine = join(house.folder, "storage/engine");
      for (const path of tables.split("\n")) {
        flip(join(engine, path.replace(/^.*?(?=store\/)/, "")), 0.5);
      }
      flip(join(engine, "metadata/tracing.sql"), 0.5);
      flip(join(house.folder, "storage/version.json"), 0.5);
    },
    mend: ({ house }) => house.processes.storage.start(),
  },
  {
    name: "damage/journal",
    meaning: "bytes of segments that wait in both journals are others, while the collectors run",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage"] },
    harm: async ({ house }) => {
      await segmentsWait(house);
      for (const name of collectors) {
        harmSegment(segmentsOf(house, name)[0] ?? "");
      }
    },
    mend: ({ house }) => house.processes.storage.start(),
  },
  {
    name: "damage/journal-stopped",
    meaning: "bytes of a segment, its header too, are others when a collector starts",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage", "collector-1"] },
    harm: async ({ house }) => {
      await segmentsWait(house);
      await house.processes["collector-1"].end("SIGKILL");
      for (const path of segmentsOf(house, "collector-1")) {
        harmSegment(path);
        flip(path, 0);
      }
    },
    mend: async ({ house }) => {
      await house.processes.storage.start();
      await house.processes["collector-1"].start();
    },
  },
  {
    name: "damage/autosave",
    meaning:
      "a byte of the web server's autosave is another when it starts: its history has the same configuration",
    restarts: ["admin-server"],
    settings: () => ({ serverOptions: ["--resume"] }),
    harm: async ({ house }) => {
      await house.processes["admin-server"].end("SIGKILL");
      flip(join(house.folder, "server-config/server/autosave.json"), 0);
    },
    mend: ({ house }) => house.processes["admin-server"].start(),
  },
];
