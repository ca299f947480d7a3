/** Time in milliseconds for which inserts prefer a replica that answered while another replica did not. */
const keepMs = 30_000;

/**
 * Chooses which replica of each shard the receiving server tries first. A second attempt of a block therefore uses a
 * different replica than the first attempt. Replicas are numbered as in the cluster's configuration. A server takes the
 * number modulo the number of replicas, and prefers its local tables.
 */
export class ReplicaTurns {
  readonly #now: () => number;
  #turn = 0;
  #kept: { readonly replica: number; readonly untilMs: number } | undefined;

  /** @param now clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Replica for the first attempt of a block: the next in turn, or the recent winner of a race. */
  next(): number {
    if (this.#kept !== undefined && this.#kept.untilMs > this.#now()) {
      return this.#kept.replica;
    }
    return this.#turn++;
  }

  /** Called when the second attempt, with this replica, was faster than the first. */
  won(replica: number): void {
    this.#kept = { replica, untilMs: this.#now() + keepMs };
  }
}

/** Insert settings that make servers try this replica first. */
export function triesFirst(replica: number): Readonly<Record<string, string>> {
  return { load_balancing: "first_or_random", load_balancing_first_offset: String(replica) };
}
