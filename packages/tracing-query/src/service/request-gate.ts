import { QueryError } from "../query-error.ts";
import type { LargeTraceSemaphore } from "./large-trace-semaphore.ts";

/**
 * Settings of a gate. --query.max-concurrent-reads, --query.max-waiting-reads and
 * --query.max-concurrent-trace-reads set them.
 */
export interface RequestGateSettings {
  /** Maximum number of requests that may run at once. Further requests wait. */
  readonly maxConcurrent: number;
  /** Maximum number of requests that may wait; more requests are refused. */
  readonly maxWaiting: number;
  /** Receives `enter` and `leave` for each request. */
  readonly room?: LargeTraceSemaphore;
  /**
   * Maximum number of requests that read one trace by its id, or names, at once. These requests take milliseconds, so
   * they do not wait for searches. Absent: they use the same places as all other requests.
   */
  readonly maxConcurrentTraces?: number;
}

/** The options that set the limit, for the error message. */
const readOptions = "--query.max-concurrent-reads";
const traceOptions = "--query.max-concurrent-trace-reads";

/** A request that reads the store. The request holds a place from `admit` until the returned function is called. */
export interface PlacedRead {
  readonly signal: AbortSignal;
  readonly tenant?: string | undefined;
  /** True while the request holds a place: its reads of the store take no other place. */
  hasPlace?: boolean;
}

interface Waiter {
  /** Starts the request. */
  letIn(): void;
  /** Ends the wait with an error: the queue is full, or the client has disconnected. */
  refuse(error: unknown): void;
}

/** The requests of one tenant. */
interface Share {
  /** Number of running requests. */
  inside: number;
  /** Waiting requests, in order of arrival. */
  readonly waiting: Set<Waiter>;
}

/**
 * Limits the requests that run at the same time, and thereby the memory of traces; others wait. A free place
 * goes to the tenant with the fewest running requests. The last free place is for tenants with no running
 * request: if there are two places or more, slow requests of one tenant do not hold all of them. A full queue drops
 * a request of the tenant with the most waiting requests. Without tenants requests run in their order of arrival.
 */
export class RequestGate {
  readonly #settings: RequestGateSettings;
  readonly #option: string;
  /** The gate for requests that read one trace by its id, or names. */
  readonly traces: RequestGate;
  /** Tenants with running or waiting requests, in order of their turn. */
  readonly #shares = new Map<string, Share>();
  #inside = 0;
  #waiting = 0;

  /** @param option name of the option that sets the limit */
  constructor({ maxConcurrentTraces, ...settings }: RequestGateSettings, option = readOptions) {
    this.#settings = settings;
    this.#option = option;
    this.traces =
      maxConcurrentTraces === undefined
        ? this
        : new RequestGate({ ...settings, maxConcurrent: maxConcurrentTraces }, traceOptions);
  }

  /** Number of running requests. */
  get inside(): number {
    return this.#inside;
  }

  /**
   * Resolves when the request may run.
   * @param signal stops waiting
   * @param tenant the request's tenant; "" when tenancy is off
   * @returns a function to call once, when the request has ended
   * @throws QueryError QUERY_BUSY when too many requests wait; the signal's reason
   */
  async enter(signal: AbortSignal, tenant = ""): Promise<() => void> {
    signal.throwIfAborted();
    const share = this.#shareOf(tenant);
    if (this.#inside < this.#placesFor(tenant, share)) {
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

  /** Like `enter`, and sets `hasPlace` in the request's read options, so that later copies of the options have it. */
  async admit(read: PlacedRead): Promise<() => void> {
    const leave = await this.enter(read.signal, read.tenant);
    read.hasPlace = true;
    return () => {
      read.hasPlace = false;
      leave();
    };
  }

  /**
   * Number of running requests below which a request of the tenant may begin. Four places: a tenant without a running
   * request may take the fourth; a tenant with a running request only the third.
   */
  #placesFor(tenant: string, share: Share): number {
    const { maxConcurrent } = this.#settings;
    return tenant === "" || share.inside === 0 ? maxConcurrent : Math.max(1, maxConcurrent - 1);
  }

  #shareOf(tenant: string): Share {
    let share = this.#shares.get(tenant);
    if (share === undefined) {
      share = { inside: 0, waiting: new Set() };
      this.#shares.set(tenant, share);
    }
    return share;
  }

  /** Waits for a place. `end` runs exactly once for each waiter, however the waiter leaves the queue. */
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

  /** Refuses the newest request of the tenant with the most waiting ones, unless this tenant is `share` itself. */
  #makeRoomFor(share: Share): boolean {
    let largest = share;
    for (const other of this.#shares.values()) {
      if (other.waiting.size > largest.waiting.size) {
        largest = other;
      }
    }
    if (largest.waiting.size <= share.waiting.size + 1) {
      return false;
    }
    [...largest.waiting].at(-1)?.refuse(this.#busy());
    return true;
  }

  /**
   * The user sees status 503 with `Retry-After: 1` and a text such as "4 requests are under way and 1000 wait:
   * --query.max-concurrent-reads and --query.max-waiting-reads allow no more".
   */
  #busy(): QueryError {
    return new QueryError(
      "QUERY_BUSY",
      `${this.#inside} requests are under way and ${this.#waiting} wait: ${this.#option} and --query.max-waiting-reads allow no more`,
    );
  }

  /** Frees a place, and gives it directly to the next tenant, so that no newcomer takes it in between. */
  #leave(tenant: string, share: Share): void {
    share.inside--;
    this.#inside--;
    const next = this.#nextTenant();
    if (next !== undefined) {
      this.#inside++;
      const [name, { waiting }] = next;
      const [first] = waiting;
      next[1].inside++;
      // Moves the tenant to the end, so that tenants with equally few running requests have their turn first.
      this.#shares.delete(name);
      this.#shares.set(name, next[1]);
      first?.letIn();
    }
    this.#forgetIdle(tenant, share);
  }

  /** The waiting tenant with the fewest running requests, if a place is free for that tenant. */
  #nextTenant(): [name: string, share: Share] | undefined {
    let next: [string, Share] | undefined;
    for (const entry of this.#shares) {
      const [tenant, share] = entry;
      const mayEnter = share.waiting.size > 0 && this.#inside < this.#placesFor(tenant, share);
      if (mayEnter && (next === undefined || share.inside < next[1].inside)) {
        next = entry;
      }
    }
    return next;
  }

  /** Removes a tenant without requests, so that old tenants do not fill the map. */
  #forgetIdle(tenant: string, share: Share): void {
    if (share.inside === 0 && share.waiting.size === 0 && this.#shares.get(tenant) === share) {
      this.#shares.delete(tenant);
    }
  }
}
