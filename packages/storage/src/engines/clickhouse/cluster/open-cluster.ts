import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import { awayError } from "../calls/shard-reads.ts";
import { ClickHouseConnection, type ConnectionOptions } from "../clickhouse-connection.ts";
import type { RunSettleStep } from "../clickhouse-dependencies.ts";
import { isHostFault, isSchemaMissing } from "../clickhouse-errors.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { KeeperWatch } from "../hosts/keeper-watch.ts";
import type { OnEachShard } from "../repeated/repeated-spans.ts";
import { SchemaGuard } from "../schema/schema-guard.ts";
import {
  checkCluster,
  clusterInsertSettings,
  clusterReadSettings,
  optionalClusterSettings,
  steadySettings,
} from "./cluster-query-settings.ts";
import { localTable, withLocalTables } from "./cluster-statements.ts";
import { ensureClusterSchema, type SeenHosts } from "./ensure-cluster-schema.ts";
import { ShardPlaces } from "./shard-places.ts";
import { listedShards, reachedShards, readOnlyHosts } from "./shard-questions.ts";
import { ShardWatch } from "./shard-watch.ts";

/**
 * Time limit in milliseconds for `ready` to wait for the check of the shards. Callers of `ready` wait five seconds, and
 * checking the servers may take three seconds.
 */
const lookWaitMs = 1_500;

/** The parts of a store that depend on its servers. */
export interface OpenServers {
  /** Connection to the servers that may be used. */
  readonly connection: ClickHouseConnection;
  /** Ensures that the schema exists before calls. */
  readonly schema: SchemaGuard;
  /** Connection for data that all readers must see immediately. */
  readonly shared: ClickHouseConnection;
  /** Settles calls on each shard. Undefined when one server settles all calls. */
  readonly settleStep: RunSettleStep | undefined;
  /** Runs work on each shard. Undefined for a single server. */
  readonly onEachShard: OnEachShard | undefined;
  /** Waits until the servers answer and have the schema, see `TraceStore`. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Faults of servers, as sentences for users. */
  trouble(): readonly string[];
  /** Ends background checks and connections. */
  close(): void;
}

/**
 * Opens the servers of a cluster. A server that was down during the migration gets its tables when it is up again.
 * @throws StorageError STORAGE_REFUSED for invalid settings
 */
export function openCluster(
  options: ConnectionOptions,
  database: string,
  cluster: ClusterSettings,
): OpenServers {
  checkCluster(cluster);
  return new ClusterServers(options, database, cluster);
}

/** The servers of a cluster, with the objects that watch its shards and its Keeper. */
class ClusterServers implements OpenServers {
  readonly connection: ClickHouseConnection;
  readonly schema: SchemaGuard;
  readonly shared: ClickHouseConnection;
  readonly settleStep: RunSettleStep;
  readonly onEachShard: OnEachShard;
  readonly #options: ConnectionOptions;
  readonly #shards: ShardWatch;
  readonly #places: ShardPlaces;
  readonly #keeper: KeeperWatch | undefined;
  /** The servers that had a fault when the schema was last ensured. */
  #seen: SeenHosts = { away: [], readOnly: [], stray: [], emptied: [] };
  /**
   * True after the first `ready`. Before the first `ready`, no shard can answer, and no caller waits for news of
   * servers.
   */
  #wasReady = false;

