import { RunningTimeout } from "./running-timeout.ts";

/** Called when a server goes down or comes back. @param reason why it is down; empty when it is up */
export type OnHostChange = (url: string, isUp: boolean, reason: string) => void;

export interface HostHealthOptions {
  /** Servers to watch. */
  readonly urls: readonly string[];
  /** Resolves when the server answers; for `/ping`. */
  readonly ping: (index: number, signal: AbortSignal) => Promise<void>;
  /** Every server counts as up at first, and is reported so. */
  readonly onChange?: OnHostChange | undefined;
  /** Between looks at a server that is up, milliseconds; 500 by default. */
  readonly checkEveryMs?: number;
  /**
   * Wait before the second look at a server that is down. It doubles up to `maxBackoffMs`; 1,000 ms by
   * default.
   */
  readonly backoffMs?: number;
  /** 30,000 by default. */
  readonly maxBackoffMs?: number;
}

interface Host {
  /** Whether calls are sent to it. */
  isUp: boolean;
  /** Whether a check is under way. */
  isLooking: boolean;
  /** Milliseconds until the next check of a server that is down; it doubles. */
  backoffMs: number;
  /** Timer of the next check. */
  timer: NodeJS.Timeout | undefined;
  /** Aborted when the server is found down, for calls that wait for it. */
  away: AbortController;
}

/**
 * Limit in milliseconds for the answer to `/ping`; a busy server answers much faster. With `checkEveryMs`, a
 * hung server is found in 3 s. The rest of the promised 5 s is for a busy machine.
 */
const checkTimeoutMs = 2_500;
/**
 * Milliseconds after which an unanswered ping is sent again on a second connection, because only the first connection
 * may be broken. The first ping goes on, so that a slow server has all of `checkTimeoutMs`.
 */
const secondPingMs = 1_000;

/**
 * Tracks which servers are up. A call that finds a server down reports it and goes to the next. A server that is down
 * gets no calls until it answers a ping. Pings are sent at once, after a second, two seconds, and so on. Servers that
 * are up are pinged too, because one that lost its network does not refuse calls but lets them wait.
 */
export class HostHealth {
  readonly #options: HostHealthOptions;
  readonly #hosts: readonly Host[];
  readonly #closed = new AbortController();
  readonly #backoffMs: number;
  #next = 0;

  constructor(options: HostHealthOptions) {
    this.#options = options;
    this.#backoffMs = options.backoffMs ?? 1_000;
    this.#hosts = options.urls.map((url) => {
      options.onChange?.(url, true, "");
      const away = new AbortController();
      return {
        isUp: true,
        isLooking: false,
        backoffMs: this.#backoffMs,
        timer: undefined,
        away,
      };
    });
    for (const index of this.#hosts.keys()) {
      this.#checkLater(index);
    }
  }

  /**
   * Servers in the order to try them: those that are up, beginning with a different one each time, then the
   * others.
   */
  inTurn(): number[] {
    const count = this.#hosts.length;
    const first = this.#next++ % count;
    const order = this.#hosts.map((_, index) => (first + index) % count);
    return this.#upFirst(order);
  }

  /** Servers in the order to try them: the first of the list that is up always comes first. */
  inOrder(): number[] {
    return this.#upFirst([...this.#hosts.keys()]);
  }

  isUp(index: number): boolean {
    return this.#host(index).isUp;
  }

  /** Aborted when the server is found away. */
  awaySignal(index: number): AbortSignal {
    return this.#host(index).away.signal;
  }

  /** A call has found the server away. */
  failed(index: number, reason: string): void {
    if (!this.#host(index).isUp || this.#closed.signal.aborted) {
      return;
    }
    this.#markAway(index, reason);
  }

  /** A call has waited far longer than usual: looks at the server now, unless a look is running. */
  suspect(index: number): void {
    const host = this.#host(index);
    if (!host.isUp || host.isLooking || this.#closed.signal.aborted) {
      return;
    }
    this.#checkIn(index, 0);
  }

  /** A call was answered. */
  answered(index: number): void {
    if (!this.#host(index).isUp) {
      this.#markUp(index);
    }
  }

  close(): void {
    this.#closed.abort();
    for (const host of this.#hosts) {
      clearTimeout(host.timer);
    }
  }

  #host(index: number): Host {
    const host = this.#hosts[index];
    if (host === undefined) {
      throw new RangeError(`there is no server ${index}`);
    }
    return host;
  }

  #upFirst(order: readonly number[]): number[] {
    const up = order.filter((index) => this.isUp(index));
    return up.length === order.length ? up : [...up, ...order.filter((index) => !this.isUp(index))];
  }

  #markAway(index: number, reason: string): void {
    const host = this.#host(index);
    host.isUp = false;
    host.backoffMs = this.#backoffMs;
    host.away.abort(new Error(reason));
    this.#options.onChange?.(this.#options.urls[index] ?? "", false, reason);
    this.#checkIn(index, 0);
  }

  #markUp(index: number): void {
    const host = this.#host(index);
    host.isUp = true;
    host.away = new AbortController();
    this.#options.onChange?.(this.#options.urls[index] ?? "", true, "");
    this.#checkLater(index);
  }

  #checkLater(index: number): void {
    this.#checkIn(index, this.#options.checkEveryMs ?? 500);
  }

  #checkIn(index: number, ms: number): void {
    const host = this.#host(index);
    clearTimeout(host.timer);
    if (this.#closed.signal.aborted) {
      return;
    }
    host.timer = setTimeout(() => void this.#check(index), ms).unref();
  }

  async #check(index: number): Promise<void> {
    const host = this.#host(index);
    const { timer } = host;
    host.isLooking = true;
    const reason = await this.#unansweredReason(index);
    host.isLooking = false;
    // A call may have found out first.
    if (host.timer !== timer || this.#closed.signal.aborted) {
      return;
    }
    if (reason === undefined) {
      if (host.isUp) {
        this.#checkLater(index);
      } else {
        this.#markUp(index);
      }
      return;
    }
    if (host.isUp) {
      this.#markAway(index, `it answers no ping: ${reason}`);
      return;
    }
    this.#checkIn(index, host.backoffMs);
    host.backoffMs = Math.min(host.backoffMs * 2, this.#options.maxBackoffMs ?? 30_000);
  }

  /**
   * Pings, and pings once more when the first ping fails or is slow.
   * @returns why neither was answered; undefined: one was
   */
  async #unansweredReason(index: number): Promise<string | undefined> {
    const timeout = new RunningTimeout(checkTimeoutMs);
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, timeout.signal, ended.signal]);
    const slow = Promise.withResolvers<boolean>();
    const secondPing = setTimeout(() => slow.resolve(false), secondPingMs).unref();
    try {
      const first = this.#options.ping(index, signal);
      const isAnswered = first.then(
        () => true,
        () => false,
      );
      if (!(await Promise.race([isAnswered, slow.promise]))) {
        await Promise.any([first, this.#options.ping(index, signal)]);
      }
      return undefined;
    } catch (error) {
      const reason: unknown = error instanceof AggregateError ? error.errors[0] : error;
      return reason instanceof Error ? reason.message : String(reason);
    } finally {
      clearTimeout(secondPing);
      ended.abort();
      timeout.end();
    }
  }
}
