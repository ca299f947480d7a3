import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ServerError } from "server-core/errors";
import type { PasswordCheck } from "./password-check.ts";
import type { CheckOutcome } from "./password-thread.ts";

/** Half of the cores, and at most this many: one computation of argon2id may need a gibibyte. */
const maxThreads = 4;
/** A thread without work ends after this time. */
const defaultIdleMs = 10_000;

/** How many threads check passwords, in the whole process. */
export function passwordThreadCount(): number {
  return Math.min(maxThreads, Math.max(1, Math.floor(availableParallelism() / 2)));
}

/** A check that a thread computes. */
interface Job {
  /** Takes the result. */
  readonly resolve: (right: boolean) => void;
  /** Takes the failure of the thread. */
  readonly reject: (error: Error) => void;
}

/** A thread, idle or at work. */
interface HashThread {
  /** The thread. */
  readonly worker: Worker;
  /** Job that it computes; undefined while idle. */
  job: Job | undefined;
  /** Ends the thread after some time without work; undefined while it works. */
  idle: NodeJS.Timeout | undefined;
}

/**
 * Threads that compute password hashes. They start when there is work and end when there is none, so that a server
 * without logins has none of them. Apart from libuv's pool, which reads files and resolves names for everybody.
 */
export class PasswordThreads {
  /** The most threads. */
  readonly size: number;
  /** Threads that run, idle ones too. */
  readonly #threads = new Set<HashThread>();

  readonly #idleMs: number;

  constructor(size = passwordThreadCount(), idleMs = defaultIdleMs) {
    this.size = size;
    this.#idleMs = idleMs;
  }

  /** How many threads run now, idle ones too. */
  get running(): number {
    return this.#threads.size;
  }

  /** True when another check can start immediately. */
  get hasRoom(): boolean {
    return this.#threads.size < this.size || [...this.#threads].some(({ job }) => job === undefined);
  }

  /** To be called while there is room. @throws what `verifyPassword` throws; ServerError THREAD_DIED */
  verify(check: PasswordCheck): Promise<boolean> {
    const thread = [...this.#threads].find(({ job }) => job === undefined) ?? this.#start();
    clearTimeout(thread.idle);
    return new Promise((resolve, reject) => {
      thread.job = { resolve, reject };
      // A process that is to end does not wait for idle threads, but for one that works.
      thread.worker.ref();
      thread.worker.postMessage(check);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Starts a thread. It ends by itself after a time without work. */
  #start(): HashThread {
    const worker = new Worker(new URL("./password-thread.ts", import.meta.url), { name: "passwords" });
    const thread: HashThread = { worker, job: undefined, idle: undefined };
    this.#threads.add(thread);
    worker.on("message", (outcome: CheckOutcome) => this.#done(thread, outcome));
    worker.on("error", (error: unknown) => this.#ended(thread, error));
    worker.on("exit", () => this.#ended(thread));
    return thread;
  }

  /** Hands the result on and begins the idle time. */
  #done(thread: HashThread, outcome: CheckOutcome): void {
    const { job } = thread;
    thread.job = undefined;
    thread.worker.unref();
    thread.idle = setTimeout(() => {
      this.#threads.delete(thread);
      void thread.worker.terminate();
    }, this.#idleMs);
    thread.idle.unref();
    if ("right" in outcome) {
      job?.resolve(outcome.right);
    } else {
      job?.reject(new Error(outcome.failure));
    }
  }

  /** The thread is gone: its check fails, and the next check starts another one. */
  #ended(thread: HashThread, error?: unknown): void {
    clearTimeout(thread.idle);
    this.#threads.delete(thread);
    const { job } = thread;
    thread.job = undefined;
    job?.reject(
      new ServerError("THREAD_DIED", "the thread that checked the password died", { cause: error }),
    );
  }
}
