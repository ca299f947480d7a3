import { parentPort, workerData } from "node:worker_threads";
import { Registry } from "@prometheus-io/client";
import { createLogger, type LogLevel } from "lifecycle";
import { allModules } from "../all-modules.ts";
import { AppsParticipant } from "../core/engine/apps.ts";
import { followMainThread } from "../core/engine/worker-thread.ts";
import { WorkerPorts } from "../core/listen/port-source.ts";
import { PartCache } from "../core/modules/part-cache.ts";
import { UsagePool } from "../core/modules/usage-pool.ts";
import { collectTopic } from "../core/threads/all-metrics.ts";
import { containUncaught } from "../core/threads/error-owner.ts";
import { releaseMemory } from "../core/threads/release-memory.ts";
import { TableState } from "../core/threads/shared-state.ts";
import { SharedTable } from "../core/threads/shared-table.ts";
import { MessageTopics } from "../core/threads/thread-messages.ts";
import { WorkerMessages } from "../core/threads/worker-messages.ts";
import { OwnLines, ownLines } from "../modules/logging/own-lines.ts";
import { type MemoryRequest, memoryTopic, type WorkerStart } from "./open-threads.ts";

/** Program of a worker thread: runs the apps that serve traffic, as the main thread says. */
const start = workerData as WorkerStart;
if (parentPort === null) {
  throw new Error("this is the program of a worker thread");
}
const topics = new MessageTopics();
const messages = new WorkerMessages(start.thread, parentPort, topics);
const lines = new OwnLines();
const log = createLogger({
  name: "server",
  level: start.logLevel as LogLevel,
  encoding: start.logEncoding,
  take: lines.take,
});
lines.attach(log);
containUncaught((error, isRejection) => {
  if (!isRejection) {
    throw error; // ends the thread: what it left half done is not known
  }
  log.error({ err: error }, "a promise was rejected and nobody looked");
});
const pool = new UsagePool();
void pool.acquire(ownLines, "", () => lines);
const metrics = new Registry();
const shared = new TableState(
  new SharedTable(start.table, start.thread),
  (name, byteLength) =>
    messages.askMain(memoryTopic, { name, byteLength } satisfies MemoryRequest) as Promise<SharedArrayBuffer>,
);
topics.on(collectTopic, () => metrics.getMetricsAsJSON());
followMainThread(
  topics,
  new AppsParticipant(
    {
      registry: allModules(),
      pool,
      parts: new PartCache(),
      log,
      metrics,
      shared,
      messages,
      ports: new WorkerPorts(messages, log),
      dataFolder: start.dataFolder,
      changesTrustStores: false,
    },
    "workers",
  ),
);
releaseMemory();
