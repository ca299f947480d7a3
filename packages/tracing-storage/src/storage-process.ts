import { type EventEmitter, once } from "node:events";
import { listenError, openServerTls, type ProcessDefinition } from "lifecycle";
import { z } from "zod";
import { deleteCommand } from "./commands/delete-command.ts";
import { exportCommand } from "./commands/export-command.ts";
import { importCommand } from "./commands/import-command.ts";
import { importJaegerCommand } from "./commands/import-jaeger-command.ts";
import { importTempoCommand } from "./commands/import-tempo-command.ts";
import { retainCommand } from "./commands/retain-command.ts";
import { schemaCommand } from "./commands/schema-command.ts";
import { requireOpenFiles } from "./engine/open-file-limit.ts";
import { requireProcessor } from "./engine/processor-needs.ts";
import { grpcOptions } from "./grpc/grpc-options.ts";
import { type OwnEngine, openConfiguredRemoteStorage } from "./grpc/open-remote-storage.ts";
import { ownEngineAt } from "./grpc/own-engine.ts";
import type { RemoteStorageServer } from "./grpc/remote-storage-server.ts";
import { runBridge } from "./grpc/run-bridge.ts";
import { createHttpFront } from "./http/http-front.ts";
import { openInnerFront } from "./http/inner-front.ts";
import { readUsers } from "./http/users.ts";
import type { TenantRetention } from "./retention/tenant-retention.ts";
import { storageOptions } from "./storage-options.ts";
import { openStorageParts, type StorageContext, type StorageParts } from "./storage-parts.ts";
import { Upkeep } from "./upkeep.ts";

const options = z.object({ ...storageOptions.shape, ...grpcOptions.shape });

/**
 * Time in milliseconds after which a stop closes connections. Before that time, the engine cancels its queries, so that
 * their clients get an answer.
 */
const cutAfterMs = 5_000;

/**
 * The process: one engine with one folder, behind ClickHouse's HTTP protocol and the remote storage API. With
 * `--clickhouse.url` only that API, for a cluster.
 */
export const storageProcess: ProcessDefinition<typeof options.shape> = {
  name: "tracing-storage",
  description:
    "Keeps spans on one machine: the embedded ClickHouse engine on a folder, behind ClickHouse's HTTP protocol, " +
    "and the remote storage API over gRPC. With --clickhouse.url, that API alone, for spans in a cluster.",
  options,
  aliases: { "clickhouse.username": "clickhouse.user" },
  commands: [
    exportCommand,
    importCommand,
    importJaegerCommand,
    importTempoCommand,
    schemaCommand,
    deleteCommand,
    retainCommand,
  ],
  adminHostPort: ":17270",
  /**
   * Opens the parts in this order: limits of the system, users and certificate, engine, HTTP, gRPC, upkeep. Upkeep
   * starts last, because its queries would slow the start. If the port cannot be opened, the engine is closed again, so
   * that another process can use the folder.
   */
  async start({ options, log, metrics, health }) {
    if (options["clickhouse.url"].length > 0) {
      return await runBridge({ options, log, metrics, health });
    }
    requireOpenFiles();
    requireProcessor();
    const users = readUsers(options);
    const [owner] = users;
    const tls = await openServerTls(options, "storage.http", log);
    const context = { options, log, metrics, health };
    const parts = await openStorageParts(context);
    const { engine, gate, guard } = parts;
    const upkeep = new Upkeep(parts, context);
    const limits = {
      sendTimeoutMs: options["storage.http.send-timeout"],
      maxBodyBytes: options["storage.http.max-body-bytes"],
    };
    const maxSessions = options["storage.http.max-sessions"];
    const server = createHttpFront(parts, { ...limits, users, maxSessions, tls });
    const address = options["storage.http.host-port"];
    try {
      server.listen(address.port, ...(address.host === "" ? [] : [address.host]));
      await once(server, "listening");
    } catch (error) {
      tls?.close();
      await engine.close(gate.idle());
      throw listenError(error, "ClickHouse HTTP", address.text, "storage.http.host-port");
    }
    const bound = server.address();
    log.info(
      { dataDir: engine.folder.path, engine: engine.facts.version },
      `listening for ClickHouse HTTP on ${typeof bound === "object" && bound !== null ? `${bound.address}:${bound.port}` : address.text}`,
    );
    const inner = tls === undefined ? undefined : await openInnerFront(parts, limits);
    const servers = inner === undefined ? [server] : [server, inner.server];
    const own =
      inner === undefined
        ? ownEngineAt(bound, { user: owner.name, password: owner.password })
        : ownEngineAt(inner.address, inner.credentials);
    const remote = await openConfiguredRemoteStorage(options, own, { log, metrics }).catch(
      async (error: unknown) => {
        for (const one of servers) {
          one.close();
        }
        await engine.close(gate.idle());
        throw error;
      },
    );
    upkeep.start();
    const tenants = await openTenantRetention(parts, context, own);
    guard.watch();
    return { stop: (signal) => stopStorage(signal, { parts, upkeep, tenants, servers, remote }) };
  },
};

/** Starts the retention of tenants, which calls the engine over HTTP. Without the option none of its code is loaded. */
async function openTenantRetention(
  { engine }: StorageParts,
  { options, log, metrics }: StorageContext,
  own: OwnEngine,
): Promise<TenantRetention | undefined> {
  const ages = options["storage.tenant-retention"];
  if (ages.size === 0) {
    return undefined;
  }
  const [{ TenantRetention }, { hasSpans }] = await Promise.all([
    import("./retention/tenant-retention.ts"),
    import("./retention/day-partitions.ts"),
  ]);
  const servers = options["storage.retention-databases"].map((database) => ({ ...own, database }));
  const tenants = new TenantRetention(
    {
      ...{ ages, servers, intervalMs: options["storage.retention-interval"] },
      hasTables: (database) => hasSpans(engine, database),
    },
    { log, metrics },
  );
  tenants.start();
  return tenants;
}

/** The parts of a running process. */
interface RunningStorage {
  readonly parts: StorageParts;
  readonly upkeep: Upkeep;
  /** Undefined without --storage.tenant-retention. */
  readonly tenants: TenantRetention | undefined;
  /** The public listener of ClickHouse's HTTP protocol, and the inner listener if there is one. */
  readonly servers: readonly HttpListener[];
  /** Undefined if the remote storage API is disabled. */
  readonly remote: RemoteStorageServer | undefined;
}

/** A server of HTTP or HTTPS. */
interface HttpListener extends EventEmitter {
  close(): void;
  closeAllConnections(): void;
  closeIdleConnections(): void;
}

/**
 * Stops the remote storage API first, because its last spans must still be inserted. Then the ports close, running
 * queries end or are cancelled, and the engine closes when no part of this process uses it.
 */
async function stopStorage(
  signal: AbortSignal,
  { parts, upkeep, tenants, servers, remote }: RunningStorage,
): Promise<void> {
  const { engine, gate, guard, pointThread } = parts;
  guard.close();
  await Promise.all([remote?.stop(signal), tenants?.close()]);
  const closed = Promise.all(servers.map((one) => once(one, "close")));
  const cut = () => {
    for (const one of servers) {
      one.closeAllConnections();
    }
  };
  for (const one of servers) {
    one.close();
    one.closeIdleConnections();
  }
  signal.addEventListener("abort", cut);
  // If a client reads a result too slowly, its query does not end without this.
  setTimeout(cut, cutAfterMs).unref();
  await pointThread.close();
  await engine.close(Promise.all([gate.idle(), upkeep.close()]));
  for (const one of servers) {
    one.closeIdleConnections();
  }
  await closed;
}
