import { createLogger, createMetrics, type ServerTls, TenantCheck } from "lifecycle";
import type { TraceStore } from "storage/api";
import { openMemoryStore } from "storage/memory";
import {
  openRemoteStorage,
  type RemoteStorageServer,
  type RemoteStorageSettings,
} from "../src/grpc/remote-storage-server.ts";

/** A server of the remote storage API over a store in memory. */
export interface ServedStore {
  readonly store: TraceStore;
  readonly server: RemoteStorageServer;
  /** host:port */
  readonly address: string;
  /** Reads the text of `/metrics`. */
  metrics(): Promise<string>;
}

export interface ServedStoreSettings
  extends Partial<Pick<RemoteStorageSettings, "streamingWrites" | "groups">> {
  readonly tenancy?: boolean;
  readonly tenants?: readonly string[];
  readonly tls?: ServerTls | undefined;
  readonly store?: TraceStore;
}

/** Listens on a free port of this machine. */
export async function serveStore({
  tenancy = false,
  tenants = [],
  tls,
  store = openMemoryStore(),
  streamingWrites = true,
  groups = { maxDelayMs: 5, maxPendingBytes: 64 * 1024 * 1024, writeTimeoutMs: 5_000 },
}: ServedStoreSettings = {}): Promise<ServedStore> {
  const metrics = createMetrics("tracing-storage");
  const server = await openRemoteStorage({
    address: { host: "127.0.0.1", port: 0, text: "127.0.0.1:0" },
    tls,
    store,
    tenants: new TenantCheck({
      "multi-tenancy.enabled": tenancy,
      "multi-tenancy.header": "x-tenant",
      "multi-tenancy.tenants": tenants,
    }),
    log: createLogger({ name: "test", level: "fatal", encoding: "json" }),
    metrics,
    maxMessageBytes: 4 * 1024 * 1024,
    streamingWrites,
    groups,
  });
  return { store, server, address: `localhost:${server.port}`, metrics: () => metrics.metrics() };
}
