import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IngestOptions, ingest } from "../e2e/ingest.ts";
import { type IngestReport, lostSpans } from "../e2e/ingest-report.ts";
import { measureQueries, type QueryReport } from "./query-load.ts";
import { type System, stopAll } from "./system.ts";

/** Durations of the parts of the suite, in milliseconds. */
export interface SuitePlan {
  /** Load over gRPC before the measurement, because a program that has just started is slower. */
  readonly warmUpMs: number;
  readonly grpcMs: number;
  readonly httpMs: number;
  /** Number of requests for each query, sent one after another. */
  readonly queryRequests: number;
  /** Returns all other options of a run. */
  readonly options: (run: SuiteRun) => IngestOptions;
}

export type SuiteRun = Pick<IngestOptions, "protocol" | "processes" | "store"> & {
  readonly endpoint: string;
  readonly durationMs: number;
};

/** Results of one system in the suite. */
export interface SystemReport {
  readonly title: string;
  /** Used only to check that no span of the warm-up was lost. */
  readonly warmUp: IngestReport;
  readonly grpc: IngestReport;
  readonly http: IngestReport;
  /** Number of spans in the store at the time of the queries. */
  readonly storedSpans: number;
  readonly queries: readonly QueryReport[];
  /** Disk bytes per stored span after the end; undefined when the reports of the runs have this value. */
  readonly bytesPerSpanAtRest: number | undefined;
  readonly notes: readonly string[];
}

/**
 * Starts a system with an empty temporary folder, measures it, stops it, and removes the folder.
 * @param progress called with a line before each part
 * @throws Error when a process does not start or ends early; the message has its last lines
 */
export async function measureSystem(
  title: string,
  start: (folder: string, signal: AbortSignal) => Promise<System>,
  plan: SuitePlan,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<SystemReport> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  try {
    progress(`${title}: starting`);
    const system = await start(folder, signal);
    try {
      return await measure(title, system, plan, progress, signal);
    } catch (error) {
      const death = system.processes.find((process) => process.death !== undefined)?.death;
      throw death ?? error;
    } finally {
      await stopAll(system.processes);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  title: string,
  system: System,
  plan: SuitePlan,
  progress: (line: string) => void,
  signal: AbortSignal,
): Promise<SystemReport> {
  const { store, measured: processes, grpcEndpoint, httpEndpoint } = system;
  const send = (protocol: "grpc" | "http", durationMs: number) => {
    const endpoint = protocol === "grpc" ? grpcEndpoint : httpEndpoint;
    return ingest(plan.options({ protocol, endpoint, durationMs, processes, store }), signal);
  };
  progress(`${title}: warming up for ${plan.warmUpMs / 1000} s`);
  const warmUp = await send("grpc", plan.warmUpMs);
  progress(`${title}: OTLP over gRPC for ${plan.grpcMs / 1000} s`);
  const grpc = await send("grpc", plan.grpcMs);
  progress(`${title}: OTLP over HTTP for ${plan.httpMs / 1000} s`);
  const http = await send("http", plan.httpMs);

  let queries: QueryReport[] = [];
  const { traceIds } = grpc.load;
  if (system.queryUrl !== undefined && traceIds.length > 0 && plan.queryRequests > 0) {
    progress(`${title}: queries`);
    queries = await measureQueries(system.queryUrl, traceIds, plan.queryRequests, signal);
  }
  const storedSpans = await store.countSpans();
  let bytesPerSpanAtRest: number | undefined;
  if (system.bytesAtRest !== undefined) {
    // The system writes the rest of its data when it stops.
    await stopAll(system.processes);
    bytesPerSpanAtRest = (await system.bytesAtRest()) / storedSpans;
  }
  const notes = [...system.notes];
  if (lostSpans(warmUp)) {
    notes.push(`${title}: ${warmUp.stored?.missing} spans of the warm-up LOST\n`);
  }
  return { title, warmUp, grpc, http, storedSpans, queries, bytesPerSpanAtRest, notes };
}
