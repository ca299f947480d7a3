import type { Logger } from "lifecycle";
import type { SamplingStore } from "storage/api";
import { RepeatingTask } from "../../pipeline/repeating-task.ts";

export interface LeaderElectionOptions {
  /** Holds the lease. */
  readonly store: Pick<SamplingStore, "acquireLease" | "releaseLease">;
  /** Unique to this process. */
  readonly owner: string;
  /** Milliseconds between renewals by the leader. */
  readonly leaderRefreshMs: number;
  /** Milliseconds between tries of the others; longer than a renewal. */
  readonly followerRefreshMs: number;
  /** Log for changes of the leader. */
  readonly log: Logger;
  /** A monotonic clock in milliseconds; `performance.now` by default. */
  readonly now?: () => number;
}

/** The public model's name of the lease. */
const leaseName = "sampling_store_leader";

/**
 * Elects one leader among several collectors. The holder of the lease leads and renews it often; the others
 * try at intervals. A leader that cannot renew, because the store is down, stops leading when its lease ends.
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
    // Long enough for a second try after a failed renewal.
    this.#ttlMs = Math.max(options.followerRefreshMs, 2 * options.leaderRefreshMs);
  }

  get isLeader(): boolean {
    return this.#now() < this.#heldUntil;
  }

  start(): void {
    this.#task.start(0);
  }

  /** Stops leading, and releases the lease so that another collector need not wait for its end. */
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
