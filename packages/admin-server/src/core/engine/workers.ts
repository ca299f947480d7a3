import type { Worker } from "node:worker_threads";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../errors.ts";
import type { SharedTable } from "../threads/shared-table.ts";
import { type MessageTopics, ThreadLink } from "../threads/thread-messages.ts";
import type { MainMessages } from "../threads/worker-messages.ts";
import { type ChangedPart, changedParts } from "../tree/changed-parts.ts";
import type { ConfigDocument } from "./config-document.ts";
import type { Participant, Transition } from "./participant.ts";

/** Topics by which the main thread leads its workers; their part is `worker-thread.ts`. */
export const workerTopics = {
  prepare: "engine.prepare",
  commit: "engine.commit",
  rollback: "engine.rollback",
  stop: "engine.stop",
} as const;

/** A config for workers to prepare: whole, or as what is different from the one that runs. */
export interface PrepareTask {
  readonly text?: string;
  readonly parts?: readonly ChangedPart[];
  readonly force: boolean;
  /** Whether objects may have `@id` members. */
  readonly hasIds: boolean;
}

type RunningConfig = Pick<ConfigDocument, "text" | "config" | "hasIds">;

/** A change of more parts is sent as the whole. */
const maxParts = 50;

/** After a death the next one of the same thread is waited for so long, doubled each time up to the limit. */
const firstPauseMs = 100;
const maxPauseMs = 5_000;
/** A worker that lived so long has no bad past. */
const soundAfterMs = 10_000;

export interface WorkersOptions {
  readonly count: number;
  /** Starts a thread. @param thread its number, 1 and up */
  readonly spawn: (thread: number) => Worker;
  readonly table: SharedTable;
  readonly topics: MessageTopics;
  readonly messages: MainMessages;
  readonly log: Logger;
  /** Called when a thread ended that was not to, before its successor starts. */
  readonly onDeath?: (thread: number) => void;
}

interface RunningWorker {
  readonly thread: number;
  readonly worker: Worker;
  readonly link: ThreadLink;
  readonly startedAt: number;
}

/**
 * The worker threads that serve traffic, each with the whole `http` app. All prepare a config before any commits; one
 * that dies is replaced by another with the config that runs.
 */
export class Workers implements Participant {
  readonly #options: WorkersOptions;
  readonly #running = new Map<number, RunningWorker>();
  readonly #pauses = new Map<number, number>();
  /** Replacements on their way: a change of config waits for them. */
  readonly #replacing = new Set<Promise<void>>();
  /** The config that runs; undefined before the first. */
  #current: RunningConfig | undefined;
  #stopped = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    for (let thread = 1; thread <= options.count; thread++) {
      this.#start(thread);
    }
  }

  async prepare(document: ConfigDocument): Promise<Transition> {
    await Promise.all(this.#replacing);
    const { config, hasIds } = document;
    const parts =
      this.#current === undefined ? undefined : changedParts(this.#current.config, config, maxParts);
    const task: PrepareTask = {
      force: document.force,
      hasIds,
      // After a change of a leaf the workers need not read a megabyte.
      ...(parts === undefined ? { text: document.sent ?? document.text } : { parts }),
    };
    const workers = [...this.#running.values()];
    const results = await Promise.allSettled(workers.map(({ link }) => link.ask(workerTopics.prepare, task)));
    const failure = results.find((result) => result.status === "rejected");
    const rollback = async () => {
      const prepared = workers.filter((_, index) => results[index]?.status === "fulfilled");
      await Promise.allSettled(prepared.map(({ link }) => link.ask(workerTopics.rollback, null)));
    };
    if (failure !== undefined) {
      await rollback();
      throw failure.reason;
    }
    return {
      commit: async () => {
        this.#current = document;
        // A worker that dies here is replaced by one with this config.
        await Promise.allSettled(workers.map(({ link }) => link.ask(workerTopics.commit, null)));
      },
      rollback,
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#replacing);
    const workers = [...this.#running.values()];
    if (this.#current !== undefined) {
      // Before the first config they have nothing to finish, and may still be starting.
      await Promise.allSettled(workers.map(({ link }) => link.ask(workerTopics.stop, null)));
    }
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }

  /**
   * CPU profile of one thread, in V8's format.
   * @param thread 1 and up
   * @param over resolves at its end
   * @throws ServerError ADMIN_REQUEST for one that does not run; what `over` throws
   */
  async cpuProfile(thread: number, over: () => Promise<unknown>): Promise<unknown> {
    const worker = this.#running.get(thread)?.worker;
    if (worker === undefined) {
      throw new ServerError("ADMIN_REQUEST", `worker ${thread} does not run`);
    }
    const handle = await worker.startCpuProfile();
    let profile: string;
    try {
      await over();
    } finally {
      profile = await handle.stop();
    }
    return JSON.parse(profile);
  }

  /** For tests: ends a thread as an unforeseen error would. */
  async kill(thread: number): Promise<void> {
    await this.#running.get(thread)?.worker.terminate();
  }

  #start(thread: number): RunningWorker {
    const { spawn, topics, messages, log } = this.#options;
    const worker = spawn(thread);
    const running = { thread, worker, link: new ThreadLink(worker, topics), startedAt: performance.now() };
    this.#running.set(thread, running);
    messages.links.set(thread, running.link);
    worker.on("error", (error) => log.error({ err: error }, `worker ${thread}: uncaught error`));
    worker.on("exit", () => this.#ended(running));
    return running;
  }

  #ended({ thread, link, startedAt }: RunningWorker): void {
    const { log, table, messages } = this.#options;
    link.break(new ServerError("THREAD_DIED", `worker ${thread} died`));
    this.#running.delete(thread);
    messages.links.delete(thread);
    table.forget(thread);
    if (this.#stopped) {
      return;
    }
    log.error(`worker ${thread} died: starting another one`);
    this.#options.onDeath?.(thread);
    if (performance.now() - startedAt > soundAfterMs) {
      this.#pauses.delete(thread);
    }
    const pauseMs = this.#pauses.get(thread) ?? 0;
    this.#pauses.set(thread, Math.min(maxPauseMs, Math.max(firstPauseMs, pauseMs * 2)));
    const replaced = this.#replace(thread, pauseMs).finally(() => this.#replacing.delete(replaced));
    this.#replacing.add(replaced);
  }

  async #replace(thread: number, pauseMs: number): Promise<void> {
    if (pauseMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    if (this.#stopped) {
      return;
    }
    const { link } = this.#start(thread);
    const { log } = this.#options;
    try {
      // The config may change while this one prepares: it ends with the one that runs.
      for (let taken: RunningConfig | undefined; taken !== this.#current; ) {
        taken = this.#current;
        const { text, hasIds } = taken ?? { text: "null", hasIds: false };
        const task: PrepareTask = { text, force: false, hasIds };
        await link.ask(workerTopics.prepare, task);
        await link.ask(workerTopics.commit, null);
      }
      log.info(`worker ${thread} serves again`);
    } catch (error) {
      log.error(`worker ${thread} cannot serve: ${messageOf(error)}`);
      await this.#running.get(thread)?.worker.terminate();
    }
  }
}
