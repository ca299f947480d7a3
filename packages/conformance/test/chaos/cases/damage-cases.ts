import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "../../../src/expect.ts";
import { ask } from "../../../src/tracing-api/ask.ts";
import { metricOf } from "../../faults/fault-processes.ts";
import type { ChaosCase } from "../chaos-case.ts";
import type { ChaosProcesses } from "../chaos-processes.ts";
import { type FlippedByte, flip } from "./flipped-bytes.ts";
import {
  enginePath,
  largestFile,
  largestPart,
  query,
  restorePart,
  saidByStorage,
  saysNothingIsAside,
  saysPartIsAside,
  withinMs,
} from "./part-damage.ts";

/** Milliseconds during which a journal trusts the data that it has written. */
const freshMs = 11_000;
/** Time for the check of all parts, which finds damage that no query reads, and waits for idle moments. */
const checkedWithinMs = 400_000;
const collectors = ["collector-1", "collector-2"] as const;

/** A part that a case has damaged. */
interface DamagedPart {
  readonly table: string;
  readonly path: string;
  readonly flipped: readonly FlippedByte[];
}

/** The damaged parts of a case, until they are checked. */
const damagedParts = new WeakMap<ChaosProcesses, readonly DamagedPart[]>();
const mendedFiles = new WeakMap<ChaosProcesses, number>();
const savedConfigs = new WeakMap<ChaosProcesses, string>();

/** Number of spans that storage reports as missing from its answers. */
async function missingFromStorage(backend: ChaosProcesses): Promise<number> {
  return (await saidByStorage(backend)).reduce(
    (sum, text) => sum + Number(/: (\d+) rows/.exec(text)?.[1] ?? 0),
    0,
  );
}

