import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { Corpus } from "../corpus/corpus.ts";
import { GrpcExporter } from "../e2e/exporters/grpc-exporter.ts";
import { type LoadResult, runLoad } from "../e2e/load/run-load.ts";
import { processUsage } from "../e2e/measure/process-usage.ts";
import { type StoredSpans, waitForSpans } from "../e2e/measure/span-store.ts";
import { searchKinds } from "../suite/query-load.ts";
import type { System } from "../suite/system.ts";
import { type FreshnessReport, measureFreshness } from "./freshness.ts";
import { type PacedReport, pacedSearches } from "./paced-searches.ts";
import { RecentTraces } from "./recent-traces.ts";
import { waitUntilMerged } from "./wait-until-merged.ts";

/** Rates and times of a run. */
export interface LivePlan {
  /** Spans per second, sent over gRPC in requests of 100 spans. */
  readonly rate: number;
  /** Milliseconds during which spans are sent. */
  readonly liveMs: number;
  /** Milliseconds of searches after that, when nothing is written or merged any more. */
  readonly quietMs: number;
  /** Milliseconds between two searches of a kind, and between two checks for new traces. */
  readonly pauseMs: number;
  /**
   * Milliseconds without growth of the store after which missing spans are given up; the public model drops some spans
   * and never stores them.
   */
  readonly storedStallMs: number;
}

/** Processor time of one process in one phase. */
export interface PhaseCpu {
  readonly name: string;
  readonly liveSeconds: number;
  readonly quietSeconds: number;
  /** Highest value since the start of the process. */
  readonly rssPeakBytes: number;
}

/** Results of one system. */
export interface LiveReport {
  readonly title: string;
  readonly load: LoadResult;
  /** Acknowledged spans that were not found at the end. */
  readonly missing: number;
  readonly storedSpans: number;
  readonly freshness: FreshnessReport;
  readonly live: readonly PacedReport[];
  readonly quiet: readonly PacedReport[];
  /**
   * One entry for each process of the system, and one for this process, which sends, searches and reads the answers.
   */
  readonly cpu: readonly PhaseCpu[];
  readonly loadAverage: { readonly live: number; readonly quiet: number };
}

const batchSpans = 100;
const clients = 8;
const transport = { gzip: false, timeoutMs: 10_000, connections: 2 };
const stallMs = 60_000;
/** A younger trace may not be stored yet; freshness is measured separately. */
const findableMs = 2_000;
const noteMs = 50;

/**
 * Sends spans at a steady rate and searches for the newest spans at the same time; then searches the same store while
 * it has no other work.
 * @throws Error when a process has ended, or there is no query API
 */
export async function runLive(
  title: string,
  system: System,
  plan: LivePlan,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<LiveReport> {
  const { queryUrl, store } = system;
  if (queryUrl === undefined) {
    throw new Error(system.notes.join(""));
  }
  const before = await store.countSpans();
  const traces = new RecentTraces(noteMs);
  const kinds = [...searchKinds, traceById(traces)];
  const usage = () => [...system.processes.map(({ name, pid }) => usageOf(name, pid)), ownUsage()];

  progress(`${title}: ${plan.rate} spans a second for ${plan.liveMs / 1000} s, with searches`);
  const started = usage();
  const { load, freshness, live } = await livePhase(
    system.grpcEndpoint,
    queryUrl,
    { plan, kinds, traces },
    signal,
  );
  const loadLive = loadavg()[0] ?? 0;
  const ended = usage();

  progress(`${title}: waiting until all is stored and merged`);
  const { stored } = await storedOf(store, before, load, plan);
  if (system.storeUrl !== undefined) {
    await waitUntilMerged(system.storeUrl, signal);
  }
  progress(`${title}: the same searches for ${plan.quietMs / 1000} s`);
  const rested = usage();
  const quietEnd = AbortSignal.any([signal, AbortSignal.timeout(plan.quietMs)]);
  const quiet = await pacedSearches(queryUrl, kinds, plan.pauseMs, quietEnd);
  const after = usage();
  return {
    ...{ title, load, freshness, live, quiet },
    missing: Math.max(0, load.spans.accepted - stored),
    storedSpans: await store.countSpans(),
    cpu: started.map(({ name, cpuSeconds }, index) => ({
      name,
      liveSeconds: ended[index]!.cpuSeconds - cpuSeconds,
      quietSeconds: after[index]!.cpuSeconds - rested[index]!.cpuSeconds,
      rssPeakBytes: after[index]!.rssPeakBytes,
    })),
    loadAverage: { live: loadLive, quiet: loadavg()[0] ?? 0 },
  };
}

interface LivePhase {
  readonly plan: LivePlan;
  readonly kinds: Parameters<typeof pacedSearches>[1];
  readonly traces: RecentTraces;
}

async function livePhase(
  endpoint: string,
  queryUrl: string,
  { plan, kinds, traces }: LivePhase,
  signal: AbortSignal,
): Promise<Pick<LiveReport, "load" | "freshness" | "live">> {
  const exporter = new GrpcExporter({ ...transport, endpoint });
  const corpus = new Corpus(batchSpans, 1, Math.floor(Math.random() * 2 ** 32));
  const end = new AbortController();
  const whole = AbortSignal.any([signal, end.signal]);
  const sending = runLoad(
    exporter,
    corpus,
    {
      ...{ rate: plan.rate, concurrency: clients, durationMs: plan.liveMs, stallMs },
      totalSpans: Number.POSITIVE_INFINITY,
      onAccepted: ({ body, traceIdAt }) => traces.note(() => body.toString("hex", traceIdAt, traceIdAt + 16)),
    },
    signal,
  ).finally(() => end.abort());
  // The first search waits until some spans are stored, because an empty store answers immediately.
  const asking = sleep(Math.min(findableMs * 2, plan.liveMs / 2), undefined, { signal: whole })
    .catch(() => undefined)
    .then(() =>
      Promise.all([
        pacedSearches(queryUrl, kinds, plan.pauseMs, whole),
        measureFreshness(queryUrl, traces, plan.pauseMs, whole),
      ]),
    );
  try {
    const [load, [live, freshness]] = await Promise.all([sending, asking]);
    return { load, live, freshness };
  } finally {
    end.abort();
    await exporter.close();
  }
}

function traceById(traces: RecentTraces): LivePhase["kinds"][number] {
  const none = "0".repeat(31).concat("1");
  return {
    name: "trace by id",
    path: () => `/api/traces/${(traces.newestOfAge(findableMs) ?? { id: none }).id}`,
  };
}

function storedOf(
  store: System["store"],
  before: number,
  load: LoadResult,
  { storedStallMs }: LivePlan,
): Promise<StoredSpans> {
  return waitForSpans(store, before, load.spans.accepted, storedStallMs);
}

function usageOf(name: string, pid: number): { name: string; cpuSeconds: number; rssPeakBytes: number } {
  const { cpuSeconds, rssPeakBytes } = processUsage(pid);
  return { name, cpuSeconds, rssPeakBytes };
}

function ownUsage(): { name: string; cpuSeconds: number; rssPeakBytes: number } {
  const { user, system } = process.cpuUsage();
  return {
    name: "load generator",
    cpuSeconds: (user + system) / 1e6,
    rssPeakBytes: process.resourceUsage().maxRSS * 1024,
  };
}
