import { once } from "node:events";
import { join } from "node:path";
import { listenError, openServerTls, type ProcessDefinition } from "lifecycle";
import { z } from "zod";
import { deleteCommand } from "./commands/delete-command.ts";
import { exportCommand } from "./commands/export-command.ts";
import { importCommand } from "./commands/import-command.ts";
import { schemaCommand } from "./commands/schema-command.ts";
import { countMended } from "./damage/mended-files.ts";
import { PartQuarantine } from "./damage/part-quarantine.ts";
import { Scrubber } from "./damage/scrubber.ts";
import { SetAsideLimits } from "./damage/set-aside-limits.ts";
import { StuckReads } from "./damage/stuck-reads.ts";
import { DiskGuard } from "./engine/disk-guard.ts";
import { Engine } from "./engine/engine.ts";
import { requireOpenFiles } from "./engine/open-file-limit.ts";
import { requireProcessor } from "./engine/processor-needs.ts";
import { QueryGate } from "./engine/query-gate.ts";
import { grpcOptions } from "./grpc/grpc-options.ts";
import { openConfiguredRemoteStorage } from "./grpc/open-remote-storage.ts";
import { ownEngineAt } from "./grpc/own-engine.ts";
import { runBridge } from "./grpc/run-bridge.ts";
import { createHttpFront } from "./http/http-front.ts";
import { openInnerFront } from "./http/inner-front.ts";
import { readUsers } from "./http/users.ts";
import { CalmMerges } from "./merging/calm-merges.ts";
import { PointReader } from "./point-read/point-reader.ts";
import { PointThread } from "./point-read/point-thread.ts";
import { Retention } from "./retention/retention.ts";
import { StorageMetrics, watchEngine } from "./storage-metrics.ts";
import { storageOptions } from "./storage-options.ts";

const options = z.object({ ...storageOptions.shape, ...grpcOptions.shape });

/**
 * Limits for the merge of the parts that were written last. Collectors write every second or two while there are
 * spans.
 */
const calm = { calmSeconds: 5, leastRows: 20_000, intervalMs: 5_000 };

/**
 * Milliseconds after which connections are cut during a stop; later than the engine cancels its queries, so
 * that those are answered.
 */
const cutAfterMs = 5_000;

/**
 * The process: one engine on one folder, behind ClickHouse's HTTP protocol, and the remote storage API. With
 * `--clickhouse.url` only that API, for a cluster.
 */
