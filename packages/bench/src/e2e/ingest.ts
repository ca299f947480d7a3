import { availableParallelism, loadavg } from "node:os";
import { Corpus } from "../corpus/corpus.ts";
import type { Exporter, ExporterSettings } from "./exporters/exporter.ts";
import { GrpcExporter } from "./exporters/grpc-exporter.ts";
import { HttpExporter } from "./exporters/http-exporter.ts";
import type { DiskReport, IngestReport, ProcessReport, StoredReport } from "./ingest-report.ts";
import { type LoadPlan, type LoadResult, runLoad } from "./load/run-load.ts";
import { processUsage } from "./measure/process-usage.ts";
import { type SpanStore, waitForSpans } from "./measure/span-store.ts";

/** A process under test. */
export interface NamedPid {
  readonly name: string;
  readonly pid: number;
}

/** Settings of one measured run. */
export interface IngestOptions {
  readonly protocol: "grpc" | "http";
  readonly exporter: ExporterSettings;
  readonly plan: LoadPlan;
  readonly batchSpans: number;
  /** Seed for the shape of the spans; ids are always new. */
  readonly seed: number;
  readonly processes: readonly NamedPid[];
  readonly store: SpanStore | undefined;
  /** Milliseconds without growth after which the wait for missing spans in the store ends. */
  readonly storedStallMs: number;
  readonly optimize: boolean;
}

/**
 * Sends a load, waits until the store has it, and measures.
 * @param signal ends sending early; spans acknowledged before that are still awaited and reported
 * @throws Error when a process or the store does not run
 */
export async function ingest(options: IngestOptions, signal: AbortSignal): Promise<IngestReport> {
  const { protocol, store, plan } = options;
  const loadBefore = loadavg()[0] ?? 0;
  const before = (await store?.countSpans()) ?? 0;
  const cpuBefore = options.processes.map(({ pid }) => processUsage(pid).cpuSeconds);
  const corpus = new Corpus(options.batchSpans, options.seed, Math.floor(Math.random() * 2 ** 32));
  const ownBefore = process.cpuUsage();

  const exporter: Exporter =
    protocol === "grpc" ? new GrpcExporter(options.exporter) : new HttpExporter(options.exporter);
  const load = await runLoad(exporter, corpus, plan, signal).finally(() => exporter.close());
  const stored = await storedReport(options, before, load);

  const own = process.cpuUsage(ownBefore);
  return {
    protocol,
    endpoint: options.exporter.endpoint,
    load,
    acceptedPerSecond: load.seconds > 0 ? load.spans.accepted / load.seconds : 0,
    stored,
    processes: options.processes.map(({ name, pid }, index) => {
      const { cpuSeconds, rssPeakBytes } = processUsage(pid);
      const used = cpuSeconds - (cpuBefore[index] ?? 0);
      return processReport(name, used, stored?.spans ?? load.spans.accepted, rssPeakBytes);
    }),
    generator: processReport(
      "load generator",
      (own.user + own.system) / 1e6,
      load.spans.accepted,
      process.resourceUsage().maxRSS * 1024,
    ),
    disk: store === undefined ? undefined : await diskReport(store, options.optimize),
    machine: { cores: availableParallelism(), loadBefore, loadAfter: loadavg()[0] ?? 0 },
  };
}

function processReport(name: string, cpuSeconds: number, spans: number, rssPeakBytes: number): ProcessReport {
  const cpuSecondsPerMillionSpans = spans > 0 ? (cpuSeconds * 1e6) / spans : undefined;
  return { name, cpuSeconds, cpuSecondsPerMillionSpans, rssPeakBytes };
}

async function storedReport(
  { store, storedStallMs }: IngestOptions,
  before: number,
  { spans, seconds }: LoadResult,
): Promise<StoredReport | undefined> {
  if (store === undefined) {
    return undefined;
  }
  const { stored, waitedSeconds } = await waitForSpans(store, before, spans.accepted, storedStallMs);
  return {
    spans: stored,
    missing: Math.max(0, spans.accepted - stored),
    surplus: Math.max(0, stored - spans.accepted),
    waitedSeconds,
    perSecond: stored / (seconds + waitedSeconds),
  };
}

async function diskReport(store: SpanStore, optimize: boolean): Promise<DiskReport | undefined> {
  const usage = await store.diskUsage();
  if (usage === undefined || usage.spans === 0) {
    return undefined;
  }
  let optimizedBytesPerSpan: number | undefined;
  if (optimize && store.optimize !== undefined) {
    await store.optimize();
    const optimized = await store.diskUsage();
    if (optimized !== undefined) {
      optimizedBytesPerSpan = optimized.spanBytes / optimized.spans;
    }
  }
  return {
    bytesPerSpan: usage.spanBytes / usage.spans,
    allBytesPerSpan: usage.allBytes / usage.spans,
    optimizedBytesPerSpan,
  };
}
