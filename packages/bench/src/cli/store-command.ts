import { askBesidePlain, type PlainReport } from "../store/ask-beside-plain.ts";
import { askQuery, type QueryReport } from "../store/ask-query.ts";
import { type AskReport, askStore } from "../store/ask-store.ts";
import { largeTrace } from "../store/fill-store.ts";
import { filledDatabase, startFilledSystem } from "../store/filled-system.ts";
import { storeSql } from "../store/store-sql.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { folderOf, spansOfHour, spansOfHourSpecs } from "./store-sizes.ts";

const specs = {
  folder: { value: "PATH", text: "Data of the store; kept, and filled only when it is empty." },
  hours: { value: "N", text: "Hours of spans, of which the last has just ended.", fallback: "10" },
  ...spansOfHourSpecs,
  times: { value: "N", text: "Requests of each kind.", fallback: "15" },
  settle: { text: "Wait until there is nothing left to merge." },
  plain: {
    text: "Also ask a plain table of the same spans, in turns with ours: tells a slow hour from slow tables.",
  },
  json: { text: "Print the reports as JSON." },
  help: { text: "Print this." },
} satisfies OptionSpecs;

/**
 * `bench store`: fills a store and measures searches in it, directly and through the query service.
 * @returns the exit code
 */
export async function storeCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const options = new Arguments(specs, argv);
  if (options.has("help")) {
    process.stdout.write(`Fills a store through its writer, and measures searches, past the query service and through it.

Usage: npm run bench -- store --folder PATH [options]

${optionHelp(specs)}`);
    return 0;
  }
  const folder = folderOf(options);
  const hours = options.integer("hours", 1, 10_000);
  const times = options.integer("times", 1, 100_000);
  const spansPerHour = spansOfHour(options);
  const system = await startFilledSystem(folder, { hours, spansPerHour }, signal);
  try {
    const { store, storeUrl, endUnixMs, query } = system;
    if (options.has("settle")) {
      await storeSql(storeUrl, `OPTIMIZE TABLE ${filledDatabase}.spans FINAL`);
    }
    const reports = await askStore(store, storeUrl, filledDatabase, endUnixMs, times);
    await query.healthy(signal);
    const largeTraceUnixMs = await largeTraceStart(storeUrl);
    const queryReports = await askQuery(query, { endUnixMs, largeTraceUnixMs }, times);
    const progress = (line: string) => process.stderr.write(`${line}\n`);
    const plainReports = options.has("plain")
      ? await askBesidePlain(store, storeUrl, filledDatabase, endUnixMs, times, progress)
      : [];
    const disk = await storeSql(
      storeUrl,
      `SELECT table, count() AS parts, sum(rows) AS rows, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = '${filledDatabase}' GROUP BY table ORDER BY bytes DESC FORMAT TSVWithNames`,
    );
    if (options.has("json")) {
      process.stdout.write(
        `${JSON.stringify({ store: reports, query: queryReports, plain: plainReports }, undefined, 2)}\n`,
      );
    } else {
      process.stdout.write(
        `${disk}\n\n${table(reports)}\n${queryTable(queryReports)}${plainReports.length > 0 ? `\n${plainTable(plainReports)}` : ""}`,
      );
    }
    return 0;
  } finally {
    await system.stop();
  }
}

/** The start of the newest span in the large trace, rounded up. */
async function largeTraceStart(storeUrl: string): Promise<number> {
  const sql = `SELECT toUnixTimestamp64Milli(max(start)) FROM ${filledDatabase}.spans WHERE trace_id = unhex('${largeTrace.traceId}')`;
  return Number(await storeSql(storeUrl, sql)) + 1;
}

function table(reports: readonly AskReport[]): string {
  const head = ["results", "p50 ms", "min ms", "p95 ms", "CPU ms", "client CPU", "rows read", "MB read"];
  const lines = reports.map((report) =>
    [
      report.name.padEnd(36),
      ...[
        report.results,
        ...[report.wallMs, report.wallMinMs, report.wallP95Ms, report.cpuMs, report.clientCpuMs].map((ms) =>
          ms.toFixed(1),
        ),
        report.rows,
        (report.bytes / 1e6).toFixed(1),
      ].map((value) => String(value).padStart(12)),
    ].join(""),
  );
  return `${[" ".repeat(36) + head.map((name) => name.padStart(12)).join(""), ...lines].join("\n")}\n`;
}

function plainTable(reports: readonly PlainReport[]): string {
  const head = ["ours p50 ms", "plain p50 ms", "ours to plain"];
  const lines = reports.map(({ name, oursMs, plainMs }) =>
    [
      name.padEnd(36),
      ...[oursMs.toFixed(1), plainMs.toFixed(1), (oursMs / plainMs).toFixed(2)].map((value) =>
        value.padStart(15),
      ),
    ].join(""),
  );
  return `${[" ".repeat(36) + head.map((name) => name.padStart(15)).join(""), ...lines].join("\n")}\n`;
}

function queryTable(reports: readonly QueryReport[]): string {
  const head = ["requests", "failed", "first ms", "p50 ms", "p95 ms", "CPU ms", "RSS MiB"];
  const lines = reports.map((report) =>
    [
      (report.name.startsWith("gRPC: ") ? report.name : `HTTP: ${report.name}`).padEnd(36),
      ...[
        ...[report.requests, report.failed],
        ...[report.firstMs, report.lastMs, report.lastP95Ms, report.cpuMs].map((ms) => ms.toFixed(1)),
        (report.rssPeakBytes / 2 ** 20).toFixed(0),
      ].map((value) => String(value).padStart(12)),
    ].join(""),
  );
  return `${[" ".repeat(36) + head.map((name) => name.padStart(12)).join(""), ...lines].join("\n")}\n`;
}
