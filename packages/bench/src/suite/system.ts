import type { NamedPid } from "../e2e/ingest.ts";
import type { SpanStore } from "../e2e/measure/span-store.ts";
import type { TestProcess } from "./test-process.ts";

/** A tracing backend that was started for the measurement, with an empty store. */
export interface System {
  /** Address for OTLP over gRPC, `host:port`. */
  readonly grpcEndpoint: string;
  /** Base URL for OTLP over HTTP. */
  readonly httpEndpoint: string;
  /** Address to which agents send spans, `host:port`; set only for our system. */
  readonly apiV2Address?: string;
  /** Base URL of the query API; undefined when there is none, and then `notes` has the reason. */
  readonly queryUrl: string | undefined;
  /** Address of the query API over gRPC, `host:port`; set when it is measured. */
  readonly queryGrpcAddress?: string;
  readonly store: SpanStore;
  /** ClickHouse's HTTP address of this store; set only for our system. */
  readonly storeUrl?: string;
  /** Prometheus page of the process that stores spans; set only for our system. */
  readonly storageMetricsUrl?: string;
  /** The processes in the order in which they are stopped. */
  readonly processes: readonly TestProcess[];
  /** The processes that receive spans; the query process is not measured with them. */
  readonly measured: readonly NamedPid[];
  /** Disk bytes of all data, read after the end; absent when `store` reports this value. */
  bytesAtRest?(): Promise<number>;
  readonly notes: readonly string[];
}

/** Stops all processes, one after another. */
export async function stopAll(processes: readonly TestProcess[]): Promise<void> {
  for (const process of processes) {
    await process.stop();
  }
}