  constructor(options: ConnectionOptions, database: string, cluster: ClusterSettings) {
    this.#options = options;
    // The watches send their queries through the connection, which in turn contains the watches. No query is sent
    // before the constructor has ended.
    this.#shards = new ShardWatch({
      listed: (signal) => listedShards(this.connection, cluster, signal),
      reached: (signal) => reachedShards(this.connection, database, signal),
      down: (shard) => this.#places.down(shard),
    });
    this.#places = new ShardPlaces(() => this.connection, cluster.name);
    this.#keeper = cluster.isReplicated
      ? new KeeperWatch((signal) => readOnlyHosts(this.connection, database, signal))
      : undefined;
    let isOpen = false;
    const connection = new ClickHouseConnection({
      ...options,
      readSettings: clusterReadSettings,
      insertSettings: clusterInsertSettings(cluster),
      optionalSettings: optionalClusterSettings,
      shards: this.#shards,
      keeper: this.#keeper,
      hedgesInserts: true,
      onHostChange: (url, isUp, reason) => {
        if (isOpen) {
          this.#hostChanged(url, isUp);
        }
        options.onHostChange?.(url, isUp, reason);
      },
    });
    this.connection = connection;
    this.schema = new SchemaGuard(connection, database, async (signal) => {
      this.#seen = await ensureClusterSchema(connection, database, cluster, { signal });
    });
    this.shared = connection.steady(steadySettings);
    this.settleStep = (sql, name, signal) =>
      settleEverywhere(connection, { database, cluster, step: { sql, name }, signal });
    this.onEachShard = (work, signal) => onEachShard(connection, { database, cluster, work, signal });
    isOpen = true;
  }

  async ready(signal?: AbortSignal): Promise<void> {
    const shards = this.#shards;
    // Before the tables exist, no shard can answer, so a first check of the shards starts after them.
    const looked = this.#wasReady ? shards.look() : undefined;
    await this.schema.check(signal);
    // A check that takes longer continues, and the next `ready` reports its result.
    await Promise.race([looked ?? shards.look(), sleep(lookWaitMs, undefined, { ref: false })]);
    this.#wasReady = true;
    void this.#places.learn();
    if (this.#options.refusesPartial === true && shards.away.length > 0) {
      throw awayError(shards.away, undefined);
    }
  }

  trouble(): readonly string[] {
    const down = this.connection.each().filter(({ isUp }) => !isUp);
    const [strangers = [], away = []] = [true, false].map((refuses) =>
      down.flatMap(({ url, refusesUs }) => (refusesUs === refuses ? [url] : [])),
    );
    const texts = hostTrouble({ ...this.#seen, away }, strangers, this.#options.urls.length);
    return [...this.#shards.away.map(({ text }) => text), ...texts];
  }

  close(): void {
    this.#shards.close();
    this.#keeper?.close();
  }

  #hostChanged(url: string, isUp: boolean): void {
    // Reads continue during the check.
    if (isUp && this.#seen.away.includes(url)) {
      this.schema.check().catch(() => {});
    }
    if (isUp) {
      this.#places.forget(url);
    }
    if (this.#wasReady) {
      void this.#places.learn();
      this.#shards.hostsChanged();
    }
  }
}

/** Faults of single servers, as sentences for users. */
function hostTrouble(
  { away, readOnly, stray, emptied }: SeenHosts,
  strangers: readonly string[],
  count: number,
): string[] {
  const some = (urls: readonly string[]) =>
    `${urls.length} of ${count} servers of ClickHouse (${urls.join(", ")})`;
  return [
    ...(away.length === 0 ? [] : [`${some(away)} do not answer: the others do their work`]),
    ...(strangers.length === 0
      ? []
      : [`${some(strangers)} refuse our user or password: the others do their work`]),
    ...(readOnly.length === 0
      ? []
      : [`${some(readOnly)} do not reach their Keeper (NO_ZOOKEEPER) and take no spans: searches go on`]),
    ...(stray.length === 0
      ? []
      : [
          `${some(stray)} take no spans, as their parts are not those that the Keeper knows: force_restore_data, see docs/scale.md`,
        ]),
    ...(emptied.length === 0
      ? []
      : [
          `${some(emptied)} have no tables, and the Keeper remembers their replicas: SYSTEM DROP REPLICA, see docs/scale.md`,
        ]),
  ];
}

interface ShardWork {
  readonly database: string;
  readonly cluster: ClusterSettings;
  /** The work; it is called with one connection for each shard. */
  readonly work: Parameters<OnEachShard>[0];
  readonly signal: AbortSignal;
}

/**
 * Runs `work` on one server of each shard. The server first fetches the records of other replicas of the shard about
 * repeated spans. Servers that are down are skipped, and so are shards without a server.
 * @throws StorageError the first error, except errors of servers that are down or have lost their tables
 */
async function onEachShard(
  connection: ClickHouseConnection,
  { database, cluster, work, signal }: ShardWork,
): Promise<void> {
  const tables = (table: string) => `${database}.${localTable(table)}`;
  const done = new Set<string>();
  for (const { connection: host, isUp } of connection.each()) {
    if (!isUp) {
      continue;
    }
    try {
      if (cluster.isReplicated) {
        const [row] = await host.rows<{ shard: string }>("SELECT getMacro('shard') AS shard", {}, { signal });
        if (row === undefined || done.has(row.shard)) {
          continue;
        }
        await host.command(`SYSTEM SYNC REPLICA ${tables("repeated_spans")} LIGHTWEIGHT`, signal);
        await work(host, tables);
        done.add(row.shard);
      } else {
        await work(host, tables);
      }
    } catch (error) {
      if (!(error instanceof StorageError && isHostFault(error)) && !isSchemaMissing(error)) {
        throw error;
      }
    }
  }
}

/** A statement to run on every shard. */
interface SettleStep {
  readonly database: string;
  readonly cluster: ClusterSettings;
  /** The SQL of the step, and its name for the log. */
  readonly step: { readonly sql: string; readonly name: string };
  readonly signal: AbortSignal;
}

/**
 * Settles calls on every server, because spans and calls of a trace are in one shard. A replica first fetches the calls
 * that other replicas of its shard have settled. If two replicas settle the same minute, both use the same token, so
 * that the calls are counted once.
 * @throws StorageError the first error, except errors of servers that are down or have lost their tables
 */
export async function settleEverywhere(
  connection: ClickHouseConnection,
  { database, cluster, step, signal }: SettleStep,
): Promise<void> {
  const insert = withLocalTables(step.sql, database);
  const minute = Math.floor(Date.now() / 60_000);
  for (const { connection: host, isUp } of connection.each()) {
    if (!isUp) {
      continue;
    }
    try {
      if (cluster.isReplicated) {
        const table = `${database}.${localTable("dependency_calls")}`;
        await host.command(`SYSTEM SYNC REPLICA ${table} LIGHTWEIGHT`, signal);
      }
      const settings = { insert_deduplication_token: `settle/${step.name}/${minute}` };
      await host.insert(insert, settings, new Uint8Array(), signal);
    } catch (error) {
      if (!(error instanceof StorageError && isHostFault(error)) && !isSchemaMissing(error)) {
        throw error;
      }
    }
  }
}
