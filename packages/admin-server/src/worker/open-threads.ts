// Life of a worker thread:
//
// | event | actor | effect on clients |
// |---|---|---|
// | start | `Workers` calls `spawn` | clients are not served yet |
// | serving | `onServing` | the thread accepts new connections, and takes the connections in the waiting room |
// | uncaught error | the thread announces its end and throws | its open connections are lost |
// | the last thread will end | the main thread opens the waiting room before it allows the end | new connections wait |
// | the thread has ended | `onDeath` | ports and passwords of the thread are released; another thread starts |
// | the thread's memory is exhausted | no announcement | connections may be refused until another thread serves |
// | stop | `onStop` | waiting connections are closed |

import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { readRequestsLeft, underWayBytes, underWayName } from "http-engine/requests-under-way";
import type { Logger } from "lifecycle";
import { exitCodes } from "lifecycle/stop-request";
import { Workers } from "server-core/engine/workers";
import { messageOf } from "server-core/errors";
import type { ListenAddress } from "server-core/listen/listen-address";
import { OwnPorts, type PortSource, SharedPorts } from "server-core/listen/port-source";
import { memoryKeeper, type SharedState, TableState } from "server-core/threads/shared-state";
import { SharedTable } from "server-core/threads/shared-table";
import { MessageTopics, SingleThread, type ThreadMessages } from "server-core/threads/thread-messages";
import { MainMessages } from "server-core/threads/worker-messages";
import { EndNotices, endingTopic } from "./end-notice.ts";
import { startThreadsOnDemand } from "./thread-demand.ts";
import { WaitingRoom } from "./waiting-room.ts";

/**
 * Megabytes of each worker's young heap from its start. Requests leave little garbage that survives: with 4 MB a
 * request costs as little as with 16 MB; with 2 MB it costs a tenth more. Node's own default would take 100 MB for each
 * thread under load.
 */
const semiSpaceMb = 4;

/**
 * Limit of the young heap in MB if much garbage survives, as with successive configs of a thousand routes. With this
 * limit, a config is copied at most once, instead of again with each later config. The limit includes three
 * semi-spaces.
 */
const maxYoungGenerationSizeMb = 48;

/**
 * Gives threads that are started later their full young heap at once. V8 enlarges the heap only for objects that
 * survive; requests leave none, so it would stay at 1 MiB. An idle worker needs the same memory with either size. The
 * flag applies to the whole process, so it is set before the first thread starts.
 */
function openYoungSpace(): void {
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
}

/** Options for starting worker threads. */
export interface WorkerThreadOptions {
  /** Maximum number of workers; 0: the main thread serves. */
  readonly count: number;
  /** True: one worker starts, and further workers start under load. Default: all workers start. */
  readonly onDemand?: boolean;
  /** Format of the workers' log lines: `json` or `console`. */
  readonly logEncoding: "json" | "console";
}

/** The data that a worker receives when it starts. */
export interface WorkerStart {
  /** Number of the worker, from 1 on; the main thread is 0. */
  readonly thread: number;
  /** Shared memory of the counters. */
  readonly table: SharedArrayBuffer;
  /** Minimum level of log lines. */
  readonly logLevel: string;
  readonly logEncoding: "json" | "console";
  /** Folder of the server's own files. */
  readonly dataFolder: string;
  /** Memory of {@link EndNotices}. */
  readonly endNotices: SharedArrayBuffer;
}

/** Topic for a worker's request for named memory, which other threads may share. */
export const memoryTopic = "threads.memory";

/** Memory that threads share. The name and the size together identify the memory. */
export interface MemoryRequest {
  readonly name: string;
  readonly byteLength: number;
}

/** Maximum number of requests named in the log line about a thread's death. */
const maxNamedRequests = 20;

/**
 * Platforms on which several threads can open the same port. On other platforms the main thread serves. Source: Node,
 * `reusePort` of `server.listen`
 */
const sharingPlatforms = new Set(["linux", "freebsd", "dragonfly", "sunos", "aix"]);

/** Default limit of workers: one for each core; 0 where ports cannot be shared. */
export function defaultWorkers(): number {
  return sharingPlatforms.has(process.platform) ? availableParallelism() : 0;
}

/** The threads of a server, and the objects that they share. */
export interface Threads {
  /** Counters, gauges and memory shared by all threads. */
  readonly shared: SharedState;
  readonly messages: ThreadMessages;
  /** Decides which thread listens on which port. */
  readonly ports: PortSource;
  /** Worker threads; undefined when the main thread serves. */
  readonly workers: Workers | undefined;
}

/**
 * An inherited socket is closed together with its thread, and cannot be opened again. The parent process still has the
 * socket, and can restart this process after an error, as systemd does with `Restart=on-failure`. No connection is
 * refused meanwhile.
 */
function endForLost(lost: readonly string[], log: Logger): void {
  if (lost.length === 0) {
    return;
  }
  log.fatal(
    `${lost.join(", ")} went with the worker: stopping, so that who gave it can start the server anew`,
  );
  process.exitCode = exitCodes.stopFailed;
  process.kill(process.pid, "SIGTERM");
}