/** Number of spans that journals reported as lost. */
async function missingFromJournals({ processes }: ChaosProcesses): Promise<number> {
  const counts = collectors.map((name) =>
    metricOf(processes[name], "tracing_collector_journal_damaged_spans_total"),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

const saidMissing = async (backend: ChaosProcesses) =>
  (await missingFromStorage(backend)) + (await missingFromJournals(backend));

/** Segments of a journal that hold spans, oldest first. */
function segmentsOf({ folder }: ChaosProcesses, name: string): string[] {
  const journal = join(folder, name);
  const files = readdirSync(journal).filter((file) => file.endsWith(".segment"));
  return files.sort().map((file) => join(journal, file));
}

/**
 * Kills storage, and waits until both journals have segments that are old enough to be compared with their checksums.
 */
async function segmentsWait(backend: ChaosProcesses): Promise<void> {
  await backend.processes.storage.end("SIGKILL");
  await eventually(async () => {
    for (const name of collectors) {
      if (segmentsOf(backend, name).length === 0) {
        throw new Error(`${name} has no segment`);
      }
    }
  }, withinMs);
  await sleep(freshMs);
}

/** Offset after the headers of the segment and of its first frame, which is in the rows of this frame. */
const inRows = 24 + 12 + 20;

/** Damages a byte in the rows of the first frame. */
function harmSegment(path: string): void {
  // The byte is changed in place, because the collector may append to the file at this moment.
  const file = openSync(path, "r+");
  try {
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, inRows);
    byte[0] = (byte[0] ?? 0) ^ 1;
    writeSync(file, byte, 0, 1, inRows);
  } finally {
    closeSync(file);
  }
}

/** The collector must report the loss, and keep a copy of the damaged file within its limits. */
async function saysJournalIsDamaged(
  backend: ChaosProcesses,
  name: (typeof collectors)[number],
): Promise<void> {
  const collector = backend.processes[name];
  await eventually(async () => {
    const [spans, files, bytes] = await Promise.all(
      ["journal_damaged_spans_total", "quarantine_files", "quarantine_bytes"].map((metric) =>
        metricOf(collector, `tracing_collector_${metric}`),
      ),
    );
    if (spans === 0 || files === 0 || bytes === 0) {
      throw new Error(`${name} says: ${spans} spans damaged, ${files} files of ${bytes} bytes kept`);
    }
  }, withinMs);
  if (!/"level":"error".*are damaged/.test(collector.log)) {
    throw new Error(`the log of ${name} has no error about its journal`);
  }
  const [copy] = readdirSync(join(backend.folder, name, "quarantine"));
  if (copy?.endsWith(".segment.damaged") !== true) {
    throw new Error(`${name} has kept no copy: ${copy}`);
  }
}

/** Repairs the parts, after storage has reported that they are set aside. */
async function provesParts({ backend }: { readonly backend: ChaosProcesses }): Promise<void> {
  for (const { path, flipped, table } of damagedParts.get(backend) ?? []) {
    await saysPartIsAside(backend, path);
    await restorePart(backend, path, flipped, table);
  }
  await saysNothingIsAside(backend);
}

const ofOwn = () => ({});

/** Tables with a copy of some spans; in each, the file with the table's number is damaged. */
const tableOf = (index: number) => `damage_${index}`;
const sumOf = (backend: ChaosProcesses, table: string) =>
  query(backend, `SELECT count(), sum(cityHash64(*)) FROM tracing.${table}`);

/** Files without information about rows, which no answer needs. */
const withoutRows = new Set(["default_compression_codec.txt", "metadata_version.txt"]);

/**
 * The engine does not need the names of substreams: a changed byte in the middle may have no effect, and is then not
 * reported.
 */
const beginsWithMeaning = new Set(["columns_substreams.txt"]);

/** The web server's configuration, from its admin API. */
async function configOf({ processes }: ChaosProcesses): Promise<string> {
  const { text } = await ask(new URL("/config/", processes["admin-server"].metricsUrl).href, {
    headers: { Origin: new URL(processes["admin-server"].metricsUrl).origin },
  });
  return text;
}

/** @param place returns the offset of the byte in the autosave */
function autosaveCase(name: string, meaning: string, place: (saved: Buffer) => number): ChaosCase {
  const path = (backend: ChaosProcesses) => join(backend.folder, "server-config/server/autosave.json");
  return {
    ...{ name, meaning, restarts: ["admin-server"] },
    settings: () => ({ serverOptions: ["--resume"] }),
    harm: async ({ backend }) => {
      savedConfigs.set(backend, await configOf(backend));
      await backend.processes["admin-server"].end("SIGKILL");
      const saved = readFileSync(path(backend));
      flip(path(backend), place(saved) / saved.length, 1);
    },
    mend: ({ backend }) => backend.processes["admin-server"].start(),
    proves: async ({ backend }) => {
      const { log } = backend.processes["admin-server"];
      if (!/autosave\.json is damaged at byte \d+: it is set aside/.test(log)) {
        throw new Error("the web server's log does not say that its autosave is damaged");
      }
      if (!existsSync(`${path(backend)}.damaged`)) {
        throw new Error("the damaged autosave is not kept");
      }
      const config = await configOf(backend);
      if (config !== savedConfigs.get(backend)) {
        throw new Error(`another configuration runs: ${config.slice(0, 300)}`);
      }
      if (
        JSON.stringify(JSON.parse(readFileSync(path(backend), "utf8"))) !== JSON.stringify(JSON.parse(config))
      ) {
        throw new Error("the autosave is not whole again");
      }
    },
  };
}

/** Bytes on the disk change: acknowledged spans are either found or reported as missing. */
export const damageCases: readonly ChaosCase[] = [
  {
    name: "damage/part",
    meaning: "a byte of the largest part is another, while storage runs: said, then put right",
    ...{ settings: ofOwn, saidMissing },
    harm: async ({ backend }) => {
      const path = await largestPart(backend);
      damagedParts.set(backend, [{ table: "spans", path, flipped: [flip(largestFile(path), 0.5)] }]);
      await query(backend, "SYSTEM DROP UNCOMPRESSED CACHE");
    },
    mend: async () => {},
    proves: provesParts,
  },
  {
    name: "damage/part-stopped",
    meaning: "a byte of the largest part, and one of its checksums, are others when storage starts",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage"] },
    harm: async ({ backend }) => {
      const path = await largestPart(backend);
      await backend.processes.storage.end("SIGTERM");
      const flipped = [flip(largestFile(path), 0.5), flip(join(path, "checksums.txt"), 0.5)];
      damagedParts.set(backend, [{ table: "spans", path, flipped }]);
    },
    mend: ({ backend }) => backend.processes.storage.start(),
    proves: provesParts,
  },
  {
    name: "damage/part-files",
    meaning: "a byte of each file of a part is another, each in a table of its own, when storage starts",
    settings: () => ({ storageOptions: ["--storage.check-interval=1s"] }),
    restarts: ["storage"],
    harm: async ({ backend }) => {
      const files = readdirSync(await largestPart(backend)).sort();
      const parts: DamagedPart[] = [];
      for (const index of files.keys()) {
        const table = tableOf(index);
        // Merges are stopped, because they would write new files.
        await query(backend, `CREATE TABLE tracing.${table} AS tracing.spans`);
        await query(backend, `INSERT INTO tracing.${table} SELECT * FROM tracing.spans LIMIT 100`);
        const path = await query(
          backend,
          `SELECT path FROM system.parts WHERE active AND database = 'tracing' AND table = '${table}' LIMIT 1`,
        );
        parts.push({ table, path: enginePath(backend, path), flipped: [] });
      }
      const sums = await Promise.all(parts.map(({ table }) => sumOf(backend, table)));
      await backend.processes.storage.end("SIGTERM");
      damagedParts.set(
        backend,
        parts.map(({ table, path }, index) => {
          const file = readdirSync(path).sort()[index % readdirSync(path).length] ?? "";
          const share = beginsWithMeaning.has(file) ? 0 : 0.5;
          return { table, path, flipped: [{ ...flip(join(path, file), share), sum: sums[index] }] };
        }),
      );
    },
    mend: ({ backend }) => backend.processes.storage.start(),
    proves: async ({ backend, senders }) => {
      const unsaid: string[] = [];
      // The senders stop, because the check begins a part only while no query runs.
      await senders.stop();
      for (const { table, path, flipped } of damagedParts.get(backend) ?? []) {
        const [byte] = flipped as readonly (FlippedByte & { readonly sum?: string })[];
        const file = byte?.path.slice(path.length).replaceAll("/", "") ?? "";
        if (withoutRows.has(file)) {
          const sum = await sumOf(backend, table);
          if (sum !== byte?.sum) {
            unsaid.push(`${file}: ${sum}`);
          }
          continue;
        }
        await sumOf(backend, table);
        await eventually(async () => {
          const { text } = await ask(backend.processes.storage.metricsUrl);
          if (!text.includes(`tracing_storage_damaged_parts_total{table="tracing.${table}"`)) {
            throw new Error(`${file} is damaged, and nothing says so`);
          }
        }, checkedWithinMs);
        await restorePart(backend, path, flipped, table);
        const sum = await sumOf(backend, table);
        if (sum !== byte?.sum) {
          unsaid.push(`${file}, restored: ${sum}`);
        }
      }
      if (unsaid.length > 0) {
        throw new Error(unsaid.join("; "));
      }
      await saysNothingIsAside(backend);
    },
  },
  {
    name: "damage/metadata",
    meaning:
      "a byte of each file by which storage knows its tables is another when it starts: nothing is missing",
    ...{ settings: ofOwn, restarts: ["storage"] },
    harm: async ({ backend }) => {
      const tables = await query(
        backend,
        "SELECT metadata_path FROM system.tables WHERE database = 'tracing'",
      );
      await backend.processes.storage.end("SIGKILL");
      const paths = [
        ...tables.split("\n").map((path) => enginePath(backend, path)),
        join(backend.folder, "storage/engine/metadata/tracing.sql"),
        join(backend.folder, "storage/version.json"),
      ];
      for (const path of paths) {
        flip(path, 0.5);
      }
      mendedFiles.set(backend, paths.length);
    },
    mend: ({ backend }) => backend.processes.storage.start(),
    proves: async ({ backend }) => {
      const { storage } = backend.processes;
      const mended = await metricOf(storage, "tracing_storage_mended_files_total");
      if (mended !== mendedFiles.get(backend)) {
        throw new Error(`${mended} files were mended, ${mendedFiles.get(backend)} were damaged`);
      }
      const lines = storage.log
        .split("\n")
        .filter((line) => /"level":"error".*it is as it was again/.test(line));
      if (lines.length !== mended) {
        throw new Error(`the log names ${lines.length} mended files`);
      }
    },
  },
  {
    name: "damage/journal",
    meaning: "bytes of segments that wait in both journals are others, while the collectors run",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage"] },
    harm: async ({ backend }) => {
      await segmentsWait(backend);
      for (const name of collectors) {
        harmSegment(segmentsOf(backend, name)[0] ?? "");
      }
    },
    mend: ({ backend }) => backend.processes.storage.start(),
    proves: async ({ backend }) => {
      for (const name of collectors) {
        await saysJournalIsDamaged(backend, name);
      }
    },
  },
  {
    name: "damage/journal-stopped",
    meaning: "bytes of a segment, its header too, are others when a collector starts",
    ...{ settings: ofOwn, saidMissing, restarts: ["storage", "collector-1"] },
    harm: async ({ backend }) => {
      await segmentsWait(backend);
      await backend.processes["collector-1"].end("SIGKILL");
      for (const path of segmentsOf(backend, "collector-1")) {
        harmSegment(path);
        flip(path, 0);
      }
    },
    mend: async ({ backend }) => {
      await backend.processes.storage.start();
      await backend.processes["collector-1"].start();
    },
    proves: ({ backend }) => saysJournalIsDamaged(backend, "collector-1"),
  },
  autosaveCase(
    "damage/autosave",
    "a byte of the web server's autosave is another when it starts: its history has the same configuration",
    () => 0,
  ),
  autosaveCase(
    "damage/autosave-value",
    "a digit in the web server's autosave is another, so that it is still a configuration: it is noticed",
    (saved) => saved.indexOf("127.0.0.1:") + "127.0.0.1:".length,
  ),
];
