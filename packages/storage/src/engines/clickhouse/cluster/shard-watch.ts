import { setTimeout as sleep } from "node:timers/promises";
import type { PartialReason } from "../../../api/partial-answer.ts";
import type { Settings } from "../calls/host-requests.ts";
import type { ShardsOfReads } from "../calls/shard-reads.ts";

/** A shard in the configuration of the servers. */
export interface ListedShard {
  /** Number of the shard, from 1. */
  readonly shard: number;
  /** Servers of the shard as `host:port`, as other servers reach them. */
  readonly hosts: readonly string[];
}

export interface ShardQuestions {
  /** Reads the configured shards from a server that answers. */
  listed(signal: AbortSignal): Promise<readonly ListedShard[]>;
  /** Numbers of the shards that the queried server reaches. */
  reached(signal: AbortSignal): Promise<readonly number[]>;
  /** Number of servers of a shard that do not answer our pings. */
  down(shard: number): number;
}

/** Time between checks while a shard is missing, in milliseconds. */
const lookAgainMs = 1_000;
/**
 * Milliseconds until a check fails. It exceeds the 5 s, a constant of ClickHouse, for which a server waits on an open
 * connection to a hung server.
 */
const lookTimeoutMs = 9_000;

/**
 * Tracks which shards of a cluster answer. A shard is missing when two servers, queried one after the other, reach none
 * of its replicas. A check starts on request. While a shard is missing, a check starts every second until all shards
 * are back.
 */
export class ShardWatch implements ShardsOfReads {
  readonly #ask: ShardQuestions;
  readonly #closed = new AbortController();
  #away: readonly PartialReason[] = [];
  #listed: readonly ListedShard[] = [];
  #newlyAway = new AbortController();
  #running: Promise<void> | undefined;
  #looksAgain = false;

  constructor(ask: ShardQuestions) {
    this.#ask = ask;
  }

  get away(): readonly PartialReason[] {
    return this.#away;
  }

  get newlyAway(): AbortSignal {
    return this.#newlyAway.signal;
  }

  /**
   * Called when a server goes down or comes back up. A shard is missing immediately when none of its servers answers
   * pings.
   */
  hostsChanged(): void {
    const isKnown = (shard: number) => this.#away.some(({ name }) => name === String(shard));
    const away = this.#listed.filter((one) => isKnown(one.shard) || this.#isDown(one));
    if (away.length > this.#away.length) {
      this.#setAway(away);
    }
    void this.look();
  }

  get skipSettings(): Settings {
    return {
      skip_unavailable_shards: "1",
      // A shard that answers with an error fails the read.
      skip_unavailable_shards_mode: "unavailable",
      // If a further shard is lost during the read, the read fails, and a check follows.
      max_skip_unavailable_shards_num: String(this.#away.length),
      // Each statement tries again to reach the missing shards, for at most this time.
      connect_timeout_with_failover_ms: "300",
      connect_timeout_with_failover_secure_ms: "500",
      handshake_timeout_ms: "300",
      connections_with_failover_max_tries: "1",
    };
  }

  /** Concurrent callers share one check. If a check cannot determine the state of the shards, the known state stays. */
  look(): Promise<void> {
    this.#running ??= this.#look().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  close(): void {
    this.#closed.abort();
  }

  async #look(): Promise<void> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(lookTimeoutMs)]);
    try {
      const [listed, reached] = await Promise.all([this.#ask.listed(signal), this.#ask.reached(signal)]);
      this.#listed = listed;
      let missing = listed.filter((one) => !reached.includes(one.shard) || this.#isDown(one));
      if (missing.some(({ shard }) => this.#away.every(({ name }) => name !== String(shard)))) {
        // The first server may be at fault, or all servers may be slow, so a second server is asked.
        const reachedToo = await this.#ask.reached(signal);
        missing = missing.filter((one) => !reachedToo.includes(one.shard) || this.#isDown(one));
      }
      this.#setAway(missing);
    } catch {
      // No server answered the check; readers get the error of their own read.
    }
    this.#goOnLooking();
  }

  #isDown({ shard, hosts }: ListedShard): boolean {
    return this.#ask.down(shard) >= hosts.length;
  }

  #setAway(shards: readonly ListedShard[]): void {
    const away = shards.map(reasonOf);
    // If the list has not changed, the old object stays.
    if (JSON.stringify(away) === JSON.stringify(this.#away)) {
      return;
    }
    const isNew = away.some(({ name }) => this.#away.every((known) => known.name !== name));
    this.#away = away;
    if (isNew) {
      const before = this.#newlyAway;
      this.#newlyAway = new AbortController();
      before.abort(new Error("a shard is away"));
      this.#goOnLooking();
    }
  }

  #goOnLooking(): void {
    if (this.#away.length > 0 && !this.#looksAgain) {
      void this.#lookAgain();
    }
  }

  async #lookAgain(): Promise<void> {
    this.#looksAgain = true;
    try {
      while (this.#away.length > 0 && !this.#closed.signal.aborted) {
        await sleep(lookAgainMs, undefined, { ref: false, signal: this.#closed.signal }).catch(() => {});
        if (!this.#closed.signal.aborted) {
          await this.look();
        }
      }
    } finally {
      this.#looksAgain = false;
    }
  }
}

function reasonOf({ shard, hosts }: ListedShard): PartialReason {
  return {
    kind: "shard-away",
    name: String(shard),
    text: `no server of shard ${shard} of the cluster answers: ${hosts.join(", ")}`,
  };
}
