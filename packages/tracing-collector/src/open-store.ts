import { clickHouseServers, type Logger, openClientTls, StartError } from "lifecycle";
import type { Registry } from "prom-client";
import { StorageError, type TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import type { CollectorOptions } from "./options/collector-options.ts";

/** The store that the options name; nothing is asked of it yet. @throws StartError for options that cannot work */
export function openStore(options: CollectorOptions, log: Logger, metrics?: Registry): TraceStore {
  if (options["span-storage.type"] === "memory") return openMemoryStore();
  const tls = openClientTls(options, "grpc-storage", log);
  try {
    if (options["span-storage.type"] === "grpc") {
      return openGrpcStore({
        server: options["grpc-storage.server"],
        connectionTimeoutMs: options["grpc-storage.connection-timeout"],
        tls,
        tenantHeader: options["multi-tenancy.enabled"] ? options["multi-tenancy.header"] : undefined,
      });
    }
    tls?.close();
    return openClickHouseStore(clickHouseServers(options, log, metrics));
  } catch (error) {
    tls?.close();
    throw error instanceof StorageError
      ? new StartError(`storage: ${error.message}: see the options --${optionsOf(options)}.*`, {
          cause: error,
        })
      : error;
  }
}

function optionsOf({ "span-storage.type": type }: CollectorOptions): string {
  return type === "grpc" ? "grpc-storage" : type;
}