/** Starts the program of a worker. */
function startWorker(workerData: WorkerStart): Worker {
  return new Worker(new URL("./worker-start.ts", import.meta.url), {
    workerData,
    name: `worker ${workerData.thread}`,
    resourceLimits: { maxYoungGenerationSizeMb },
  });
}

/** Keeps the ports open while no worker serves, so that clients can wait. A failure is logged. */
class PortsRoom {
  readonly #room: WaitingRoom;
  readonly #ports: SharedPorts;
  readonly #log: Logger;

  constructor(ports: SharedPorts, log: Logger) {
    this.#room = new WaitingRoom(log);
    this.#ports = ports;
    this.#log = log;
  }

  async open(): Promise<void> {
    // A failed waiting room costs only the connections that would have waited.
    await this.#room.open(this.#ports.tcpAddresses()).catch(this.#warn);
  }

  /** Passes the ports and the waiting connections to a worker. */
  release(thread: number): void {
    const relays = {
      open: (address: ListenAddress, path: string) => this.#ports.relay(thread, address, path),
      close: (address: ListenAddress) => this.#ports.relay(thread, address, ""),
    };
    this.#room.release(relays).catch(this.#warn);
  }

  close(): ReturnType<WaitingRoom["close"]> {
    return this.#room.close();
  }

  readonly #warn = (error: unknown): void => {
    this.#log.warn(`waiting room: ${messageOf(error)}`);
  };
}

/**
 * The requests that a thread was serving when it ended.
 * @param underWay the thread's shared notes of these requests
 * @returns fields for the log line about its end
 */
function lastWork(underWay: Parameters<typeof readRequestsLeft>[0]) {
  const { requests, more } = readRequestsLeft(underWay);
  const named = requests.slice(0, maxNamedRequests);
  return { requests: named, more_requests: more + requests.length - named.length };
}

/** Answers a worker's request for memory. */
function keptMemory(memory: ReturnType<typeof memoryKeeper>, { name, byteLength }: MemoryRequest) {
  return memory(name, byteLength);
}

/** Like `openThreads`, but without workers: nothing is shared, and messages are direct calls. */
function mainThreadAlone(log: Logger, memory: ReturnType<typeof memoryKeeper>): Threads {
  const shared = new TableState(SharedTable.create(1), memory);
  return { shared, messages: new SingleThread(), ports: new OwnPorts(log), workers: undefined };
}

/** @returns function that starts a worker with the shared memory */
function workerSpawner(
  log: Logger,
  { logEncoding }: WorkerThreadOptions,
  dataFolder: string,
  shares: { readonly table: SharedTable; readonly endNotices: EndNotices },
): (thread: number) => Worker {
  const table = shares.table.buffer;
  const endNotices = shares.endNotices.buffer;
  return (thread) => {
    shares.endNotices.expect(thread);
    return startWorker({ thread, table, logLevel: log.level, logEncoding, dataFolder, endNotices });
  };
}

/**
 * Prepares the shared objects, and starts the workers.
 * @param options absent, or with a count of 0: only the main thread serves traffic
 * @param dataFolder folder of the server's own files, for workers
 * @param onThreadDeath called when a thread has ended, before another thread replaces it
 */
export function openThreads(
  log: Logger,
  options: WorkerThreadOptions | undefined,
  dataFolder: string,
  onThreadDeath: (thread: number) => void = () => {},
): Threads {
  const memory = memoryKeeper();
  if (options === undefined || options.count === 0) {
    return mainThreadAlone(log, memory);
  }
  const table = SharedTable.create(options.count + 1);
  const topics = new MessageTopics();
  topics.on(memoryTopic, (value) => keptMemory(memory, value as MemoryRequest));
  const messages = new MainMessages(topics);
  const ports = new SharedPorts(messages, log);
  openYoungSpace();
  const endNotices = EndNotices.create(options.count + 1);
  const room = new PortsRoom(ports, log);
  // The last thread keeps its listeners until the waiting room listens, so that no connection is refused meanwhile.
  topics.on(endingTopic, async (value) => {
    const thread = value as number;
    if (workers.isLastToEnd(thread)) {
      await room.open();
    }
    endNotices.acknowledge(thread);
  });
  const workers = new Workers({
    count: options.count,
    first: options.onDemand === true ? 1 : options.count,
    spawn: workerSpawner(log, options, dataFolder, { table, endNotices }),
    table,
    topics,
    messages,
    log,
    onDeath(thread) {
      onThreadDeath(thread);
      endForLost(ports.threadDied(thread), log);
    },
    lastWork: async (thread) => lastWork(await memory(underWayName(thread), underWayBytes)),
    onServing(thread) {
      ports.threadServes(thread);
      room.release(thread);
    },
    onNobodyServes: () => void room.open(),
    onStop() {
      endDemand();
      room.close();
    },
  });
  const endDemand = startThreadsOnDemand(
    workers,
    options.count,
    (threads, part) => void ports.share(threads, part),
  );
  return { shared: new TableState(table, memory), messages, ports, workers };
}
