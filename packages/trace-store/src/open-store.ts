import type { Registry } from "@prometheus-io/client";
import { clickHouseServers, type Logger, openClientTls, StartError } from "lifecycle";
import { StorageError, type TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import type { StoreOptions } from "./store-options.ts";
import { traceStoreCall } from "./trace-store-call.ts";

type Engine = StoreOptions["span-storage.type"];

/** The engines, by the name that `--span-storage.type` gives them. */
const engines: Record<Engine, (options: StoreOptions, log: Logger, metrics?: Registry) => TraceStore> = {
  clickhouse: (options, log, metrics) =>
    openClickHouseStore({
      ...clickHouseServers(options, log, metrics),
      partialAnswers: options["span-storage.partial-answers"],
      traceCall: traceStoreCall,
    }),
  grpc: openRemoteStore,
  memory: () => openMemoryStore(),
};

const prefixes: Record<Engine, string> = {
  clickhouse: "clickhouse",
  grpc: "grpc-storage",
  memory: "span-storage",
};

/**
 * Opens the store that the options name, without a request to it. Reads of ClickHouse become parts of the
 * active trace.
 * @param metrics registry for the state of ClickHouse's servers
 * @throws StartError for options that cannot work
 */
export function openStore(options: StoreOptions, log: Logger, metrics?: Registry): TraceStore {
  const type = options["span-storage.type"];
  try {
    return engines[type](options, log, metrics);
  } catch (error) {
    if (!(error instanceof StorageError)) {
      throw error;
    }
    throw new StartError(`storage: ${error.message}: see the options --${prefixes[type]}.*`, {
      cause: error,
    });
  }
}

function openRemoteStore(options: StoreOptions, log: Logger): TraceStore {
  const tls = openClientTls(options, "grpc-storage", log);
  try {
    return openGrpcStore({
      server: options["grpc-storage.server"],
      connectionTimeoutMs: options["grpc-storage.connection-timeout"],
      tls,
      tenantHeader: options["multi-tenancy.enabled"] ? options["multi-tenancy.header"] : undefined,
    });
  } catch (error) {
    tls?.close();
    throw error;
  }
}
