import type { StorageError } from "../../../api/storage-error.ts";

/** Result of a call to one server. */
export type Attempt<T> =
  | { readonly kind: "done"; readonly value: T }
  | FailedAttempt
  /** Another server answered first, so this answer is not used. */
  | { readonly kind: "lost" };

/** A call that failed at one server. */
export interface FailedAttempt {
  readonly kind: "failed";
  readonly failure: StorageError;
  /**
   * - `next` try another server
   * - `stop` try no other server
   * - `throw` every other server would fail for the same reason
   */
  readonly goOn: "next" | "stop" | "throw";
}

/** The interface of the race between servers that an attempt uses. */
export interface AttemptRace {
  /** Number of earlier attempts of the same call. */
  readonly attemptsBefore: number;
  /** Aborted when another server has answered first. */
  readonly abort: AbortSignal;
  /**
   * Must be called when the server's answer begins. It aborts the calls to other servers.
   * @returns false when another server answered first
   */
  claim(): boolean;
}

export interface HedgeOfCall {
  /** Time in milliseconds after which a second server may be tried. */
  readonly afterMs: number;
  /** Called once, after `afterMs`, if an untried server is left. @returns true when this server may be tried */
  may(): boolean;
  /** @param isWon true when the second server answered first */
  ended(isWon: boolean): void;
}

/**
 * Tries the servers in order until one answers. With a hedge, a second server is also tried while the first server is
 * slow.
 * @param failures receives the failures of servers, including the thrown error
 * @returns the first answer, and whether no second server was tried; undefined when all servers failed
 * @throws StorageError for a failure that every other server would repeat
 */
export async function firstAnswer<Host, T>(
  hosts: readonly Host[],
  attempt: (host: Host, race: AttemptRace) => Promise<Attempt<T>>,
  failures: StorageError[],
  hedge?: HedgeOfCall,
): Promise<FirstAnswer<T> | undefined> {
  return await new HostRace(hosts, attempt, failures, hedge).run();
}

/** The answer of a call. */
export interface FirstAnswer<T> {
  readonly value: T;
  /** True: the server that answered was the only one that was tried at that time. */
  readonly wasAlone: boolean;
}

/** An attempt that is over. */
interface EndedAttempt<T> {
  readonly id: number;
  readonly result: Attempt<T>;
}

/**
 * The attempts of one call. An attempt is first running; when it ends, it waits in `#ended` until `run` has judged it.
 * At most two attempts run at the same time: the newest attempt that was started in turn, and the hedged attempt.
 */
class HostRace<Host, T> {
  /** Servers that were not tried yet, in order. */
  readonly #left: Host[];
  readonly #attempt: (host: Host, race: AttemptRace) => Promise<Attempt<T>>;
  readonly #failures: StorageError[];
  readonly #hedge: HedgeOfCall | undefined;
  readonly #running = new Map<number, AbortController>();
  /** Attempts that wait to be judged, in the order of their ends. */
  readonly #ended: EndedAttempt<T>[] = [];
  /** Resolved when an attempt has ended. */
  #wake = Promise.withResolvers<void>();
  /** Number of started attempts, which is also the id of the next attempt. */
  #started = 0;
  /** The attempt whose answer has begun. */
  #winner: number | undefined;
  /** The second attempt, which was started because the first one took long. */
  #hedged: number | undefined;

  constructor(
    hosts: readonly Host[],
    attempt: (host: Host, race: AttemptRace) => Promise<Attempt<T>>,
    failures: StorageError[],
    hedge: HedgeOfCall | undefined,
  ) {
    this.#left = [...hosts];
    this.#attempt = attempt;
    this.#failures = failures;
    this.#hedge = hedge;
  }

  /** @returns and throws like `firstAnswer`; attempts that still run are aborted */
  async run(): Promise<FirstAnswer<T> | undefined> {
    let timer: NodeJS.Timeout | undefined;
    try {
      if (!this.#startNext()) {
        return undefined;
      }
      timer = this.#startHedgeLater();
      for (;;) {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
        for (const attempt of this.#ended.splice(0)) {
          const end = this.#judge(attempt);
          if (end !== undefined) {
            return end.answer;
          }
        }
        if (this.#running.size === 0 && !this.#startNext()) {
          return undefined;
        }
      }
    } finally {
      clearTimeout(timer);
      for (const controller of this.#running.values()) {
        controller.abort();
      }
    }
  }

  /** Tries the next server in turn. @returns false when no server is left */
  #startNext(): boolean {
    const next = this.#left.shift();
    if (next === undefined) {
      return false;
    }
    this.#start(next);
    return true;
  }

  #start(host: Host): number {
    const id = this.#started++;
    const controller = new AbortController();
    this.#running.set(id, controller);
    const race = { attemptsBefore: id, abort: controller.signal, claim: () => this.#claim(id) };
    void this.#attempt(host, race).then((result) => {
      this.#running.delete(id);
      this.#ended.push({ id, result });
      this.#wake.resolve();
    });
    return id;
  }

  /** See `AttemptRace.claim`. */
  #claim(id: number): boolean {
    this.#winner ??= id;
    if (this.#winner !== id) {
      return false;
    }
    for (const [other, controller] of this.#running) {
      if (other !== id) {
        controller.abort();
      }
    }
    return true;
  }

  /** @returns the timer that starts a second attempt; undefined when a second attempt is impossible */
  #startHedgeLater(): NodeJS.Timeout | undefined {
    const hedge = this.#hedge;
    if (hedge === undefined || this.#left.length === 0) {
      return undefined;
    }
    return setTimeout(() => {
      const next = this.#left[0];
      if (next === undefined || this.#winner !== undefined || !hedge.may()) {
        return;
      }
      this.#left.shift();
      this.#hedged = this.#start(next);
    }, hedge.afterMs);
  }

  /**
   * Records the end of an attempt. When a hedged attempt fails while the first attempt still runs, the next server
   * takes its place.
   * @returns the end of the call; undefined when the call continues
   * @throws StorageError for a failure that every other server would repeat
   */
  #judge({ id, result }: EndedAttempt<T>): { readonly answer: FirstAnswer<T> | undefined } | undefined {
    if (result.kind === "done") {
      if (this.#hedged !== undefined) {
        this.#hedge?.ended(id === this.#hedged);
      }
      const wasAlone = this.#running.size === 0 && this.#hedged === undefined;
      return { answer: { value: result.value, wasAlone } };
    }
    if (result.kind === "lost") {
      return undefined;
    }
    // The answer that had begun broke off, so another server may deliver it from the start.
    if (this.#winner === id) {
      this.#winner = undefined;
    }
    this.#failures.push(result.failure);
    if (result.goOn === "throw") {
      throw result.failure;
    }
    if (result.goOn === "stop") {
      return { answer: undefined };
    }
    const next = id === this.#hedged && this.#running.size > 0 ? this.#left.shift() : undefined;
    if (next !== undefined) {
      this.#hedged = this.#start(next);
    }
    return undefined;
  }
}
