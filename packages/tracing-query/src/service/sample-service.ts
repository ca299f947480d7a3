// The query service over a reader, for the tests of HTTP and gRPC.
import { type Health, TenantCheck } from "lifecycle";
import { Registry } from "prom-client";
import type { SpanReader } from "storage/api";
import { QueryMetrics } from "./query-metrics.ts";
import { QueryService } from "./query-service.ts";
import { StorageWatch } from "./storage-watch.ts";

const alwaysAvailable: Health = { status: "available", set() {} };

/** @param metrics where the service counts; a registry of its own by default */
export function sampleService(reader: SpanReader, metrics = new Registry()): QueryService {
  const watch = new StorageWatch({ store: { ready: async () => {} }, health: alwaysAvailable });
  watch.stop();
  return new QueryService({ reader, watch, metrics: new QueryMetrics(metrics) });
}

/** @param tenants those that are served; tenancy is off without them */
export function sampleTenants(...tenants: readonly string[]): TenantCheck {
  return new TenantCheck({
    "multi-tenancy.enabled": tenants.length > 0,
    "multi-tenancy.header": "x-tenant",
    "multi-tenancy.tenants": tenants,
  });
}

/** A reader that never answers: every read waits until its signal is aborted, and tells so. */
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
