import { clickHouseServers, type Logger, openClientTls, StartError } from "lifecycle";
import type { Registry } from "prom-client";
import { StorageError, type TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import type { QueryOptions } from "../query-options.ts";
import { traceStorageCall } from "../tracing/storage-call.ts";

/** The engines, by the name that `--span-storage.type` gives them. */
const engines: Record<
  QueryOptions["span-storage.type"],
  (options: QueryOptions, log: Logger, metrics?: Registry) => TraceStore
> = {
  clickhouse: (options, log, metrics) =>
    openClickHouseStore({ ...clickHouseServers(options, log, metrics), traceCall: traceStorageCall }),
  grpc: (options, log) =>
    openGrpcStore({
      server: options["grpc-storage.server"],
      connectionTimeoutMs: options["grpc-storage.connection-timeout"],
      tls: openClientTls(options, "grpc-storage", log),
      tenantHeader: options["multi-tenancy.enabled"] ? options["multi-tenancy.header"] : undefined,
    }),
  memory: () => openMemoryStore(),
};

/** Opens the store that the options name; it need not answer yet. @throws StartError when the options cannot work */
export function openStore(options: QueryOptions, log: Logger, metrics?: Registry): TraceStore {
  try {
    return engines[options["span-storage.type"]](options, log, metrics);
  } catch (error) {
    if (error instanceof StorageError) {
      throw new StartError(`storage: ${error.message}: see the options --${optionsOf(options)}.*`, {
        cause: error,
      });
    }
    throw error;
  }
}

function optionsOf({ "span-storage.type": type }: QueryOptions): string {
  return type === "grpc" ? "grpc-storage" : type;
}
