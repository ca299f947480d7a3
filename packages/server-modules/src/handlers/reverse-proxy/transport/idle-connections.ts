import type { SharedGauge } from "server-core/threads/shared-state";

/**
 * Milliseconds for which connections above the limit stay idle. Requests arrive in bursts: connections that are closed
 * immediately would be dialed again in the same turn.
 */
const trimMs = 1_000;

/**
 * A limit of idle connections, counted over all threads. The thread whose connection exceeds the limit closes its
 * oldest idle connections about a second later. Source: Go's net/http, `Transport.MaxIdleConns`
 */
export class IdleConnections {
  /** Maximum number of idle connections over all threads. Above it, a thread closes one of its own. */
  readonly #max: number;
  /** Shared counter of idle connections. */
  readonly #gauge: SharedGauge;
  /** The idle connections of this thread, with their close functions; oldest first. */
  readonly #lying = new Map<object, () => void>();
  /** Timer that closes surplus connections; undefined within the limit. */
  #trimmer: NodeJS.Timeout | undefined;
  /** True after `close`; then no connection is counted. */
  #closed = false;

  /** @param gauge counts idle connections; released by {@link close} */
  constructor(max: number, gauge: SharedGauge) {
    this.#max = max;
    this.#gauge = gauge;
  }

  /** Adds an idle connection. @param close called when the connection exceeds the limit */
  add(connection: object, close: () => void): void {
    if (this.#closed || this.#lying.has(connection)) {
      return;
    }
    this.#lying.set(connection, close);
    this.#gauge.add(1);
    if (this.#gauge.value > this.#max) {
      this.#trimmer ??= setTimeout(() => this.#trim(), trimMs).unref();
    }
  }

  /** Removes a connection that is used again or was closed. */
  remove(connection: object): void {
    if (this.#lying.delete(connection)) {
      this.#gauge.add(-1);
    }
  }

  /** Stops counting. */
  close(): void {
    if (!this.#closed) {
      this.#closed = true;
      clearTimeout(this.#trimmer);
      this.#gauge.add(-this.#lying.size);
      this.#lying.clear();
      this.#gauge.release();
    }
  }

  /**
   * Closes this thread's oldest idle connections while the limit is exceeded. Other threads may have closed connections
   * since the timer was started.
   */
  #trim(): void {
    this.#trimmer = undefined;
    for (const [connection, close] of this.#lying) {
      if (this.#gauge.value <= this.#max) {
        return;
      }
      this.remove(connection);
      close();
    }
  }
}
