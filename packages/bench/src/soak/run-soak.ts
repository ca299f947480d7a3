import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { DerivedDifference } from "storage/clickhouse";
import { Corpus } from "../corpus/corpus.ts";
import { GrpcExporter } from "../e2e/exporters/grpc-exporter.ts";
import { HttpExporter } from "../e2e/exporters/http-exporter.ts";
import { type LoadResult, runLoad } from "../e2e/load/run-load.ts";
import { waitForSpans } from "../e2e/measure/span-store.ts";
import { sendAgentPackets } from "./agent-packets.ts";
import { derivedDifferences } from "./derived-differences.ts";
import { metricSums } from "./metric-sum.ts";
import { RetainedStore } from "./retained-store.ts";
import { filesBytes, type ProcessSample, sampleProcess } from "./sample.ts";
import { Searches } from "./searches.ts";
import type { SoakSystem } from "./soak-system.ts";
import type { SpanClock } from "./span-clock.ts";
import { TimedExporter } from "./timed-exporter.ts";

export interface SoakPlan {
  readonly durationMs: number;
  /** Spans per second: nine tenths over gRPC to the collector, the rest over HTTP through the web server. */
  readonly rate: number;
  readonly sampleMs: number;
  readonly searchPauseMs: number;
  readonly clock: SpanClock;
  /** True when the storage has a size limit: its disk usage must then also stop growing. */
  readonly limitsDisk?: boolean;
}

/** One sample of all quantities. */
export interface SoakSample {
  /** Seconds since the start of the run. */
  readonly seconds: number;
  /** Samples of the processes, by name. */
  readonly processes: Readonly<Record<string, ProcessSample>>;
  readonly storageBytes: number;
  readonly journalBytes: number;
  readonly spansAccepted: number;
  /**
   * 95th percentile of the latencies in milliseconds since the previous sample; undefined when no call was answered.
   */
  readonly grpcP95Ms: number | undefined;
  readonly httpP95Ms: number | undefined;
  readonly searchP95Ms: number | undefined;
  readonly load: number;
}

export interface SoakResult {
  readonly plan: SoakPlan;
  readonly samples: readonly SoakSample[];
  readonly grpc: LoadResult;
  readonly http: LoadResult;
  readonly searches: { readonly asked: number; readonly failed: number; readonly failure: string };
  /** Numbers of spans sent over UDP. */
  readonly agent: { readonly sent: number; readonly delivered: number; readonly dropped: number };
  /** `dropped` are spans removed by retention; they count as found. */
  readonly stored: { readonly expected: number; readonly found: number; readonly dropped: number };
  /** Differences between the spans and the tables that views fill, after all spans are stored. */
  readonly derived: readonly DerivedDifference[];
}

const batchSpans = 100;
const concurrency = 8;
const stallMs = 60_000;
const transport = { gzip: false, timeoutMs: 10_000 };

/**
 * Loads a system for a long time, with searches meanwhile, and samples it every few seconds.
 * @param progress called with a line every minute
 * @throws Error when a process ends
 */
