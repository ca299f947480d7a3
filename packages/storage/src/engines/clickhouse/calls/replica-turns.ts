/** How long inserts keep to replicas that answered when others did not, in milliseconds. */
const keepMs = 30_000;

/**
 * Chooses the replica of each shard that an insert's server tries first. A second attempt of the same block then does
 * not wait for the same replica as the first. Replicas are numbered as in the cluster's configuration; a server takes the
 * number modulo the number of its replicas, and its own tables first.
 */
export class ReplicaTurns {
  readonly #now: () => number;
  #turn = 0;
  #kept: { readonly replica: number; readonly untilMs: number } | undefined;

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The replica for the first attempt of a block: each in turn, or the one that won a race a short while ago. */
  next(): number {
    if (this.#kept !== undefined && this.#kept.untilMs > this.#now()) {
      return this.#kept.replica;
    }
    return this.#turn++;
  }

  /** A second attempt, with this replica, was faster than the first. */
  won(replica: number): void {
    this.#kept = { replica, untilMs: this.#now() + keepMs };
  }
}

/** Settings of an insert. */
export function triesFirst(replica: number): Readonly<Record<string, string>> {
  return { load_balancing: "first_or_random", load_balancing_first_offset: String(replica) };
}