export const storageProcess: ProcessDefinition<typeof options.shape> = {
  name: "tracing-storage",
  description:
    "Keeps spans on one machine: the embedded ClickHouse engine on a folder, behind ClickHouse's HTTP protocol, " +
    "and the remote storage API over gRPC. With --clickhouse.url, that API alone, for spans in a cluster.",
  options,
  aliases: { "clickhouse.username": "clickhouse.user" },
  commands: [exportCommand, importCommand, schemaCommand, deleteCommand],
  adminHostPort: ":17270",
  /**
   * Opens in this order: limits of the system, users and certificate, engine, upkeep, HTTP, gRPC. Upkeep starts last,
   * because its queries would slow the start. Without a port the engine is closed again, so that the folder is free.
   */
  async start({ options, log, metrics: registry, health }) {
    if (options["clickhouse.url"].length > 0) {
      return await runBridge({ options, log, metrics: registry, health });
    }
    requireOpenFiles();
    requireProcessor();
    const users = readUsers(options);
    const [owner] = users;
    const address = options["storage.http.host-port"];
    const tls = await openServerTls(options, "storage.http", log);
    const limits = {
      maxMemoryBytes: options["storage.max-memory"],
      maxQueryMemoryBytes: options["storage.max-query-memory"],
      maxResultBytes: options["storage.max-result-bytes"],
      maxQuerySeconds: Math.ceil(options["storage.query-timeout"] / 1000),
    };
    const engine = await Engine.open(options["storage.data-dir"], limits);
    const { lostTokens, mended } = engine.facts;
    for (const file of mended) {
      log.error(file, `a file of the data folder was damaged at byte ${file.place}: it is as it was again`);
    }
    countMended(registry, mended.length);
    if (lostTokens > 0) {
      log.info(`inserts that a kill cut short: ${lostTokens}; their blocks are taken when they come again`);
    }
    const gate = new QueryGate({
      maxRunning: options["storage.max-concurrent-queries"],
      maxWaiting: options["storage.max-waiting-queries"],
    });
    const guard = new DiskGuard({
      folder: engine.folder.path,
      minFreeBytes: options["storage.min-free-bytes"],
      onChange(isFull, text) {
        isFull ? log.error(text) : log.info(text);
        health.set(isFull ? "not available" : "available", text);
      },
    });
    const retention = new Retention(
      { engine, log, metrics: registry },
      {
        maxAgeMs: options["storage.retention"],
        maxBytes: options["storage.max-bytes"],
        databases: options["storage.retention-databases"],
        intervalMs: options["storage.retention-interval"],
      },
    );
    const quarantine = new PartQuarantine({
      ...{ engine, log, metrics: registry, health },
      noteFile: join(engine.folder.path, "damaged-parts.json"),
    });
    await quarantine.lookAtStart();
    const stuckReads = new StuckReads({ engine, quarantine, log });
    const scrubber = new Scrubber(
      { quarantine, stuckReads, gate, log, metrics: registry },
      {
        intervalMs: options["storage.check-interval"],
        databases: options["storage.retention-databases"],
        stateFile: join(engine.folder.path, "checked-parts.json"),
      },
    );
    const setAsideLimits = new SetAsideLimits(
      { quarantine, log, metrics: registry },
      {
        maxAgeMs: options["storage.damaged-retention"],
        maxBytes: options["storage.damaged-max-bytes"],
        retentionMs: options["storage.retention"],
        intervalMs: options["storage.retention-interval"],
      },
    );
    const calmMerges = new CalmMerges(
      { engine, log, metrics: registry, quarantine },
      { databases: options["storage.retention-databases"], ...calm },
    );
    const pointThread = new PointThread(log);
    const pointReader = new PointReader(engine, pointThread, limits);
    const metrics = new StorageMetrics(registry);
    const frontParts = { engine, gate, guard, pointReader, metrics, quarantine, stuckReads, log };
    const frontLimits = {
      sendTimeoutMs: options["storage.http.send-timeout"],
      maxBodyBytes: options["storage.http.max-body-bytes"],
    };
    const maxSessions = options["storage.http.max-sessions"];
    const server = createHttpFront(frontParts, { ...frontLimits, users, maxSessions, tls });
    watchEngine(registry, { engine, gate, guard });
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
    const inner = tls === undefined ? undefined : await openInnerFront(frontParts, frontLimits);
    const servers = inner === undefined ? [server] : [server, inner.server];
    const own =
      inner === undefined
        ? ownEngineAt(bound, { user: owner.name, password: owner.password })
        : ownEngineAt(inner.address, inner.credentials);
    const remote = await openConfiguredRemoteStorage(options, own, { log, metrics: registry }).catch(
      async (error: unknown) => {
        for (const one of servers) {
          one.close();
        }
        await engine.close(gate.idle());
        throw error;
      },
    );
    retention.start();
    calmMerges.start();
    scrubber.start();
    setAsideLimits.start();
    guard.watch();
    return {
      /**
       * Ends the remote storage API first, because its last spans are still inserts. Then the ports close, running
       * queries end or are cancelled, and the engine closes when nothing of ours uses it.
       */
      async stop(signal) {
        guard.close();
        await remote?.stop(signal);
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
        // A query whose client reads its result too slowly cannot end by itself.
        setTimeout(cut, cutAfterMs).unref();
        await pointThread.close();
        const upkeepEnded = Promise.all([
          retention.close(),
          calmMerges.close(),
          scrubber.close(),
          setAsideLimits.close(),
        ]);
        await engine.close(Promise.all([gate.idle(), upkeepEnded]));
        for (const one of servers) {
          one.closeIdleConnections();
        }
        await closed;
      },
    };
  },
};
