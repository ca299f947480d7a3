import { QueryError } from "../query-error.ts";
import type { TraceRoom } from "./trace-room.ts";

export interface RequestGateSettings {
  /** Requests that are let in at a time. */
  readonly maxConcurrent: number;
  /** Requests that wait to be let in; more are refused. */
  readonly maxWaiting: number;
  /** Gets to know of each request that is let in, and when it is over. */
  readonly room?: TraceRoom;
  /**
   * Requests for a trace by its id that are let in at a time, apart from the others: they take milliseconds, and wait for no search.
   * Absent: they take places as all others do.
   */
  readonly maxConcurrentTraces?: number;
}

/** The options that limit a gate, for those who are refused. */
const readOptions = "--query.max-concurrent-reads";
const traceOptions = "--query.max-concurrent-trace-reads";

/** A request that waits. */
interface Waiter {
  letIn(): void;
  refuse(error: unknown): void;
}

/** What one tenant has under way. */
interface Share {
  inside: number;
  /** First come, first served. */
  readonly waiting: Set<Waiter>;
}

/**
 * Lets so many requests run at a time; others wait. What traces take in memory is thus bounded. A free place goes to the tenant
 * that has the fewest requests inside, and a full queue takes from the tenant that waits with the most: many slow requests of one
 * tenant cost the others one place each, not their turn. Without tenants, requests are served in the order in which they come.
 */
export class RequestGate {
  readonly #settings: RequestGateSettings;
  readonly #option: string;
  /** For requests for a trace by its id. */
  readonly traces: RequestGate;
  /** Of tenants with requests inside or waiting, in the order in which their turn comes. */
  readonly #shares = new Map<string, Share>();
  #inside = 0;
  #waiting = 0;

  /** @param option names the option that says how many are let in */
  constructor({ maxConcurrentTraces, ...settings }: RequestGateSettings, option = readOptions) {
    this.#settings = settings;
    this.#option = option;
    this.traces =
      maxConcurrentTraces === undefined
        ? this
        : new RequestGate({ ...settings, maxConcurrent: maxConcurrentTraces }, traceOptions);
  }

  /** Requests that run now. */
  get inside(): number {
    return this.#inside;
  }

  /**
   * Resolves when the request may run.
   * @param signal takes the request out of those that wait
   * @param tenant whose request it is; "" where tenancy is off
   * @returns to be called once, when the request is over
   * @throws QueryError QUERY_BUSY when too many wait; the signal's reason
   */
  async enter(signal: AbortSignal, tenant = ""): Promise<() => void> {
    signal.throwIfAborted();
    const { maxConcurrent } = this.#settings;
    const share = this.#shareOf(tenant);
    if (this.#inside < maxConcurrent) {
      this.#inside++;
      share.inside++;
    } else {
      await this.#turn(signal, tenant, share);
    }
    const { room } = this.#settings;
    room?.enter(signal);
    let isOver = false;
    return () => {
      if (!isOver) {
        isOver = true;
        room?.leave(signal);
        this.#leave(tenant, share);
      }
    };
  }

  #shareOf(tenant: string): Share {
    let share = this.#shares.get(tenant);
    if (share === undefined) {
      share = { inside: 0, waiting: new Set() };
      this.#shares.set(tenant, share);
    }
    return share;
  }

  async #turn(signal: AbortSignal, tenant: string, share: Share): Promise<void> {
    if (this.#waiting >= this.#settings.maxWaiting && !this.#makeRoomFor(share)) {
      this.#forgetIdle(tenant, share);
      throw this.#busy();
    }
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        share.waiting.delete(waiter);
        this.#waiting--;
        signal.removeEventListener("abort", leave);
      };
      const waiter: Waiter = {
        letIn: () => {
          end();
          resolve();
        },
        refuse: (error) => {
          end();
          this.#forgetIdle(tenant, share);
          reject(error);
        },
      };
      const leave = () => waiter.refuse(signal.reason);
      signal.addEventListener("abort", leave, { once: true });
      share.waiting.add(waiter);
      this.#waiting++;
    });
  }

  /** Refuses the latest request of the tenant that waits with the most, unless `share` would be no better. */
  #makeRoomFor(share: Share): boolean {
    let largest = share;
    for (const other of this.#shares.values()) {
      if (other.waiting.size > largest.waiting.size) largest = other;
    }
    if (largest.waiting.size <= share.waiting.size + 1) return false;
    [...largest.waiting].at(-1)?.refuse(this.#busy());
    return true;
  }

  #busy(): QueryError {
    return new QueryError(
      "QUERY_BUSY",
      `${this.#inside} requests for traces are under way and ${this.#waiting} wait: ${this.#option} and --query.max-waiting-reads allow no more`,
    );
  }

  #leave(tenant: string, share: Share): void {
    share.inside--;
    const next = this.#nextTenant();
    if (next === undefined) {
      this.#inside--;
    } else {
      const [name, { waiting }] = next;
      const [first] = waiting;
      next[1].inside++;
      // The others come first when they have as few inside.
      this.#shares.delete(name);
      this.#shares.set(name, next[1]);
      first?.letIn();
    }
    this.#forgetIdle(tenant, share);
  }

  /** The tenant with the fewest requests inside, of those that wait. */
  #nextTenant(): [name: string, share: Share] | undefined {
    let next: [string, Share] | undefined;
    for (const entry of this.#shares) {
      const [, { inside, waiting }] = entry;
      if (waiting.size > 0 && (next === undefined || inside < next[1].inside)) next = entry;
    }
    return next;
  }

  #forgetIdle(tenant: string, share: Share): void {
    if (share.inside === 0 && share.waiting.size === 0 && this.#shares.get(tenant) === share) {
      this.#shares.delete(tenant);
    }
  }
}
