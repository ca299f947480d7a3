import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BareReport, measureBare } from "../bare/bare-report.ts";
import { ingest } from "../e2e/ingest.ts";
import { type IngestReport, lostSpans } from "../e2e/ingest-report.ts";
import { processUsage } from "../e2e/measure/process-usage.ts";
import type { Figure } from "../report/figure.ts";
import { machineLine } from "../report/notes.ts";
import { type Column, renderTable } from "../report/table.ts";
import { storeSql } from "../store/store-sql.ts";
import { startOurSystem } from "../suite/our-system.ts";
import { type System, stopAll } from "../suite/system.ts";
import { Arguments, type OptionSpecs, optionHelp } from "./arguments.ts";
import { loadOptions, loadSettings } from "./load-options.ts";

const options = {
  total: { value: "N", text: "spans, for each of the two", fallback: "2000000" },
  ...loadOptions,
} as const satisfies OptionSpecs;

const idlePolls = 5;
const pollMs = 200;

/**
 * `bench bare`: compares collector and storage with the engine alone, which reads the same spans from files.
 * @returns the exit code
 */
export async function bareCommand(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const args = new Arguments(options, argv);
  if (args.has("help")) {
    process.stdout.write(`Compares collector and storage, built and fed over OTLP gRPC, with their engine alone.

The engine alone reads the same spans from files into the same tables: no network, no load generator beside it. Once in blocks and in the
format that the collector sends, as many inserts at a time as there are cores; once as the collector inserts, one after the other, with its
settings, which leave some indexes to merges; and once from rows (RowBinary), of which the engine has to make columns itself, again as
many at a time as there are cores.

Usage: npm run bench -- bare [options]

${optionHelp(options)}`);
    return 0;
  }
  const totalSpans = args.integer("total", 100, 1e9);
  const settings = loadSettings(args);
  process.stderr.write("collector and storage\n");
  const ours = await withOurSystem(signal, async (system) => {
    const { store, measured: processes, grpcEndpoint: endpoint } = system;
    const report = await ingest(
      settings({ protocol: "grpc", endpoint, totalSpans, processes, store }),
      signal,
    );
    const pid = processes.find(({ name }) => name === "tracing-storage")?.pid ?? 0;
    const storedCpu = processUsage(pid).cpuSeconds;
    await untilMerged(system.storeUrl ?? "", signal);
    return { report, mergedCpuSeconds: processUsage(pid).cpuSeconds - storedCpu };
  });
  process.stderr.write("the engine alone\n");
  const bare = await measureBare(totalSpans, "as-engine", signal);
  const asCollector = await measureBare(totalSpans, "as-collector", signal);
  const fromRows = await measureBare(totalSpans, "from-rows", signal);
  if (args.has("json")) {
    process.stdout.write(`${JSON.stringify({ ours, bare, asCollector, fromRows }, null, 2)}\n`);
  } else {
    const columns = [
      ourColumn(ours.report, ours.mergedCpuSeconds),
      bareColumn("engine alone", bare),
      bareColumn("as the collector", asCollector),
      bareColumn("from rows", fromRows),
    ] as const;
    const ratios = [
      { title: "ours : engine alone", ours: columns[0], peer: columns[1] },
      { title: "ours : as the collector", ours: columns[0], peer: columns[2] },
      { title: "ours : from rows", ours: columns[0], peer: columns[3] },
    ];
    process.stdout.write(renderTable(columns, ratios) + machineLine(ours.report.machine));
  }
  return lostSpans(ours.report) ? 1 : 0;
}

async function withOurSystem<T>(signal: AbortSignal, work: (system: System) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    const system = await startOurSystem(folder, signal);
    try {
      return await work(system);
    } finally {
      await stopAll(system.processes);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function untilMerged(url: string, signal: AbortSignal): Promise<void> {
  for (let idle = 0; idle < idlePolls; ) {
    idle = (await storeSql(url, "SELECT count() FROM system.merges FORMAT TSV")) === "0" ? idle + 1 : 0;
    await sleep(pollMs, undefined, { signal });
  }
}

function ourColumn(report: IngestReport, mergedCpuSeconds: number): Column {
  const spans = report.stored?.spans ?? 0;
  const usedBy = (name: string) => report.processes.find((process) => process.name === name)?.cpuSeconds ?? 0;
  const [collector, storage] = [usedBy("tracing-collector"), usedBy("tracing-storage")];
  const perMillion = (cpuSeconds: number) => (cpuSeconds * 1e6) / spans;
  const figures: Figure[] = [
    { label: "spans/s stored", value: report.stored?.perSecond ?? 0, unit: "perSecond", compared: true },
    { label: "spans stored", value: spans, unit: "count" },
    ...cpuFigures(perMillion(collector + storage), perMillion(collector + storage + mergedCpuSeconds)),
    { label: "… of it the collector", value: perMillion(collector), unit: "cpuSeconds" },
    {
      label: "CPU-s/million spans, load generator",
      value: report.generator.cpuSecondsPerMillionSpans ?? 0,
      unit: "cpuSeconds",
    },
  ];
  return { title: "collector and storage", figures };
}

function bareColumn(title: string, { before, inserted, merged, rows }: BareReport): Column {
  const perMillion = (cpuSeconds: number) => ((cpuSeconds - before.cpuSeconds) * 1e6) / rows;
  const figures: Figure[] = [
    { label: "spans/s stored", value: rows / (inserted.seconds - before.seconds), unit: "perSecond" },
    { label: "spans stored", value: rows, unit: "count" },
    ...cpuFigures(perMillion(inserted.cpuSeconds), perMillion(merged.cpuSeconds)),
  ];
  return { title, figures };
}

function cpuFigures(stored: number, merged: number): Figure[] {
  return [
    { label: "CPU-s/million spans, until stored", value: stored, unit: "cpuSeconds", compared: true },
    {
      label: "CPU-s/million spans, until nothing is merged",
      value: merged,
      unit: "cpuSeconds",
      compared: true,
    },
  ];
}
