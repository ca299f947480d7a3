import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { RunningTimeout } from "../hosts/running-timeout.ts";

const learnTimeoutMs = 3_000;

/**
 * Remembers the shard of each listed server. When pings to all servers of a shard fail, the shard is recognized as down
 * within 5 s. Other servers of the cluster need 10 s and more to report a hung server.
 */
export class ShardPlaces {
  readonly #connection: () => ClickHouseConnection;
  readonly #cluster: string;
  /** Shard number by URL. Absent until the server has reported its shard. */
  readonly #shards = new Map<string, number>();
  #running: Promise<void> | undefined;

  constructor(connection: () => ClickHouseConnection, cluster: string) {
    this.#connection = connection;
    this.#cluster = cluster;
  }

  /** Called when a server comes back up, because it may now belong to a different shard. */
  forget(url: string): void {
    this.#shards.delete(url);
  }

  /** Reads the shard from servers that are up and whose shard is unknown. It never rejects. */
  learn(): Promise<void> {
    this.#running ??= this.#learn().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Number of servers of a shard that do not answer pings. */
  down(shard: number): number {
    const hosts = this.#connection().each();
    return hosts.filter(({ url, isUp }) => !isUp && this.#shards.get(url) === shard).length;
  }

  async #learn(): Promise<void> {
    const unknown = this.#connection()
      .each()
      .filter(({ url, isUp }) => isUp && !this.#shards.has(url));
    const sql =
      "SELECT shard_num AS shard FROM system.clusters WHERE cluster = {cluster:String} AND is_local LIMIT 1";
    const timeout = new RunningTimeout(learnTimeoutMs);
    const looks = unknown.map(async ({ url, connection }) => {
      const { signal } = timeout;
      const [row] = await connection.rows<{ shard: number }>(sql, { cluster: this.#cluster }, { signal });
      if (row !== undefined) {
        this.#shards.set(url, row.shard);
      }
    });
    await Promise.allSettled(looks);
    timeout.end();
  }
}
