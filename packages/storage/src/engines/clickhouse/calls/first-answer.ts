import type { StorageError } from "../../../api/storage-error.ts";

/** Result of a call to one server. */
export type Attempt<T> =
  | { readonly kind: "done"; readonly value: T }
  /**
   * - `next` try another server
   * - `stop` try no other server
   * - `throw` every other server would fail in the same way
   */
  | { readonly kind: "failed"; readonly failure: StorageError; readonly goOn: "next" | "stop" | "throw" }
  /** Another server answered first. */
  | { readonly kind: "lost" };

/** The interface of the race between servers that an attempt uses. */
export interface AttemptRace {
  /** Number of earlier attempts of the same call. */
  readonly attemptsBefore: number;
  /** Aborted when another server has answered first. */
  readonly abort: AbortSignal;
  /**
   * Must be called when the server's answer begins. It aborts the calls to other servers.
   * @returns false when another server was first
   */
  claim(): boolean;
}

export interface HedgeOfCall {
  /** Time in milliseconds after which a second server may be tried. */
  readonly afterMs: number;
  /** Called once, after that time, if another server is left. @returns true when the second server may be tried */
  may(): boolean;
  /** @param isWon true when the second server answered first */
  ended(isWon: boolean): void;
}

/**
 * Tries the servers in order until one answers. With a hedge, a second server is also tried when the first is slow.
 * @param failures receives the failures of servers, including the thrown error
 * @returns the first answer, and true if no second server was tried; undefined when no server has an answer
 * @throws StorageError for a failure that every other server would have too
 */
export async function firstAnswer<Host, T>(
  hosts: readonly Host[],
  attempt: (host: Host, race: AttemptRace) => Promise<Attempt<T>>,
  failures: StorageError[],
  hedge?: HedgeOfCall,
): Promise<{ readonly value: T; readonly wasAlone: boolean } | undefined> {
  const left = [...hosts];
  const running = new Map<number, AbortController>();
  let winner: number | undefined;
  let hedged: number | undefined;
  let started = 0;
  const ended: { readonly id: number; readonly result: Attempt<T> }[] = [];
  let wake = Promise.withResolvers<void>();
  const start = (host: Host): number => {
    const id = started++;
    const controller = new AbortController();
    running.set(id, controller);
    const claim = () => {
      winner ??= id;
      if (winner !== id) {
        return false;
      }
      for (const [other, controller] of running) {
        if (other !== id) {
          controller.abort();
        }
      }
      return true;
    };
    void attempt(host, { attemptsBefore: id, abort: controller.signal, claim }).then((result) => {
      running.delete(id);
      ended.push({ id, result });
      wake.resolve();
    });
    return id;
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const first = left.shift();
    if (first === undefined) {
      return undefined;
    }
    start(first);
    if (hedge !== undefined && left.length > 0) {
      timer = setTimeout(() => {
        const next = left[0];
        if (next === undefined || winner !== undefined || !hedge.may()) {
          return;
        }
        left.shift();
        hedged = start(next);
      }, hedge.afterMs);
    }
    for (;;) {
      await wake.promise;
      wake = Promise.withResolvers<void>();
      for (const { id, result } of ended.splice(0)) {
        if (result.kind === "done") {
          if (hedged !== undefined) {
            hedge?.ended(id === hedged);
          }
          const wasAlone = running.size === 0 && hedged === undefined;
          return { value: result.value, wasAlone };
        }
        if (result.kind === "lost") {
          continue;
        }
        // The winner's answer broke off, so another server may deliver it from the start.
        if (winner === id) {
          winner = undefined;
        }
        failures.push(result.failure);
        if (result.goOn === "throw") {
          throw result.failure;
        }
        if (result.goOn === "stop") {
          return undefined;
        }
        const next = id === hedged && running.size > 0 ? left.shift() : undefined;
        if (next !== undefined) {
          hedged = start(next);
        }
      }
      if (running.size > 0) {
        continue;
      }
      const next = left.shift();
      if (next === undefined) {
        return undefined;
      }
      start(next);
    }
  } finally {
    clearTimeout(timer);
    for (const controller of running.values()) {
      controller.abort();
    }
  }
}
