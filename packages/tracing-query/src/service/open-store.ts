import { StartError } from "lifecycle";
import { StorageError, type TraceStore } from "storage/api";
import { openClickHouseStore } from "storage/clickhouse";
import { openMemoryStore } from "storage/memory";
import type { QueryOptions } from "../query-options.ts";

/** The engines, by the name that `--span-storage.type` gives them. */
const engines: Record<QueryOptions["span-storage.type"], (options: QueryOptions) => TraceStore> = {
  clickhouse: (options) =>
    openClickHouseStore({
      urls: options["clickhouse.url"],
      database: options["clickhouse.database"],
      user: options["clickhouse.user"],
      password: options["clickhouse.password"],
    }),
  memory: () => openMemoryStore(),
};

/** Opens the store that the options name; it need not answer yet. @throws StartError when the options cannot work */
export function openStore(options: QueryOptions): TraceStore {
  try {
    return engines[options["span-storage.type"]](options);
  } catch (error) {
    if (error instanceof StorageError) {
      throw new StartError(`storage: ${error.message}: see --clickhouse.url and --clickhouse.database`, {
        cause: error,
      });
    }
    throw error;
  }
}
