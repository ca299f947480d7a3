import type { SharedGauge } from "server-core/threads/shared-state";

/** Pools of connections to one upstream that share a limit. */
export interface SlotUser {
  /** Calls that wait for a connection. */
  readonly waitingCount: number;
  /** Time of the oldest waiter, on the clock of `performance.now()`; undefined without waiters. */
  readonly waitingSince: number | undefined;
  /** Takes free slots for its waiting calls. */
  retry(): void;
  /** Closes idle connections. @returns their number */
  giveIdle(count: number): number;
  /** Lets a connection that carries many calls run out. Absent: a connection carries one at a time. */
  giveBusy?(): void;
}

/** A waiting thread's message to the others. */
export interface SlotPlea {
  /** Thread that waits for a connection. */
  readonly thread: number;
  /** Upstream whose connections are limited. */
  readonly place: string;
  /** Requests that wait in the thread. */
  readonly waiting: number;
  /** How long the oldest call has waited. */
  readonly waitedMs: number;
}

/** How a place's connections are counted, over all threads. */
export interface ConnectionSlotsOptions {
  /** Connections at a time in all threads. */
  readonly max: number;
  /** Counts them. Released by {@link ConnectionSlots.close}. */
  readonly gauge: SharedGauge;
  /** Asks the other threads for connections that they can spare. Must not fail. */
  plead(waiting: number, waitedMs: number): Promise<void>;
}

/** How often it is looked for a slot while calls wait: what other threads give back is found so. */
const lookMs = 5;
/** How long a slot is left to other threads that were to have it. */
const yieldMs = 2 * lookMs;
/** How often others are asked while calls wait: no connection changes threads more often. */
const pleadMs = 50;
/** How much longer others must have waited to get a connection that this thread could use itself. */
const fairnessMs = 20;

/**
 * The limit of connections to one upstream, over all threads. Calls above it wait, oldest first. An idle
 * connection of one thread makes room for a waiting call of another. When all threads have waiting calls, those
 * that have waited clearly longer get a turn.
 * | Event | Effect |
 * |---|---|
 * | `take` below the limit | the count is one higher, here and in all threads |
 * | `take` at the limit | the call waits; the pool calls `wait` |
 * | `wait` | idle connections of other pools of this thread go; the other threads are asked |
 * | `asked` by a thread | idle connections go; without any, the next free slot is owed to it |
 * | `free` with a debt | this thread takes no slot for 10 ms, so that the other thread finds it |
 * | `free` without | waiting calls of this thread try again |
 * Source: Go's net/http, `Transport.MaxConnsPerHost`
 */
export class ConnectionSlots {
  readonly #options: ConnectionSlotsOptions;
  /** Pools of this thread that share the limit: HTTP/1.1, HTTP/2, and the calls that do not know yet. */
  readonly #users: SlotUser[] = [];
  /** Connections of this thread. They are part of the count of all threads. */
  #open = 0;
  /** Another thread is to get the next connection that is free. */
  #owed = false;
  /** Time on the clock of `performance.now()` until which `take` refuses; 0: it does not refuse. */
  #yieldsUntil = 0;
  /** Looks for slots while calls wait. */
  #timer: NodeJS.Timeout | undefined;
  /** When the other threads were last asked. */
  #pleadedAt = Number.NEGATIVE_INFINITY;
  /** True after the transport was closed. Open connections may finish. */
  #closed = false;
  /** True after the count was released: nothing is limited any more. */
  #released = false;

  constructor(options: ConnectionSlotsOptions) {
    this.#options = options;
  }

  /** Registers a pool. Slots that one pool does not need are available to the others. */
  add(user: SlotUser): void {
    this.#users.push(user);
  }

  /** Takes the right to one connection. @returns false where there are as many as may be */
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
    // Increment first, then compare: two concurrent threads may both step back, but never both proceed.
    gauge.add(1);
    if (gauge.value > max) {
      gauge.add(-1);
      return false;
    }
    this.#open++;
    return true;
  }

  /** Frees the slot: the connection closed, or left the pool. */
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

  /** Calls wait: from now on it is looked for slots. */
  wait(user: SlotUser): void {
    for (const each of this.#users) {
      if (each !== user && each.giveIdle(1) > 0) {
        break;
      }
    }
    this.#plead();
    this.#watch();
  }

  /** Another thread waits. */
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

  /** Asked when a connection is free: whether another thread is to have its slot. Then it must be closed. */
  get owes(): boolean {
    return this.#owed;
  }

  /** No new connections. The shared count is released with the last connection. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  /** One look: waiting calls try for a slot, and the other threads are asked again after 50 ms. */
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

  /** How long the oldest call of this thread has waited; 0 when none waits. */
  #waitedMs(): number {
    const since = this.#users.flatMap(({ waitingSince }) => waitingSince ?? []);
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  /** Gives the count back once nothing of this thread needs it. */
  #release(): void {
    if (this.#closed && !this.#released && this.#open === 0 && !this.#isWaiting()) {
      this.#released = true;
      clearTimeout(this.#timer);
      this.#options.gauge.release();
    }
  }
}