export async function runSoak(
  { system, processes, frontDoor, agentPort, agentMetricsUrl }: SoakSystem,
  folder: string,
  plan: SoakPlan,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<SoakResult> {
  const { durationMs, rate, clock } = plan;
  const { storageMetricsUrl, storeUrl } = system;
  if (storageMetricsUrl === undefined || storeUrl === undefined) {
    throw new Error("the storage is not ours: it has no metrics, or no tables to look into");
  }
  const store = new RetainedStore(system.store, storageMetricsUrl);
  const before = await store.countSpans();
  const end = new AbortController();
  const whole = AbortSignal.any([signal, end.signal]);
  const grpc = new TimedExporter(
    new GrpcExporter({ ...transport, endpoint: system.grpcEndpoint, connections: 2 }),
  );
  const http = new TimedExporter(new HttpExporter({ ...transport, endpoint: frontDoor, connections: 4 }));
  const searches = new Searches(frontDoor, plan.searchPauseMs, clock);
  const load = (exporter: TimedExporter, part: number, clients: number, seed: number) => {
    const corpus = new Corpus(batchSpans, seed, Math.floor(Math.random() * 2 ** 32));
    const total = { totalSpans: Number.POSITIVE_INFINITY, stallMs, durationMs, nowMs: clock.nowMs };
    return runLoad(exporter, corpus, { ...total, rate: rate * part, concurrency: clients }, signal);
  };
  const loads = Promise.all([load(grpc, 0.9, concurrency, 1), load(http, 0.1, concurrency / 2, 2)]);
  const searching = searches.run(whole);
  const packets = sendAgentPackets(agentPort, clock.nowMs, whole);
  const samples: SoakSample[] = [];
  const startedAt = performance.now();
  const secondsSince = () => (performance.now() - startedAt) / 1_000;
  const sampling = async () => {
    let saidMinute = 0;
    while (!whole.aborted) {
      await sleep(plan.sampleMs, undefined, { signal: whole }).catch(() => undefined);
      if (whole.aborted) {
        return;
      }
      const sample: SoakSample = {
        seconds: secondsSince(),
        processes: Object.fromEntries(processes.map(({ name, pid }) => [name, sampleProcess(pid)])),
        storageBytes: (await store.diskUsage())?.allBytes ?? 0,
        journalBytes: await filesBytes(join(folder, "collector")),
        spansAccepted: (grpc.accepted + http.accepted) * batchSpans,
        ...{ grpcP95Ms: grpc.takeP95(), httpP95Ms: http.takeP95(), searchP95Ms: searches.takeP95() },
        load: loadavg()[0] ?? 0,
      };
      samples.push(sample);
      const minute = Math.floor(sample.seconds / 60);
      if (minute > saidMinute) {
        saidMinute = minute;
        progress(`${minute} min: ${sample.spansAccepted} spans, ${searches.asked} searches`);
      }
    }
  };
  try {
    const [[grpcResult, httpResult]] = await Promise.all([
      loads.finally(() => end.abort()),
      sampling().catch((cause: unknown) => {
        throw new Error("a process is gone", { cause: processes.find(({ death }) => death)?.death ?? cause });
      }),
    ]);
    await searching;
    const sent = await packets;
    const agent = { sent, ...(await settledAgent(agentMetricsUrl, sent)) };
    const expected = grpcResult.spans.accepted + httpResult.spans.accepted + agent.delivered;
    const { stored } = await waitForSpans(store, before, expected, stallMs);
    const { asked, failed, failure } = searches;
    return {
      ...{ plan, samples, grpc: grpcResult, http: httpResult, searches: { asked, failed, failure }, agent },
      stored: { expected, found: stored, dropped: await store.droppedSpans() },
      derived: await derivedDifferences(storeUrl),
    };
  } finally {
    end.abort();
    await Promise.all([grpc.close(), http.close()]);
  }
}

const settleMs = 30_000;
const agentMetrics = [
  "tracing_agent_reporter_spans_submitted_total",
  "tracing_agent_reporter_spans_failures_total",
  "tracing_agent_thrift_udp_server_packets_dropped_total",
] as const;

/** The agent's counts of packets, after they include all packets that were sent. */
async function settledAgent(
  metricsUrl: string,
  sent: number,
): Promise<{ delivered: number; dropped: number }> {
  const until = performance.now() + settleMs;
  for (;;) {
    const sums = await metricSums(metricsUrl, agentMetrics);
    const delivered = sums.tracing_agent_reporter_spans_submitted_total;
    const dropped =
      sums.tracing_agent_reporter_spans_failures_total +
      sums.tracing_agent_thrift_udp_server_packets_dropped_total;
    if (delivered + dropped >= sent || performance.now() > until) {
      return { delivered, dropped };
    }
    await sleep(200);
  }
}
