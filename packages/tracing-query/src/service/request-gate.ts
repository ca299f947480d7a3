import { QueryError } from "../query-error.ts";
import type { TraceRoom } from "./trace-room.ts";

export interface RequestGateSettings {
  /** Requests that are let in at a time. */
  readonly maxConcurrent: number;
  /** Requests that wait to be let in; more are refused. */
  readonly maxWaiting: number;
  /** Gets to know of each request that is let in, and when it is over. */
  readonly room?: TraceRoom;
}

/** Lets so many requests run at a time; others wait, first come first served. What traces take in memory is thus bounded. */
export class RequestGate {
  readonly #settings: RequestGateSettings;
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(settings: RequestGateSettings) {
    this.#settings = settings;
  }

  /** Requests that run now. */
  get inside(): number {
    return this.#inside;
  }

  /**
   * Resolves when the request may run.
   * @param signal takes the request out of those that wait
   * @returns to be called once, when the request is over
   * @throws QueryError QUERY_BUSY when too many wait; the signal's reason
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { maxConcurrent, maxWaiting } = this.#settings;
    if (this.#inside < maxConcurrent) {
      this.#inside++;
    } else if (this.#waiting.size >= maxWaiting) {
      throw new QueryError(
        "QUERY_BUSY",
        `${this.#inside} requests for traces are under way and ${this.#waiting.size} wait: --query.max-concurrent-reads and --query.max-waiting-reads allow no more`,
      );
    } else {
      await this.#turn(signal);
    }
    const { room } = this.#settings;
    room?.enter(signal);
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        room?.leave(signal);
        this.#leave();
      }
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const letIn = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(letIn);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(letIn);
    });
  }

  /** The place goes to the one that has waited longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside--;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}
