import { parentPort, workerData } from "node:worker_threads";
import { Registry } from "@prometheus-io/client";
import { createLogger, type LogLevel } from "lifecycle";
import { AppsParticipant } from "server-core/engine/apps";
import { followMainThread } from "server-core/engine/worker-thread";
import { WorkerPorts } from "server-core/listen/port-source";
import { ProcessLogForwarder, processLogForwarder } from "server-core/logging/process-log-forwarder";
import { PartCache } from "server-core/modules/part-cache";
import { UsagePool } from "server-core/modules/usage-pool";
import { collectTopic } from "server-core/threads/all-metrics";
import { containUncaught } from "server-core/threads/error-owner";
import { releaseMemory } from "server-core/threads/release-memory";
import { memoryKeeper, TableState } from "server-core/threads/shared-state";
import { SharedTable } from "server-core/threads/shared-table";
import { MessageTopics } from "server-core/threads/thread-messages";
import { WorkerMessages } from "server-core/threads/worker-messages";
import { allModules } from "../all-modules.ts";
import { EndNotices } from "./end-notice.ts";
import { type MemoryRequest, memoryTopic, type WorkerStart } from "./open-threads.ts";

// Program of a worker thread: it runs the apps that serve traffic, controlled by the main thread.
//
// | action | actor |
// |---|---|
// | start and replacement of the worker | the main thread, see open-threads.ts |
// | new configs | the main thread: `prepare`, then `commit` or `rollback`, each with an answer |
// | end of the worker | the main thread, or an uncaught error in the worker |
// | metrics | the worker; they are collected on request, and are lost when the worker ends |
//
// Without a parent thread, for example when the file is started by hand, no config would come.
const start = workerData as WorkerStart;
if (parentPort === null) {
  throw new Error("this is the program of a worker thread");
}
const topics = new MessageTopics();
const messages = new WorkerMessages(start.thread, parentPort, topics);
const lines = new ProcessLogForwarder();
const log = createLogger({
  name: "server",
  level: start.logLevel as LogLevel,
  encoding: start.logEncoding,
  take: lines.take,
});
lines.attach(log);
const endNotices = new EndNotices(start.endNotices);
// The main thread must know this before the listeners of this thread close, because clients would otherwise be refused.
const announceEnd = () =>
  endNotices.announce({ thread: start.thread, askMain: (topic, value) => messages.askMain(topic, value) });
process.on("exit", announceEnd); // this event is not emitted after an uncaught error, nor when the memory is exhausted
// An unhandled rejection is only logged; an uncaught error ends the thread.
containUncaught((error, isRejection) => {
  if (!isRejection) {
    announceEnd();
    throw error; // ends the thread, because its state is unknown
  }
  log.error({ err: error }, "a promise was rejected and nobody looked");
});
const pool = new UsagePool();
void pool.acquire(processLogForwarder, "", () => lines);
const metrics = new Registry();
const shared = new TableState(
  new SharedTable(start.table, start.thread),
  memoryKeeper(
    (name, byteLength) =>
      messages.askMain(memoryTopic, {
        name,
        byteLength,
      } satisfies MemoryRequest) as Promise<SharedArrayBuffer>,
  ),
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
// The start leaves much garbage, but only once for each thread.
releaseMemory();
