import { StartError } from "lifecycle";
import { StorageError, type TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openMemoryStore } from "storage/memory";
import type { CollectorOptions } from "./options/collector-options.ts";

/** The store that the options name; nothing is asked of it yet. @throws StartError for options that cannot work */
export function openStore(options: CollectorOptions): TraceStore {
  if (options["span-storage.type"] === "memory") return openMemoryStore();
  try {
    return openClickHouseStore({
      urls: options["clickhouse.url"],
      user: options["clickhouse.user"],
      password: options["clickhouse.password"],
      database: options["clickhouse.database"],
    });
  } catch (error) {
    throw error instanceof StorageError
      ? new StartError(`storage: ${error.message}`, { cause: error })
      : error;
  }
}
