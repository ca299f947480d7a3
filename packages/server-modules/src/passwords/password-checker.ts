import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { type CheckId, type CheckRequest, type PasswordCheck, passwordTopics } from "./password-check.ts";
import { PasswordThreads } from "./password-threads.ts";
import { CheckKeys, RightPasswords } from "./right-passwords.ts";
import { Turns } from "./turns.ts";

/** Maximum number of checks that may wait for a thread. With more, clients would wait for minutes. */
const maxWaiting = 64;
/** Minimum milliseconds between two log messages about refusals. */
const quietMs = 60_000;
/** `Retry-After` in milliseconds, used before the first check was measured. */
const firstGuessMs = 1_000;
/** Longest wait in milliseconds that `Retry-After` asks for. */
const maxRetryMs = 60_000;

export type HashThreads = Pick<PasswordThreads, "size" | "hasRoom" | "verify" | "close">;

/** A request that waits for a result. */
interface Waiter {
  readonly request: CheckRequest;
  readonly resolve: (right: boolean) => void;
  /** Receives the reason for no result: the computing thread failed, the queue is full, or the client disconnected. */
  readonly reject: (error: Error) => void;
}

/** One computation, shared by all concurrent equal checks. */
interface Computation {
  /** Key of the check. Equal checks are computed once. */
  readonly key: string;
  /** Address of the client, for its fair share. */
  readonly client: string;
  readonly check: PasswordCheck;
  /** Requests that the result answers. */
  readonly waiters: Set<Waiter>;
}

/** Key of a waiter. Each thread numbers its checks itself. */
function nameOf({ thread, id }: CheckId): string {
  return `${thread} ${id}`;
}

/** The threads that compute hashes, and the limit of waiting checks. */
interface CheckerOptions {
  /** Threads that compute. Default: the threads of this process. */
  readonly threads?: HashThreads | undefined;
  /** Maximum number of computations that wait; further computations are refused with 503. */
  readonly waiting?: number | undefined;
}

/**
 * Checks the passwords of the whole process, in the main thread. A few threads compute, and equal checks share a
 * computation. The queue is limited, and checks without a waiting client are dropped.
 * | Check | Outcome |
 * |---|---|
 * | cached as right | answered at once (`remembered`) |
 * | equal to a waiting or running check | waits for the same result |
 * | a thread is free | computed at once (`right`, `wrong`, `failed`) |
 * | all threads are busy | queued; clients take turns |
 * | the queue is full | the client with most queued work loses its newest check, or the new one is lost (`refused`) |
 * | the client disconnects | dropped, unless a thread computes it already (`dropped`) |
 */
export class PasswordChecker {
  readonly #threads: HashThreads;
  readonly #log: Logger;
  readonly #keys = new CheckKeys();
  readonly #right = new RightPasswords();
  /** Computations that wait for a thread. */
  readonly #turns: Turns<Computation>;
  /** Waiting and running computations, by key. */
  readonly #computations = new Map<string, Computation>();
  /** Waiting requests, by thread and number. */
  readonly #waiters = new Map<string, { readonly waiter: Waiter; readonly computation: Computation }>();
  readonly #outcomes: Counter<"outcome">;
  /** Milliseconds of the last computation, for `Retry-After`. */
  #lastMs = firstGuessMs;
  /** End of the period without log messages about refusals, in milliseconds since 1970. */
  #quietUntil = 0;

