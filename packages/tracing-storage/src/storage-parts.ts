import { join } from "node:path";
import type { ProcessContext } from "lifecycle";
import type { z } from "zod";
import { requireKnownEndpoint } from "./cold/cold-folder.ts";
import type { ColdStorage } from "./cold/open-cold-storage.ts";
import { countMended } from "./damage/mended-files.ts";
import { PartQuarantine } from "./damage/part-quarantine.ts";
import { StuckReads } from "./damage/stuck-reads.ts";
import { DiskGuard } from "./engine/disk-guard.ts";
import { Engine } from "./engine/engine.ts";
import { QueryGate } from "./engine/query-gate.ts";
import type { HttpFrontParts } from "./http/http-front.ts";
import { PointReader } from "./point-read/point-reader.ts";
import { PointThread } from "./point-read/point-thread.ts";
import { StorageMetrics, watchEngine } from "./storage-metrics.ts";
import type { storageOptions } from "./storage-options.ts";

/** Options of the process without the gRPC options, with its log, metrics and health report. */
export type StorageContext = Pick<
  ProcessContext<z.infer<typeof storageOptions>>,
  "options" | "log" | "metrics" | "health"
>;

/** The engine of a process, and all other parts that queries need. */
export interface StorageParts extends HttpFrontParts {
  /** Reads part files for the point reader, outside the main thread. */
  readonly pointThread: PointThread;
  /** The bucket for old days; undefined where none is configured. */
  readonly cold: ColdStorage | undefined;
}

/**
 * Opens the engine in its folder. Damaged files are repaired before that, if possible. The engine detaches parts that
 * it cannot load.
 * @throws StartError for a folder that cannot be used
 */
export async function openStorageParts(context: StorageContext): Promise<StorageParts> {
  const { options, log, metrics: registry, health } = context;
  const limits = {
    maxMemoryBytes: options["storage.max-memory"],
    maxQueryMemoryBytes: options["storage.max-query-memory"],
    maxResultBytes: options["storage.max-result-bytes"],
    maxQuerySeconds: Math.ceil(options["storage.query-timeout"] / 1000),
  };
  const cold = await openCold(context);
  const engine = await Engine.open(
    options["storage.data-dir"],
    limits,
    (folder) => cold?.prepare(folder) ?? "",
  );
  await cold?.opened(engine).catch(async (error: unknown) => {
    await engine.close(Promise.resolve());
    throw error;
  });
  reportMending(engine, context);
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
  const quarantine = new PartQuarantine({
    ...{ engine, log, metrics: registry, health },
    noteFile: join(engine.folder.path, "damaged-parts.json"),
  });
  await quarantine.lookAtStart();
  const stuckReads = new StuckReads({ engine, quarantine, log });
  const pointThread = new PointThread(log);
  const pointReader = new PointReader(engine, pointThread, limits);
  const metrics = new StorageMetrics(registry);
  watchEngine(registry, { engine, gate, guard });
  return { engine, gate, guard, pointReader, pointThread, metrics, quarantine, stuckReads, log, cold };
}

/**
 * Without a bucket, no code of the cold storage is loaded.
 * @throws StartError for wrong options, and for a folder whose old days are in another bucket
 */
async function openCold({ options, log }: StorageContext): Promise<ColdStorage | undefined> {
  if (options["storage.cold.endpoint"] === "") {
    requireKnownEndpoint(options["storage.data-dir"], "");
    return undefined;
  }
  const { openColdStorage } = await import("./cold/open-cold-storage.ts");
  return await openColdStorage(options, log);
}

/** Logs and counts the damage that was found when the engine was opened. */
function reportMending(engine: Engine, { log, metrics }: StorageContext): void {
  const { orphanedTokens, mended } = engine.facts;
  for (const file of mended) {
    log.error(file, `a file of the data folder was damaged at byte ${file.place}: it is as it was again`);
  }
  countMended(metrics, mended.length);
  if (orphanedTokens > 0) {
    log.info(`inserts that a kill cut short: ${orphanedTokens}; their blocks are taken when they come again`);
  }
}
