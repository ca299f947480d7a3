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
import { WaitingRoom } from "./waiting-room.ts";

/**
 * The young heap of each worker, from the start. Requests leave little garbage that survives: 4 MB cost a
 * request as little as 16 MB, while 2 MB cost a tenth more. Node's own default would take 100 MB for each
 * thread under load.
 */
const semiSpaceMb = 4;

/**
 * The limit of the young heap when much survives, as with successive configs of a thousand routes. With this
 * room a config is copied once or not at all, instead of again with each successor. It counts three
 * semi-spaces.
 */
const maxYoungGenerationSizeMb = 48;

/**
 * Gives threads that start later their young heap at once. V8 grows it by what survives, and with requests
 * nothing survives, so it would stay at 1 MiB. An idle worker's memory is the same either way.
 */
function openYoungSpace(): void {
  setFlagsFromString(`--min-semi-space-size=${semiSpaceMb}`);
}

/** How worker threads are started. */
export interface WorkerThreadOptions {
  /** How many; 0: the main thread serves. */
  readonly count: number;
  /** Form of the log lines that workers write: `json` or `console`. */
  readonly logEncoding: "json" | "console";
}

/** The data that a worker gets when it starts. */
export interface WorkerStart {
  /** Number of the worker, from 1 on; the main thread is 0. */
  readonly thread: number;
  readonly table: SharedArrayBuffer;
  /** Name of the least level that is written. */
  readonly logLevel: string;
  /** Form of its log lines. */
  readonly logEncoding: "json" | "console";
  /** Folder of the server's own files. */
  readonly dataFolder: string;
  /** Memory of {@link EndNotices}. */
  readonly endNotices: SharedArrayBuffer;
}

export const memoryTopic = "threads.memory";

export interface MemoryRequest {
  readonly name: string;
  readonly byteLength: number;
}

/** Requests that a log line of a thread's death names. */
const maxNamedRequests = 20;

/** Platforms whose sockets several threads can open on one port. Source: node's `reusePort` of `server.listen` */
const sharingPlatforms = new Set(["linux", "freebsd", "dragonfly", "sunos", "aix"]);

/** One worker for each core; none where ports cannot be shared. */
export function defaultWorkers(): number {
  return sharingPlatforms.has(process.platform) ? availableParallelism() : 0;
}

/** The threads of a server and what they share. */
export interface Threads {
  readonly shared: SharedState;
  readonly messages: ThreadMessages;
  readonly ports: PortSource;
  /** Undefined when the main thread serves. */
  readonly workers: Workers | undefined;
}

/**
 * An inherited socket is closed with its thread and cannot be opened again. The parent still has it, and
 * restarts the process when it ends with an error, as systemd does with `Restart=on-failure`. No connection
 * is refused in between.
 */
function endForLost(lost: readonly string[], log: Logger): void {
  log.fatal(
    `${lost.join(", ")} went with the worker: stopping, so that who gave it can start the server anew`,
  );
  process.exitCode = exitCodes.stopFailed;
  process.kill(process.pid, "SIGTERM");
}

/** Prepares what threads share, and starts the workers. */
export function openThreads(
  log: Logger,
  options: WorkerThreadOptions | undefined,
  dataFolder: string,
  onThreadDeath: (thread: number) => void = () => {},
): Threads {
  const memory = memoryKeeper();
  if (options === undefined || options.count === 0) {
    const shared = new TableState(SharedTable.create(1), memory);
    return { shared, messages: new SingleThread(), ports: new OwnPorts(log), workers: undefined };
  }
  const table = SharedTable.create(options.count + 1);
  const topics = new MessageTopics();
  topics.on(memoryTopic, (value) => {
    const { name, byteLength } = value as MemoryRequest;
    return memory(name, byteLength);
  });
  const messages = new MainMessages(topics);
  const ports = new SharedPorts(messages, log);
  openYoungSpace();
  const endNotices = EndNotices.create(options.count + 1);
  const spawn = (thread: number) => {
    endNotices.expect(thread);
    const workerData: WorkerStart = {
      thread,
      table: table.buffer,
      logLevel: log.level,
      logEncoding: options.logEncoding,
      dataFolder,
      endNotices: endNotices.buffer,
    };
    return new Worker(new URL("./worker-start.ts", import.meta.url), {
      workerData,
      name: `worker ${thread}`,
      resourceLimits: { maxYoungGenerationSizeMb },
    });
  };
  const onDeath = (thread: number) => {
    onThreadDeath(thread);
    const lost = ports.threadDied(thread);
    if (lost.length > 0) {
      endForLost(lost, log);
    }
  };
  const room = new WaitingRoom(log);
  const openRoom = () =>
    room.open(ports.tcpAddresses()).catch((error: unknown) => log.warn(`waiting room: ${messageOf(error)}`));
  // The last thread keeps its listeners until the room has its own, so that no connection is refused in between.
  topics.on(endingTopic, async (value) => {
    const thread = value as number;
    if (workers.isLastToEnd(thread)) {
      await openRoom();
    }
    endNotices.acknowledge(thread);
  });
  const onServing = (thread: number) => {
    ports.threadServes(thread);
    const relays = {
      open: (address: ListenAddress, path: string) => ports.relay(thread, address, path),
      close: (address: ListenAddress) => ports.relay(thread, address, ""),
    };
    room.release(relays).catch((error: unknown) => log.warn(`waiting room: ${messageOf(error)}`));
  };
  const lastWork = async (thread: number) => {
    const { requests, more } = readRequestsLeft(await memory(underWayName(thread), underWayBytes));
    const named = requests.slice(0, maxNamedRequests);
    return { requests: named, more_requests: more + requests.length - named.length };
  };
  const workers = new Workers({
    count: options.count,
    spawn,
    table,
    topics,
    messages,
    log,
    onDeath,
    lastWork,
    onServing,
    onNobodyServes: () => void openRoom(),
    onStop: () => room.close(),
  });
  return { shared: new TableState(table, memory), messages, ports, workers };
}
