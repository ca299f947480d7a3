import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses } from "lifecycle/testing";
import { openClickHouseStore } from "storage/clickhouse";
import { type AskReport, askStore } from "../store/ask-store.ts";
import { fillStore } from "../store/fill-store.ts";
import { storeSql } from "../store/store-sql.ts";
import { TestProcess } from "../suite/test-process.ts";
import { Arguments, type OptionSpecs, optionHelp, UsageError } from "./arguments.ts";

const program = fileURLToPath(new URL("../../../tracing-storage/bin/tracing-storage.ts", import.meta.url));
const database = "tracing";

const specs = {
  folder: { value: "PATH", text: "Data of the store; kept, and filled only when it is empty." },
  hours: { value: "N", text: "A million spans are an hour.", fallback: "10" },
  times: { value: "N", text: "Requests of each kind.", fallback: "15" },
  settle: { text: "Wait until there is nothing left to merge." },
  json: { text: "Print the reports as JSON." },
  help: { text: "Print this." },
} satisfies OptionSpecs;

/**
 * `bench store`: fills a store of our own and asks it what people search for, past the query service.
 * @returns the exit code
 */
export async function storeCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = new Arguments(specs, argv);
  if (options.has("help")) {
    process.stdout.write(`Fills a store through its writer, and measures searches.

Usage: npm run bench -- store --folder PATH [options]

${optionHelp(specs)}`);
    return 0;
  }
  const folder = options.text("folder");
  if (folder === "") throw new UsageError("--folder is missing");
  const hours = options.integer("hours", 1, 10_000);
  const times = options.integer("times", 1, 100_000);
  await mkdir(folder, { recursive: true });
  const [http = "", admin = ""] = await freeAddresses(2);
  const storage = new TestProcess({
    name: "tracing-storage",
    command: process.execPath,
    args: [
      program,
      ...["--storage.data-dir", join(folder, "storage"), "--storage.http.host-port", http],
      ...["--grpc.host-port", "127.0.0.1:0", "--admin.http.host-port", admin],
    ],
    healthUrl: `http://${admin}/`,
    watchesParent: true,
  });
  const url = `http://${http}`;
  const store = openClickHouseStore({ urls: [url], requestTimeoutMs: 600_000 });
  try {
    await storage.healthy(signal);
    await store.ready(signal);
    const endUnixMs = await filledUntil(url);
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    const end = endUnixMs ?? Date.now();
    if (endUnixMs === undefined) await fillStore(store, url, database, hours, end, progress);
    if (options.has("settle")) await storeSql(url, `OPTIMIZE TABLE ${database}.spans FINAL`);
    const reports = await askStore(store, url, database, end, times);
    const disk = await storeSql(
      url,
      `SELECT table, count() AS parts, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = '${database}' GROUP BY table ORDER BY bytes DESC FORMAT TSVWithNames`,
    );
    if (options.has("json")) process.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
    else process.stdout.write(`${disk}\n\n${table(reports)}`);
    return 0;
  } finally {
    await store.close();
    await storage.stop();
  }
}

/** The newest start, rounded up to a second; undefined for an empty store. */
async function filledUntil(url: string): Promise<number | undefined> {
  const newest = await storeSql(url, `SELECT toUnixTimestamp(max(start)) FROM ${database}.spans FORMAT TSV`);
  return newest === "0" ? undefined : (Number(newest) + 1) * 1000;
}

function table(reports: readonly AskReport[]): string {
  const lines = reports.map(({ name, traces, wallMs, cpuMs, clientCpuMs, rows, bytes }) =>
    [
      name.padEnd(36),
      ...[
        traces,
        wallMs.toFixed(1),
        cpuMs.toFixed(1),
        clientCpuMs.toFixed(1),
        rows,
        (bytes / 1e6).toFixed(1),
      ].map((value) => String(value).padStart(12)),
    ].join(""),
  );
  const head = ["traces", "wall ms", "CPU ms", "client CPU", "rows read", "MB read"];
  return `${[" ".repeat(36) + head.map((name) => name.padStart(12)).join(""), ...lines].join("\n")}\n`;
}