  constructor(
    messages: ThreadMessages,
    metrics: Registry,
    log: Logger,
    { threads = new PasswordThreads(), waiting = maxWaiting }: CheckerOptions = {},
  ) {
    this.#threads = threads;
    this.#log = log;
    this.#turns = new Turns(waiting);
    messages.on(passwordTopics.check, (value) => this.check(value as CheckRequest));
    messages.on(passwordTopics.drop, (value) => this.#drop(value as CheckId));
    const registers = [metrics];
    this.#outcomes = new Counter({
      name: "server_password_checks_total",
      help: "Password checks by outcome: right, wrong, remembered, failed, refused (the queue was full), dropped (the client left).",
      labelNames: ["outcome"],
      registers,
    });
    const turns = this.#turns;
    new Gauge({
      name: "server_password_checks_waiting",
      help: "Password checks that wait for a thread.",
      registers,
      collect() {
        this.set(turns.size);
      },
    });
  }

  /** @throws ServerError PASSWORDS_BUSY; CLIENT_GONE when the check was dropped; the error of `verifyPassword` */
  async check(request: CheckRequest): Promise<boolean> {
    const { algorithm, hash, password } = request.check;
    const key = `${algorithm} ${this.#keys.keyOf(hash, password)}`;
    if (request.remember && this.#right.has(key)) {
      this.#outcomes.inc({ outcome: "remembered" });
      return true;
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { request, resolve, reject };
      const known = this.#computations.get(key);
      const computation = known ?? {
        key,
        client: request.client,
        check: request.check,
        waiters: new Set(),
      };
      computation.waiters.add(waiter);
      this.#waiters.set(nameOf(request), { waiter, computation });
      if (known === undefined) {
        this.#computations.set(key, computation);
        this.#begin(computation);
      }
    });
  }

  /** Drops all checks of a thread that has died. */
  forgetThread(thread: number): void {
    for (const { waiter } of [...this.#waiters.values()]) {
      if (waiter.request.thread === thread) {
        this.#drop(waiter.request);
      }
    }
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  /** Starts a computation, or queues it; a full queue refuses it, or another client's computation. */
  #begin(computation: Computation): void {
    if (this.#threads.hasRoom) {
      void this.#compute(computation);
      return;
    }
    const displaced = this.#turns.add(computation);
    if (displaced !== undefined) {
      this.#refuse(displaced);
    }
  }

  /** Computes, informs all waiters, then takes the next computation. */
  async #compute(computation: Computation): Promise<void> {
    const begin = performance.now();
    try {
      const right = await this.#threads.verify(computation.check);
      this.#lastMs = performance.now() - begin;
      if (right && [...computation.waiters].some(({ request }) => request.remember)) {
        this.#right.add(computation.key);
      }
      this.#outcomes.inc({ outcome: right ? "right" : "wrong" });
      this.#settle(computation, ({ resolve }) => resolve(right));
    } catch (error) {
      this.#outcomes.inc({ outcome: "failed" });
      const failure = error instanceof ServerError ? error : new ServerError("THREAD", messageOf(error));
      this.#settle(computation, ({ reject }) => reject(failure));
    }
    const next = this.#turns.next();
    if (next !== undefined) {
      void this.#compute(next);
    }
  }

  /** Fails all waiters of a computation, with the time until a retry makes sense. */
  #refuse(computation: Computation): void {
    const waitMs = (this.#lastMs * this.#turns.size) / this.#threads.size;
    const retryAtMs = Date.now() + Math.min(maxRetryMs, Math.max(1_000, waitMs));
    const message = `${this.#turns.max} password checks wait already`;
    this.#outcomes.inc({ outcome: "refused" }, computation.waiters.size);
    if (Date.now() >= this.#quietUntil) {
      this.#quietUntil = Date.now() + quietMs;
      this.#log.warn(`${message}: refusing more, the last one was for ${computation.client}`);
    }
    this.#settle(computation, ({ reject }) =>
      reject(new ServerError("PASSWORDS_BUSY", message, { retryAtMs })),
    );
  }

  /** Ends a computation: all waiters get the result, and the computation is forgotten. */
  #settle(computation: Computation, tell: (waiter: Waiter) => void): void {
    this.#computations.delete(computation.key);
    for (const waiter of computation.waiters) {
      this.#waiters.delete(nameOf(waiter.request));
      tell(waiter);
    }
    computation.waiters.clear();
  }

  /** Drops a waiter. A running computation continues, because native code cannot be stopped. */
  #drop(id: CheckId): void {
    const found = this.#waiters.get(nameOf(id));
    if (found === undefined) {
      return;
    }
    const { waiter, computation } = found;
    this.#waiters.delete(nameOf(id));
    computation.waiters.delete(waiter);
    this.#outcomes.inc({ outcome: "dropped" });
    waiter.reject(new ServerError("CLIENT_GONE", "the client left before its password was checked"));
    if (computation.waiters.size === 0 && this.#turns.remove(computation)) {
      this.#computations.delete(computation.key);
    }
  }
}
