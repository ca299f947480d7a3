import type { NamedPid } from "../e2e/ingest.ts";
import type { SpanStore } from "../e2e/measure/span-store.ts";
import type { TestProcess } from "./test-process.ts";

/** A tracing backend that runs for the measurement, with nothing stored yet. */
export interface System {
  /** OTLP gRPC, `host:port`. */
  readonly grpcEndpoint: string;
  /** OTLP HTTP, base URL. */
  readonly httpEndpoint: string;
  /** Where agents hand in spans, `host:port`; only ours. */
  readonly apiV2Address?: string;
  /** Base URL of the query API; undefined when there is none, and `notes` says why. */
  readonly queryUrl: string | undefined;
  /** The same over gRPC, `host:port`, where it is measured. */
  readonly queryGrpcAddress?: string;
  readonly store: SpanStore;
  /** ClickHouse's HTTP address of that store; only ours. */
  readonly storeUrl?: string;
  /** Prometheus page of the process that keeps the spans; only ours. */
  readonly storageMetricsUrl?: string;
  /** In the order in which they are stopped. */
  readonly processes: readonly TestProcess[];
  /** The processes that take spans in; the query process is not measured with them. */
  readonly measured: readonly NamedPid[];
  /** Bytes that all is stored in, read after the end; undefined when `store` already tells. */
  bytesAtRest?(): Promise<number>;
  readonly notes: readonly string[];
}

/** Stops all processes, one after another. */
export async function stopAll(processes: readonly TestProcess[]): Promise<void> {
  for (const process of processes) {
    await process.stop();
  }
}
