import type { SharedGauge } from "server-core/threads/shared-state";

/** A pool of connections to one upstream. All pools of the upstream share one connection limit. */
export interface SlotUser {
  /** Number of calls that wait for a connection. */
  readonly waitingCount: number;
  /** Time of the oldest waiter, on the clock of `performance.now()`; undefined without waiters. */
  readonly waitingSince: number | undefined;
  /** Takes free slots for the user's waiting calls. */
  retry(): void;
  /** Closes idle connections. @returns their number */
  giveIdle(count: number): number;
  /** Stops new calls on a connection that carries many. Absent when a connection carries one call at a time. */
  giveBusy?(): void;
}

/** The message of a waiting thread to the other threads. */
export interface SlotPlea {
  /** Thread that waits for a connection. */
  readonly thread: number;
  /** Upstream whose connections are limited. */
  readonly place: string;
  /** Number of waiting requests in the thread. */
  readonly waiting: number;
  /** Milliseconds that the oldest call has waited. */
  readonly waitedMs: number;
}

/** Options for counting the connections of one upstream, over all threads. */
export interface ConnectionSlotsOptions {
  /** Maximum number of connections that may be open at once, over all threads. Further calls wait for a slot. */
  readonly max: number;
  /** The shared count. {@link ConnectionSlots.close} releases the gauge. */
  readonly gauge: SharedGauge;
  /** Asks the other threads for connections that they can spare. It must never reject. */
  plead(waiting: number, waitedMs: number): Promise<void>;
}

/** Milliseconds between looks for a free slot while calls wait. Slots that other threads free are found this way. */
const lookMs = 5;
/** Milliseconds for which this thread leaves a free slot to other threads. */
const yieldMs = 2 * lookMs;
/**
 * Milliseconds between requests to other threads while calls wait. A connection is passed to another thread at most
 * this often.
 */
const pleadMs = 50;
/**
 * If this thread can use a connection itself, another thread gets it only after waiting this many milliseconds longer.
 */
const fairnessMs = 20;

/**
 * Limits connections to one upstream, over all threads. Calls above the limit wait, oldest first. An idle connection of
 * one thread is closed for a waiting call of another thread. When all threads have waiting calls, a thread that has
 * waited clearly longer gets a turn.
 * | Event | Effect |
 * |---|---|
 * | `take` below the limit | the count rises by one, in this thread and over all threads |
 * | `take` at the limit | the call waits; the pool calls `wait` |
 * | `wait` | idle connections in the other pools of this thread are closed; the other threads are asked |
 * | `asked` by a thread | idle connections are closed; without one, a slot is owed to a thread that waits longer |
 * | `free` with a debt | this thread takes no slot for 10 ms, so that the other thread can take it |
 * | `free` without a debt | waiting calls of this thread try again |
 * Source: Go's net/http, `Transport.MaxConnsPerHost`
 */
export class ConnectionSlots {
  readonly #options: ConnectionSlotsOptions;
  /** Pools of this thread that share the limit: HTTP/1.1, HTTP/2, and calls whose protocol is not negotiated yet. */
  readonly #users: SlotUser[] = [];
  /** Open connections of this thread. They are included in the count over all threads. */
  #open = 0;
  /** True when the next free connection is owed to another thread. */
  #owed = false;
  /** Time on the clock of `performance.now()` until which `take` refuses; 0 when it does not refuse. */
  #yieldsUntil = 0;
  /** Timer that looks for slots while calls wait. */
  #timer: NodeJS.Timeout | undefined;
  /** Time of the last request to other threads. */
  #pleadedAt = Number.NEGATIVE_INFINITY;
  /** True after the transport was closed. Open connections may finish. */
  #closed = false;
  /** True after the shared count was released: from then on connections are not limited. */
  #released = false;

  constructor(options: ConnectionSlotsOptions) {
    this.#options = options;
  }

  /** Registers a pool. A slot that one pool does not need is available to the other pools. */
  add(user: SlotUser): void {
    this.#users.push(user);
  }

  /** Takes a slot for one connection. @returns false at the limit */
  take(): boolean {
    const { gauge, max } = this.#options;
    if (this.#released) {
      return true;
    }
    if (this.#yieldsUntil > 0) {
      if (performance.now() < this.#yieldsUntil) {
        return false;
      }
      this.#yieldsUntil = 0;
    }
    // The count is increased before the comparison: two concurrent threads may both step back, but never both proceed.
    gauge.add(1);
    if (gauge.value > max) {
      gauge.add(-1);
      return false;
    }
    this.#open++;
    return true;
  }

  /** Frees a slot after its connection closed or left the pool. */
  free(): void {
    if (!this.#released) {
      this.#options.gauge.add(-1);
      this.#open--;
      if (this.#owed) {
        this.#owed = false;
        this.#yieldsUntil = performance.now() + yieldMs;
        this.#watch();
      } else {
        this.#retry();
      }
      this.#release();
    }
  }

  /** Called when calls wait: starts to look for slots. */
  wait(user: SlotUser): void {
    for (const each of this.#users) {
      if (each !== user && each.giveIdle(1) > 0) {
        break;
      }
    }
    this.#plead();
    this.#watch();
  }

  /** Called for the request of a waiting thread. */
  asked({ waiting, waitedMs }: SlotPlea): void {
    let wanted = waiting;
    for (const user of this.#users) {
      wanted -= user.waitingCount > 0 ? 0 : user.giveIdle(wanted);
      if (wanted <= 0) {
        return;
      }
    }
    if (wanted === waiting && this.#open > 0 && waitedMs > this.#waitedMs() + fairnessMs) {
      this.#owed = true;
      for (const user of this.#users) {
        user.giveBusy?.();
      }
    }
  }

  /** True when the slot of a free connection is owed to another thread. The connection must then be closed. */
  get owes(): boolean {
    return this.#owed;
  }

  /** Refuses new connections. The shared count is released with the last connection. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  /** Runs every 5 ms: waiting calls try for a slot, and every 50 ms the other threads are asked again. */
  readonly #look = (): void => {
    this.#timer = undefined;
    this.#retry();
    if (this.#isWaiting()) {
      if (performance.now() - this.#pleadedAt >= pleadMs) {
        this.#plead();
      }
      this.#watch();
    }
    this.#release();
  };

  #watch(): void {
    this.#timer ??= setTimeout(this.#look, lookMs);
  }

  /** Asks the other threads for connections, at most once in 5 ms. */
  #plead(): void {
    const now = performance.now();
    if (now - this.#pleadedAt >= lookMs) {
      this.#pleadedAt = now;
      const waiting = this.#users.reduce((sum, user) => sum + user.waitingCount, 0);
      void this.#options.plead(waiting, this.#waitedMs()).then(() => this.#retry());
    }
  }

  #retry(): void {
    for (const user of this.#users) {
      user.retry();
    }
  }

  #isWaiting(): boolean {
    return this.#users.some(({ waitingCount }) => waitingCount > 0);
  }

  /** Milliseconds for which the oldest call of this thread has waited; 0 when no call waits. */
  #waitedMs(): number {
    const since = this.#users.flatMap(({ waitingSince }) => waitingSince ?? []);
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  /** Releases the shared count once this thread has no connections left. */
  #release(): void {
    if (this.#closed && !this.#released && this.#open === 0 && !this.#isWaiting()) {
      this.#released = true;
      clearTimeout(this.#timer);
      this.#options.gauge.release();
    }
  }
}
