import type { Logger } from "lifecycle";
import type { SamplingStore } from "storage/api";
import { RepeatingTask } from "../../pipeline/repeating-task.ts";

export interface LeaderElectionOptions {
  readonly store: Pick<SamplingStore, "acquireLease" | "releaseLease">;
  /** Name of this process, unique among collectors. */
  readonly owner: string;
  /** Time between renewals by the leader, in milliseconds. */
  readonly leaderRefreshMs: number;
  /** Time between attempts of the other collectors, in milliseconds; it must exceed the time between renewals. */
  readonly followerRefreshMs: number;
  /** Log for changes of the leader. */
  readonly log: Logger;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/** Name of the lease in Jaeger. */
const leaseName = "sampling_store_leader";

/**
 * Elects one leader among several collectors. The holder of the lease is the leader and renews the lease often; the
 * others try to get it at intervals. A leader that cannot renew, because the store is down, stops leading when its
 * lease ends.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #now: () => number;
  readonly #ttlMs: number;
  readonly #task = new RepeatingTask(() => this.#ask());
  #heldUntil = Number.NEGATIVE_INFINITY;
  #wasLeader = false;
  readonly #closing = new AbortController();

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    // The lease is long enough for a second attempt after a failed renewal.
    this.#ttlMs = Math.max(options.followerRefreshMs, 2 * options.leaderRefreshMs);
  }

  get isLeader(): boolean {
    return this.#now() < this.#heldUntil;
  }

  start(): void {
    this.#task.start(0);
  }

  /** Gives up leadership, and releases the lease so that another collector need not wait until it expires. */
  async close(signal: AbortSignal): Promise<void> {
    this.#closing.abort();
    await this.#task.stop();
    if (!this.isLeader) {
      return;
    }
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    const { store, owner, log } = this.#options;
    await store.releaseLease(leaseName, owner, { signal }).catch((error: unknown) => {
      log.warn({ err: error }, "adaptive sampling: the lease could not be released, and ends by itself");
    });
  }

  async #ask(): Promise<number> {
    const { store, owner, leaderRefreshMs, followerRefreshMs, log } = this.#options;
    const { signal } = this.#closing;
    const askedAt = this.#now();
    try {
      const held = await store.acquireLease(leaseName, owner, this.#ttlMs, { signal });
      this.#heldUntil = held ? askedAt + this.#ttlMs : Number.NEGATIVE_INFINITY;
    } catch (error) {
      if (signal.aborted) {
        return followerRefreshMs;
      }
      log.warn(
        { err: error },
        `adaptive sampling: the lease cannot be asked for: ${(error as Error).message}`,
      );
    }
    const { isLeader } = this;
    if (isLeader !== this.#wasLeader) {
      log.info(
        { owner },
        isLeader ? "adaptive sampling: this collector leads" : "adaptive sampling: another leads",
      );
      this.#wasLeader = isLeader;
    }
    return isLeader ? leaderRefreshMs : followerRefreshMs;
  }
}
