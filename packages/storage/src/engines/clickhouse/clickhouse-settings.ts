import { StorageError } from "../../api/storage-error.ts";
import type { ConnectionOptions } from "./clickhouse-connection.ts";
import type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";

/**
 * Checks the options, and returns options and database of a connection. @throws StorageError STORAGE_REFUSED for
 * invalid options
 */
export function clickHouseSettings(options: ClickHouseStoreOptions) {
  const database = options.database ?? "tracing";
  if (options.urls.length === 0) {
    throw new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
  }
  // The database name is part of statements, because names cannot be query parameters everywhere. Therefore only safe
  // names are accepted.
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(database)) {
    throw new StorageError(
      "STORAGE_REFUSED",
      `database name "${database}" is not 1 to 64 letters, digits and _`,
    );
  }
  return {
    urls: options.urls,
    user: options.user ?? "default",
    password: options.password ?? "",
    database,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    maxConnections: options.maxConnections ?? 16,
    maxReadBytes: options.maxReadBytes ?? 512 * 1024 * 1024,
    exactCounts: options.exactCounts ?? true,
    isCluster: options.cluster !== undefined,
    tls: options.tls,
    traceCall: options.traceCall,
    onHostChange: options.onHostChange,
    onHedge: options.onHedge,
    refusesPartial: options.partialAnswers === "refuse",
  } satisfies ConnectionOptions & {
    readonly database: string;
    readonly isCluster: boolean;
    readonly exactCounts: boolean;
  };
}
