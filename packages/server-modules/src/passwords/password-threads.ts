import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ServerError } from "server-core/errors";
import type { PasswordCheck } from "./password-check.ts";
import type { CheckOutcome } from "./password-thread.ts";

/** Maximum number of threads, even with more than eight cores: one argon2id computation may need a gibibyte. */
const maxThreads = 4;
/** Milliseconds after which an idle thread ends. */
const defaultIdleMs = 10_000;

/** Number of threads that check passwords, in the whole process. */
export function passwordThreadCount(): number {
  return Math.min(maxThreads, Math.max(1, Math.floor(availableParallelism() / 2)));
}

/** A check that a thread computes. */
interface Job {
  readonly resolve: (right: boolean) => void;
  readonly reject: (error: Error) => void;
}

/** A thread, idle or busy. */
interface HashThread {
  readonly worker: Worker;
  /** The current job; undefined while idle. */
  job: Job | undefined;
  /** Timer that ends an idle thread; undefined while it works. */
  idle: NodeJS.Timeout | undefined;
}

/**
 * Threads that compute password hashes. They start on demand and end when idle, so a server without logins has none.
 * They are separate from libuv's pool, which reads files and resolves names for all.
 */
export class PasswordThreads {
  /** Maximum number of threads. */
  readonly size: number;
  /** All threads, including idle ones. */
  readonly #threads = new Set<HashThread>();

  readonly #idleMs: number;

  constructor(size = passwordThreadCount(), idleMs = defaultIdleMs) {
    this.size = size;
    this.#idleMs = idleMs;
  }

  /** Number of threads, including idle ones. */
  get running(): number {
    return this.#threads.size;
  }

  /** True when another check can start immediately. */
  get hasRoom(): boolean {
    return this.#threads.size < this.size || [...this.#threads].some(({ job }) => job === undefined);
  }

  /** Runs a check; call it only while there is room. @throws the error of `verifyPassword`; ServerError THREAD_DIED */
  verify(check: PasswordCheck): Promise<boolean> {
    const thread = [...this.#threads].find(({ job }) => job === undefined) ?? this.#start();
    clearTimeout(thread.idle);
    return new Promise((resolve, reject) => {
      thread.job = { resolve, reject };
      // A busy thread keeps the process alive; an idle one does not.
      thread.worker.ref();
      thread.worker.postMessage(check);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** Starts a thread. It ends after a time without work. */
  #start(): HashThread {
    const worker = new Worker(new URL("./password-thread.ts", import.meta.url), { name: "passwords" });
    const thread: HashThread = { worker, job: undefined, idle: undefined };
    this.#threads.add(thread);
    worker.on("message", (outcome: CheckOutcome) => this.#done(thread, outcome));
    worker.on("error", (error: unknown) => this.#ended(thread, error));
    worker.on("exit", () => this.#ended(thread));
    return thread;
  }

  /** Passes the result on, and starts the idle timer. */
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

  /** Called when a thread has ended: its check fails, and the next check starts a new thread. */
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
