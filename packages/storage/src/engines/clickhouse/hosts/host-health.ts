import { RunningTimeout } from "./running-timeout.ts";

/** Called when a server goes down or comes back up. @param reason why the server is down; empty when it is up */
export type OnHostChange = (url: string, isUp: boolean, reason: string) => void;

export interface HostHealthOptions {
  readonly urls: readonly string[];
  /** Sends a ping. Resolves when the server answers. */
  readonly ping: (index: number, signal: AbortSignal) => Promise<void>;
  /** Called at each change. At first, every server counts as up and is reported as up. */
  readonly onChange?: OnHostChange | undefined;
  /** Time between checks of a server that is up, in milliseconds. Default: 500. */
  readonly checkEveryMs?: number;
  /**
   * Time before the second check of a server that is down, in milliseconds. This time doubles with each check, up to
   * `maxBackoffMs`. Default: 1,000.
   */
  readonly backoffMs?: number;
  /** Longest time between checks of a server that is down, in milliseconds. Default: 30,000. */
  readonly maxBackoffMs?: number;
}

interface Host {
  /** True when calls are sent to the server. */
  isUp: boolean;
  isLooking: boolean;
  /** Time until the next check of a server that is down, in milliseconds. This time doubles after each failed check. */
  backoffMs: number;
  timer: NodeJS.Timeout | undefined;
  /** Aborted when the server turns out to be down, to end calls that wait for it. */
  away: AbortController;
}

/**
 * Time limit for the answer to `/ping` in milliseconds; a busy server answers much faster. Together with
 * `checkEveryMs`, a hung server is detected in 3 s. The documented limit is 5 s; the difference is a reserve for a busy
 * machine.
 */
const checkTimeoutMs = 2_500;
/**
 * Time in milliseconds after which an unanswered ping is sent again on a second connection, because only the first
 * connection may be broken. The first ping continues, so that a slow server has the whole `checkTimeoutMs` for its
 * answer.
 */
const secondPingMs = 1_000;

/**
 * Tracks which servers are up. A call that fails because a server is down reports the failure and goes to the next
 * server. A server that is down gets no calls until it answers a ping. Pings to such a server are sent immediately,
 * after a second, after two more seconds, and so on. Servers that are up are pinged too: a server that lost its network
 * does not refuse calls, so that calls would wait.
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
   * Order in which a call tries the servers: first the servers that are up, starting with a different one each time,
   * then all other servers.
   */
  inTurn(): number[] {
    const count = this.#hosts.length;
    const first = this.#next++ % count;
    const order = this.#hosts.map((_, index) => (first + index) % count);
    return this.#upFirst(order);
  }

  /** Order in which a call tries the servers: the first server in the list that is up always comes first. */
  inOrder(): number[] {
    return this.#upFirst([...this.#hosts.keys()]);
  }

  isUp(index: number): boolean {
    return this.#host(index).isUp;
  }

  /** Aborted when the server is found down. */
  awaySignal(index: number): AbortSignal {
    return this.#host(index).away.signal;
  }

  /** Called when a call finds the server down. */
  failed(index: number, reason: string): void {
    if (!this.#host(index).isUp || this.#closed.signal.aborted) {
      return;
    }
    this.#markAway(index, reason);
  }

  /**
   * Called when a call has waited far longer than usual. It checks the server immediately, unless a check is running.
   */
  suspect(index: number): void {
    const host = this.#host(index);
    if (!host.isUp || host.isLooking || this.#closed.signal.aborted) {
      return;
    }
    this.#checkIn(index, 0);
  }

  /** Called when a call was answered. */
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
    // A call may have detected the change while the ping was running.
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
   * Sends a ping, and a second ping when the first fails or is slow.
   * @returns the reason when no ping was answered; undefined when a ping was answered
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
