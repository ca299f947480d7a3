import type { Registry } from "@prometheus-io/client";
import {
  clickHouseServers,
  type Health,
  type Logger,
  openServerTls,
  StartError,
  StorageWatch,
  TenantCheck,
} from "lifecycle";
import { StorageError, type TraceStore } from "storage/api";
import { type ClickHouseStoreOptions, openClickHouseStore } from "storage/clickhouse";
import type { GrpcOptions } from "./grpc-options.ts";
import { openRemoteStorage, type RemoteStorageServer } from "./remote-storage-server.ts";

/** The address of ClickHouse's HTTP protocol in this process. */
export type OwnEngine = Pick<ClickHouseStoreOptions, "urls" | "user" | "password">;

/**
 * Serves the remote storage API according to the options. The store is the cluster at `clickhouse.url`, or this
 * process's engine, which is also called through its HTTP address.
 * @param health gets the state of a store in another process; the embedded engine needs no such state
 * @returns undefined when `grpc.host-port` is empty
 * @throws StartError
 */
export async function openConfiguredRemoteStorage(
  options: GrpcOptions,
  own: OwnEngine | undefined,
  { log, metrics, health }: { readonly log: Logger; readonly metrics: Registry; readonly health?: Health },
): Promise<RemoteStorageServer | undefined> {
  const address = options["grpc.host-port"];
  const tls = await openServerTls(options, "grpc", log);
  if (address === undefined) {
    tls?.close();
    return undefined;
  }
  const store = openStore(options, own, log, metrics);
  try {
    const server = await openRemoteStorage({
      address,
      tls,
      store,
      tenants: new TenantCheck(options),
      log,
      metrics,
      maxMessageBytes: options["grpc.max-message-size"],
      streamingWrites: options["grpc.streaming-writes"],
      groups: {
        maxDelayMs: options["grpc.max-write-delay"],
        maxPendingBytes: options["grpc.max-pending-bytes"],
        writeTimeoutMs: options["grpc.write-timeout"],
      },
    });
    log.info({ port: server.port }, `listening for remote storage over gRPC on port ${server.port}`);
    const watch = health === undefined ? undefined : new StorageWatch({ store, health });
    watch?.start();
    return {
      port: server.port,
      async stop(signal) {
        watch?.stop();
        await server.stop(signal);
        await store.close();
      },
    };
  } catch (error) {
    tls?.close();
    await store.close();
    throw error;
  }
}

function openStore(
  options: GrpcOptions,
  own: OwnEngine | undefined,
  log: Logger,
  metrics: Registry,
): TraceStore {
  try {
    return own === undefined || options["clickhouse.url"].length > 0
      ? openClickHouseStore(clickHouseServers(options, log, metrics))
      : openClickHouseStore({ ...own, database: options["clickhouse.database"] });
  } catch (error) {
    throw error instanceof StorageError
      ? new StartError(`storage: ${error.message}: see the options --clickhouse.*`, {
          cause: error,
        })
      : error;
  }
}
