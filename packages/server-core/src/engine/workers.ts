import type { EventLoopUtilization } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "../errors.ts";
import type { SharedTable } from "../threads/shared-table.ts";
import { type MessageTopics, ThreadLink } from "../threads/thread-messages.ts";
import type { MainMessages } from "../threads/worker-messages.ts";
import { type ChangedPart, changedParts } from "../tree/changed-parts.ts";
import type { ConfigDocument } from "./config-document.ts";
import type { Participant, Transition } from "./participant.ts";
import { RestartPace } from "./restart-pace.ts";

/** Topics with which the main thread controls its workers; `worker-thread.ts` handles them. */
export const workerTopics = {
  prepare: "engine.prepare",
  commit: "engine.commit",
  rollback: "engine.rollback",
  stop: "engine.stop",
} as const;

/** A config to prepare: the whole document, or its differences from the running one. */
export interface PrepareTask {
  /** The whole document; absent when `parts` is present. */
  readonly text?: string;
  /** Parts that differ from the document that the worker runs. */
  readonly parts?: readonly ChangedPart[];
  /** True: provisions every app again, even if its config is unchanged. */
  readonly force: boolean;
  /** True when objects may have `@id` members. */
  readonly hasIds: boolean;
}

type RunningConfig = Pick<ConfigDocument, "text" | "config" | "hasIds">;

/** Maximum number of changed parts that are sent singly. With more, the whole document is sent. */
const maxParts = 50;

/**
 * Time limit in milliseconds for which other restarted threads wait for the first restarted thread. Threads that start
 * together share the processors, so every thread would begin to listen later.
 */
const maxLeadMs = 15_000;

/** Maximum number of attempts to apply one change when threads die. After the last one, the change fails. */
const maxTries = 5;

export interface WorkersOptions {
  /** Maximum number of threads that serve requests. The main thread only administers. */
  readonly count: number;
  /** Number of threads that start at once; {@link Workers.growTo} starts more. Default: all. */
  readonly first?: number;
  /** Starts a thread. @param thread number of the thread, from 1 */
  readonly spawn: (thread: number) => Worker;
  /** Counters and gauges that threads share. */
  readonly table: SharedTable;
  /** Handlers for requests of workers to the main thread. */
  readonly topics: MessageTopics;
  /** The main thread's end of all message links. */
  readonly messages: MainMessages;
  /** Log of the threads' starts and ends. */
  readonly log: Logger;
  /** Called when a thread died, before it is restarted. */
  readonly onDeath?: (thread: number) => void;
  /** Called when the last thread that served has died. */
  readonly onNobodyServes?: () => void;
  /** Called when the threads are about to stop. */
  readonly onStop?: () => void;
  /** Called when a restarted or an additional thread runs the config. */
  readonly onServing?: (thread: number) => void;
  /** The last requests of a dead thread, as members of a log line. */
  readonly lastWork?: (thread: number) => Promise<object>;
}

interface RunningWorker {
  /** Number of the thread; a restarted thread keeps it. */
  readonly thread: number;
  readonly worker: Worker;
  readonly link: ThreadLink;
  /**
   * Start time in milliseconds, from `performance.now()`. A thread that dies soon after its start is restarted with a
   * longer pause.
   */
  readonly startedAt: number;
  /** The config that the thread runs; undefined before the first config. */
  config: RunningConfig | undefined;
  /**
   * Times of the thread's event loop at the last call of {@link Workers.utilization}; undefined: the thread did not
   * serve at that call.
   */
  loop: EventLoopUtilization | undefined;
  /** True when the thread has announced its end. */
  isEnding: boolean;
}

function isDeath(error: unknown): boolean {
  return error instanceof ServerError && error.code === "THREAD_DIED";
}

/**
 * The worker threads that serve traffic, each with the whole `http` app. All threads prepare a config before one
 * commits. A thread that dies is restarted with the running config, and changes wait for the restart.
 */
