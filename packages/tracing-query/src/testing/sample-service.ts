// The query service over a reader, for the tests of HTTP and gRPC.

import { Registry } from "@prometheus-io/client";
import { createLogger, type Health, StorageWatch, TenantCheck } from "lifecycle";
import { type SpanReader, type TraceStore, unsupported } from "storage/api";
import { ObjectiveBoard } from "../objectives/objective-board.ts";
import { callCounting } from "../service/call-counters.ts";
import { openKeptStores } from "../service/kept-stores.ts";
import { LargeTraceSemaphore } from "../service/large-trace-semaphore.ts";
import { countersByTenant } from "../service/prometheus-counters.ts";
import { QueryMetrics } from "../service/query-metrics.ts";
import { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { RequestGate } from "../service/request-gate.ts";
import { spanCounting } from "../service/span-counters.ts";

const alwaysAvailable: Health = { status: "available", set() {}, degrade() {} };

/** A whole store, or only a reader. */
export type SampleStore =
  | SpanReader
  | Pick<TraceStore, "reader" | "dependencies" | "archive" | "metrics" | "analysis" | "traceql" | "catalog">;

/**
 * @param store a whole store, or a reader alone, for a store without other abilities
 * @param metrics registry for the counters; a new one by default
 * @param room memory for large traces; plenty by default
 * @param gate places of reads whose requests hold none; sixteen by default
 */
export function sampleService(
  store: SampleStore,
  metrics = new Registry(),
  room = new LargeTraceSemaphore(),
  gate = new RequestGate({ maxConcurrent: 16, maxWaiting: 1_000 }),
): QueryService {
  const {
    reader,
    dependencies,
    archive,
    analysis,
    traceql,
    catalog,
    metrics: redMetrics,
  } = "reader" in store ? store : { ...unsupported("a reader alone"), reader: store };
  const watch = new StorageWatch({ store: { ready: async () => {} }, health: alwaysAvailable });
  watch.stop();
  return new QueryService({
    reader,
    dependencies,
    archive,
    analysis,
    traceql,
    catalog,
    redMetrics,
    readSpanCounters: countersByTenant(spanCounting, redMetrics),
    readCallCounters: countersByTenant(callCounting, redMetrics),
    namesMaxAgeMs: 0,
    watch,
    metrics: new QueryMetrics(metrics),
    room,
    gate,
  });
}

/** @param tenants the served tenants; none: tenancy is off */
export function sampleTenants(...tenants: readonly string[]): TenantCheck {
  return new TenantCheck({
    "multi-tenancy.enabled": tenants.length > 0,
    "multi-tenancy.header": "x-tenant",
    "multi-tenancy.tenants": tenants,
  });
}

/** A board with one objective, whose spans are not counted. */
function sampleObjectives(): ObjectiveBoard {
  const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
  const board = new ObjectiveBoard({ path: "", readCounts: async () => [], log });
  board.use("objectives: [{ name: checkout, service: shop, target: 99.9 }]");
  return board;
}

/** Further settings of the servers, with the defaults of the options. @param tenants the served tenants */
export function sampleSettings(...tenants: readonly string[]) {
  return {
    tenants: sampleTenants(...tenants),
    propagateToken: false,
    gate: new RequestGate({ maxConcurrent: 16, maxWaiting: 1_000 }),
    limits: { maxTraces: 10_000, maxSpans: 1_000_000, maxRangeNano: undefined } as ReadLimits,
    maxBodyBytes: 1_000_000,
    stalledMs: undefined as number | undefined,
    adjust: { maxClockSkewNano: 0n },
    ...openKeptStores(""),
    objectives: sampleObjectives(),
    logStaticFiles: false,
    headers: new Map<string, string>(),
  };
}

/** A reader that never answers. Every read waits until its signal is aborted, then resolves `aborted`. */
export class StuckReader implements SpanReader {
  /** Resolves when a read has begun. */
  readonly asked = Promise.withResolvers<void>();
  /** Resolves when a read was aborted. */
  readonly aborted = Promise.withResolvers<void>();

  readonly #wait = (signal: AbortSignal | undefined): Promise<never> => {
    this.asked.resolve();
    return new Promise((_, reject) => {
      signal?.addEventListener("abort", () => {
        this.aborted.resolve();
        reject(signal.reason);
      });
    });
  };

  readonly getTraces: SpanReader["getTraces"] = (_, options) => this.#wait(options?.signal);
  readonly findTraces: SpanReader["findTraces"] = (_, options) => this.#wait(options?.signal);
  readonly findTraceIds: SpanReader["findTraceIds"] = (_, options) => this.#wait(options?.signal);
  readonly getServices: SpanReader["getServices"] = (options) => this.#wait(options?.signal);
  readonly getOperations: SpanReader["getOperations"] = (_, options) => this.#wait(options?.signal);
}
