import type { Registry } from "@prometheus-io/client";
import { clickHouseServers, type Logger, openClientTls, StartError } from "lifecycle";
import type { TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { StorageError } from "storage/errors";
import { openGrpcStore } from "storage/grpc";
import { openMemoryStore } from "storage/memory";
import type { StoreOptions } from "./store-options.ts";
import { traceStoreCall } from "./trace-store-call.ts";

type Engine = StoreOptions["span-storage.type"];

/** The engines, by their name in `--span-storage.type`. */
const engines: Record<Engine, (options: StoreOptions, log: Logger, parts: StoreParts) => TraceStore> = {
  clickhouse: (options, log, { metrics, ...limits }) =>
    openClickHouseStore({
      ...limits,
      ...clickHouseServers(options, log, metrics),
      partialAnswers: options["span-storage.partial-answers"],
      traceCall: traceStoreCall,
    }),
  grpc: openRemoteStore,
  memory: () => openMemoryStore(),
};

/** Additional inputs of a store from the process. */
export interface StoreParts {
  /** Registry for the state of ClickHouse's servers. */
  readonly metrics?: Registry;
  /** Maximum number of bytes of rows in one read; a larger read fails with STORAGE_TOO_LARGE. Default: 512 MiB. */
  readonly maxReadBytes?: number;
}

const prefixes: Record<Engine, string> = {
  clickhouse: "clickhouse",
  grpc: "grpc-storage",
  memory: "span-storage",
};

/**
 * Opens the store that the options name, without sending a request. Reads of ClickHouse become spans of the
 * active trace.
 * @throws StartError for contradictory or invalid options
 */
export function openStore(options: StoreOptions, log: Logger, parts: StoreParts = {}): TraceStore {
  const type = options["span-storage.type"];
  try {
    return engines[type](options, log, parts);
  } catch (error) {
    if (!(error instanceof StorageError)) {
      throw error;
    }
    throw new StartError(`storage: ${error.message}: see the options --${prefixes[type]}.*`, {
      cause: error,
    });
  }
}

function openRemoteStore(options: StoreOptions, log: Logger, { maxReadBytes }: StoreParts): TraceStore {
  const tls = openClientTls(options, "grpc-storage", log);
  try {
    return openGrpcStore({
      server: options["grpc-storage.server"],
      version: options["grpc-storage.version"] === "2" ? 2 : 1,
      connectionTimeoutMs: options["grpc-storage.connection-timeout"],
      tls,
      ...(maxReadBytes === undefined ? {} : { maxReadBytes }),
      tenantHeader: options["multi-tenancy.enabled"] ? options["multi-tenancy.header"] : undefined,
    });
  } catch (error) {
    tls?.close();
    throw error;
  }
}