export class Workers implements Participant {
  readonly #options: WorkersOptions;
  readonly #running = new Map<number, RunningWorker>();
  readonly #pace = new RestartPace();
  /** Restarted and additional threads that are starting, by thread number. */
  readonly #replacing = new Map<number, Promise<void>>();
  /** Start of the first restarted thread; other restarts wait for it. */
  #leading: Promise<unknown> | undefined;
  readonly #stop = new AbortController();
  /** Number of wanted threads, from `first` to `count`. It never decreases. */
  #wanted: number;
  /** The running config; undefined before the first config. */
  #current: RunningConfig | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#wanted = Math.min(options.first ?? options.count, options.count);
    for (const thread of this.#threads) {
      this.#start(thread);
    }
  }

  get #threads(): number[] {
    return Array.from({ length: this.#wanted }, (_, index) => index + 1);
  }

  /** Number of threads, including starting ones. */
  get size(): number {
    return this.#wanted;
  }

  /** True when every wanted thread runs the config. */
  get areAllServing(): boolean {
    return this.#threads.every((thread) => this.#running.get(thread)?.config !== undefined);
  }

  /**
   * Share of time, 0 to 1, for which each thread was busy since the last call, by thread number. Threads that did not
   * serve at the last call are left out, because the load of a start is not traffic.
   */
  utilization(): Map<number, number> {
    const parts = new Map<number, number>();
    for (const [thread, running] of this.#running) {
      if (running.config === undefined) {
        continue;
      }
      const { performance: ofThread } = running.worker;
      const now = ofThread.eventLoopUtilization();
      if (running.loop !== undefined) {
        parts.set(thread, ofThread.eventLoopUtilization(now, running.loop).utilization);
      }
      running.loop = now;
    }
    return parts;
  }

  /**
   * Starts more threads. Later changes of the config include the new threads.
   * @param size wanted number of threads; limited to `count`
   * @returns a promise that resolves when all started threads serve, or died. `size` is smaller when the system refuses threads
   */
  async growTo(size: number): Promise<void> {
    const before = this.#wanted;
    this.#wanted = Math.max(before, Math.min(size, this.#options.count));
    const more = this.#threads.slice(before);
    for (const thread of more) {
      this.#successorComes(thread, this.#replace(thread, 0, "serves"));
    }
    await Promise.all(more.map((thread) => this.#replacing.get(thread)));
    // Changes of the config do not wait for a thread that the system refused.
    while (this.#wanted > before && !this.#running.has(this.#wanted) && !this.#replacing.has(this.#wanted)) {
      this.#wanted--;
    }
  }

  /** True when at least one thread runs a config. */
  get #isServed(): boolean {
    return [...this.#running.values()].some(({ config, isEnding }) => config !== undefined && !isEnding);
  }

  async prepare(document: ConfigDocument): Promise<Transition> {
    const { config, hasIds } = document;
    const parts =
      this.#current === undefined ? undefined : changedParts(this.#current.config, config, maxParts);
    const task: PrepareTask = {
      force: document.force,
      hasIds,
      // For a small change the workers need not read a megabyte.
      ...(parts === undefined ? { text: document.sent ?? document.text } : { parts }),
    };
    const prepared = new Map<number, RunningWorker>();
    const results = await Promise.allSettled(
      this.#threads.map(async (thread) => prepared.set(thread, await this.#prepareIn(thread, task))),
    );
    const rollback = async () => {
      await Promise.allSettled(
        [...prepared.values()].map(({ link }) => link.ask(workerTopics.rollback, null)),
      );
    };
    const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    // If another thread could prepare the config, this death has another cause, and the restarted thread gets the
    // config.
    const failure =
      failures.find((error) => !isDeath(error)) ?? (prepared.size === 0 ? failures[0] : undefined);
    if (failure !== undefined) {
      await rollback();
      throw failure;
    }
    return {
      commit: async () => {
        this.#current = document;
        await Promise.all(
          this.#threads.map((thread) => this.#commitIn(thread, prepared.get(thread), document)),
        );
      },
      rollback,
    };
  }

  /**
   * Prepares a change in a thread, or in its successor when the thread dies. @throws the refusal of the thread;
   * ServerError THREAD_DIED
   */
  async #prepareIn(thread: number, task: PrepareTask): Promise<RunningWorker> {
    for (let attempt = 1; ; attempt++) {
      await this.#replacing.get(thread);
      const running = this.#running.get(thread);
      try {
        if (running === undefined) {
          throw new ServerError("THREAD_DIED", `worker ${thread} died`);
        }
        await running.link.ask(workerTopics.prepare, task);
        return running;
      } catch (error) {
        if (!isDeath(error) || attempt === maxTries || this.#stop.signal.aborted) {
          throw error;
        }
      }
    }
  }

  /**
   * @param prepared the worker that prepared the change. Undefined: the worker died, and its successor did not prepare
   * the change
   */
  async #commitIn(
    thread: number,
    prepared: RunningWorker | undefined,
    document: ConfigDocument,
  ): Promise<void> {
    try {
      await prepared?.link.ask(workerTopics.commit, null);
    } catch (error) {
      if (!isDeath(error)) {
        this.#options.log.error(`worker ${thread} failed to commit a change: ${messageOf(error)}`);
      }
    }
    if (prepared !== undefined) {
      prepared.config = document;
    }
    // While the commit was sent, the thread may have been restarted with the previous config.
    await this.#replacing.get(thread);
    const running = this.#running.get(thread);
    if (running !== undefined && running.config !== document) {
      await this.#bringUp(running);
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#options.onStop?.();
    await Promise.all(this.#replacing.values());
    const workers = [...this.#running.values()];
    if (this.#current !== undefined) {
      // Before the first config the threads have no work to finish, and may still be starting.
      await Promise.allSettled(workers.map(({ link }) => link.ask(workerTopics.stop, null)));
    }
    await Promise.all(workers.map(({ worker }) => worker.terminate()));
  }

  /**
   * CPU profile of one thread, in V8's format.
   * @param thread number of the thread, from 1
   * @param over resolves at the end of the profile
   * @throws ServerError ADMIN_REQUEST for a thread that does not run; errors of `over`
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

  /** Called when a thread announces its end. @returns true when it serves and no other thread does */
  isLastToEnd(thread: number): boolean {
    const running = this.#running.get(thread);
    if (running === undefined || this.#stop.signal.aborted) {
      return false;
    }
    running.isEnding = true;
    return running.config !== undefined && !this.#isServed;
  }

  /** For tests: ends a thread like an unexpected error. */
  async kill(thread: number): Promise<void> {
    await this.#running.get(thread)?.worker.terminate();
  }

  #start(thread: number): RunningWorker {
    const { spawn, topics, messages, log } = this.#options;
    const worker = spawn(thread);
    const running: RunningWorker = {
      thread,
      worker,
      link: new ThreadLink(worker, topics),
      startedAt: performance.now(),
      config: undefined,
      loop: undefined,
      isEnding: false,
    };
    this.#running.set(thread, running);
    messages.links.set(thread, running.link);
    worker.on("error", (error) => log.error({ err: error }, `worker ${thread}: uncaught error`));
    worker.on("exit", () => this.#ended(running));
    return running;
  }

  #ended({ thread, link, startedAt }: RunningWorker): void {
    const { log, table, messages, lastWork, onDeath } = this.#options;
    link.break(new ServerError("THREAD_DIED", `worker ${thread} died`));
    this.#running.delete(thread);
    messages.links.delete(thread);
    table.forget(thread);
    if (this.#stop.signal.aborted) {
      return;
    }
    const message = `worker ${thread} died: starting another one`;
    const work = lastWork?.(thread) ?? Promise.resolve({});
    work.then(
      (members) => log.error(members, message),
      () => log.error(message),
    );
    onDeath?.(thread);
    const othersServe = this.#isServed;
    if (!othersServe && this.#current !== undefined) {
      this.#options.onNobodyServes?.();
    }
    const pauseMs = this.#pace.pauseAfter(thread, performance.now() - startedAt, othersServe);
    // The last requests of the dead thread are read before its restart.
    this.#successorComes(
      thread,
      work.catch(() => {}).then(() => this.#replace(thread, pauseMs, "serves again")),
    );
  }

  /** Makes changes of the config wait for a thread that is starting. A start that fails is logged; the other threads serve on. */
  #successorComes(thread: number, replaced: Promise<void>): void {
    const settled = replaced
      .catch((error: unknown) => {
        this.#options.log.error({ err: error }, `worker ${thread} cannot start`);
      })
      .finally(() => {
        if (this.#replacing.get(thread) === settled) {
          this.#replacing.delete(thread);
        }
      });
    this.#replacing.set(thread, settled);
  }

  /** @param news text for the log when the thread serves */
  async #replace(thread: number, pauseMs: number, news: string): Promise<void> {
    const { signal } = this.#stop;
    if (pauseMs > 0) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {}); // the server stops
    }
    // The first restarted thread starts alone. When this thread dies, a waiting thread is next; when this thread
    // serves, all others start.
    const late = sleep(maxLeadMs, undefined, { signal, ref: false }).catch(() => {});
    const until = performance.now() + maxLeadMs;
    let leads = this.#leading !== undefined;
    while (leads && !signal.aborted && performance.now() < until) {
      await Promise.race([this.#leading, late]);
      leads = this.#leading !== undefined && !this.#isServed;
    }
    if (signal.aborted) {
      return;
    }
    // No other code may run between the last check and the start.
    const up = this.#bringUp(this.#start(thread));
    this.#leading ??= up.finally(() => {
      this.#leading = undefined;
    });
    if (await up) {
      this.#options.onServing?.(thread);
      this.#options.log.info(`worker ${thread} ${news}`);
    }
  }

  /**
   * Makes a thread run the current config, even if the config changes during the start. @returns true when the thread
   * runs it
   */
  async #bringUp(running: RunningWorker): Promise<boolean> {
    const { thread, link, worker } = running;
    try {
      while (running.config !== this.#current) {
        const taken = this.#current;
        const { text, hasIds } = taken ?? { text: "null", hasIds: false };
        const task: PrepareTask = { text, force: false, hasIds };
        await link.ask(workerTopics.prepare, task);
        await link.ask(workerTopics.commit, null);
        running.config = taken;
      }
      return true;
    } catch (error) {
      this.#options.log.error(`worker ${thread} cannot serve: ${messageOf(error)}`);
      await worker.terminate();
      return false;
    }
  }
}
