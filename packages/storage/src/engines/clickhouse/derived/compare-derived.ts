import { StorageError } from "../../../api/storage-error.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { clickHouseSettings } from "../clickhouse-settings.ts";
import type { ClickHouseStoreOptions } from "../clickhouse-store-options.ts";
import { checkCluster } from "../cluster/cluster-query-settings.ts";
import { localTable } from "../cluster/cluster-statements.ts";
import { clusterView } from "../cluster/cluster-view.ts";
import { hostStates, patientLookMs } from "../cluster/host-state.ts";
import { withSchemaLock } from "../schema/schema-lock.ts";
import { type DaySlice, type DerivedTable, derivedTables, type TableName } from "./derived-table.ts";

/** A difference between a derived table and the spans of a day. */
export interface DerivedDifference {
  /** Name of the derived table. */
  readonly table: string;
  /** Day on which table and spans differ. */
  readonly day: string;
  /** Address of the server that was read; one server of each shard is read. */
  readonly url: string;
  /** Unit of `missing` and `surplus`. */
  readonly counts: string;
  /** Amount that is missing in the table, in the unit of `counts`. */
  readonly missing: number;
  /** Amount in excess of the spans, for example because spans were deleted. The surplus is reported but not removed. */
  readonly surplus: number;
  /** True when the missing rows were inserted. */
  readonly isRepaired: boolean;
}

export interface DerivedComparison {
  /** Number of compared days; a day counts once for all servers. */
  readonly days: number;
  /** Number of compared spans. */
  readonly spans: number;
  /** Differences, one for each table, day and server. */
  readonly differences: readonly DerivedDifference[];
}

export interface CompareOptions {
  /**
   * Days to compare. "ended": days that ended at least a day ago. A block whose insert was interrupted is repeated
   * until all its tables contain it. On newer days, such a block looks like a difference, and a repair would count it
   * twice. "recent": the last three ended days.
   */
  readonly days: "ended" | "recent" | "all";
  /** True: missing rows are inserted. */
  readonly repair: boolean;
  /** Returns true for a day that need not be compared on that server. */
  readonly skips?: (day: string, url: string) => boolean;
  /** True: the comparison uses one thread, so that it does not slow other queries. */
  readonly isInBackground?: boolean;
  /** Called before the comparison of each day. */
  readonly onDay?: (day: string, url: string) => void;
  /** Stops between two days. */
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of spans that are compared at once; a day with more spans is divided by trace. */
const spansAtOnce = 20_000_000;
/** Settings for days with more rows: joins and groups that exceed their memory limit use the disk. */
const manyRowsSettings =
  "join_algorithm = 'grace_hash', grace_hash_join_initial_buckets = 16, max_bytes_before_external_group_by = 1000000000";
const statementTimeoutMs = 3_600_000;

interface ShardServer {
  /** Address of the server. */
  readonly url: string;
  /** Connection to this server alone. */
  readonly connection: ClickHouseConnection;
}

/**
 * Compares the spans with the tables that views fill from them, day by day; in a cluster on one replica of each shard.
 * ClickHouse writes a block first into `spans`, and then into the table of each view. If a server is lost permanently
 * in between, a table may lack the block.
 */
export async function compareDerived(
  options: ClickHouseStoreOptions,
  compare: CompareOptions,
): Promise<DerivedComparison> {
  const settings = clickHouseSettings({ ...options, requestTimeoutMs: statementTimeoutMs });
  const { cluster } = options;
  if (cluster !== undefined) {
    checkCluster(cluster);
  }
  const connection = new ClickHouseConnection(settings);
  const { database } = settings;
  const tables: TableName = (table) => `${database}.${cluster === undefined ? table : localTable(table)}`;
  try {
    const servers =
      cluster === undefined
        ? connection.each().slice(0, 1)
        : await oneOfEachShard(connection, options, database, compare.signal);
    const [first] = servers;
    if (first === undefined) {
      throw new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
    }
    const work = () => compareAll(servers, tables, compare, cluster?.isReplicated === true);
    // Two repairs at the same time would insert missing rows twice.
    return compare.repair
      ? await withSchemaLock(first.connection, database, work, { signal: compare.signal })
      : await work();
  } finally {
    await connection.close();
  }
}

async function oneOfEachShard(
  connection: ClickHouseConnection,
  { cluster }: ClickHouseStoreOptions,
  database: string,
  signal: AbortSignal | undefined,
): Promise<ShardServer[]> {
  if (cluster === undefined) {
    return [];
  }
  const { states, away } = await hostStates(connection, database, cluster, {
    signal,
    longestMs: patientLookMs,
  });
  const [first] = states;
  const places = Map.groupBy(states, ({ shard }) => shard);
  // A process may list only the servers of some shards. Other processes then compare the other shards.
  if (first !== undefined && away.length > 0) {
    const { shards } = await clusterView(first, cluster.name, signal);
    if (places.size < shards.length) {
      const text = `servers of ${places.size} of ${shards.length} shards answer, so nothing was compared; away: ${away.join(", ")}`;
      throw new StorageError("STORAGE_UNAVAILABLE", text);
    }
  }
  return [...places.values()].flatMap((hosts) => hosts.slice(0, 1));
}

async function compareAll(
  servers: readonly ShardServer[],
  tables: TableName,
  compare: CompareOptions,
  isReplicated: boolean,
): Promise<DerivedComparison> {
  const differences: DerivedDifference[] = [];
  const days = new Set<string>();
  let spans = 0;
  for (const { url, connection } of servers) {
    if (isReplicated) {
      for (const name of ["spans", "repeated_spans", ...derivedTables.map((table) => table.name)]) {
        await connection.longCommand(
          `SYSTEM SYNC REPLICA ${tables(name)}`,
          statementTimeoutMs,
          compare.signal,
        );
      }
    }
    for (const { day, rows } of await daysOf(connection, tables, compare)) {
      if (compare.skips?.(day, url) === true) {
        continue;
      }
      compare.onDay?.(day, url);
      days.add(day);
      spans += rows;
      for (const table of derivedTables) {
        const found = await compareDay(connection, { tables, table, day, rows }, compare);
        if (found.missing > 0 || found.surplus > 0) {
          const { name, counts } = table;
          differences.push({ table: name, day, url, counts, ...found });
        }
      }
    }
  }
  return { days: days.size, spans, differences };
}

/** A day of one derived table. */
interface DayOfTable {
  readonly tables: TableName;
  readonly table: DerivedTable;
  /** The day, as `2026-11-29`. */
  readonly day: string;
  /** Spans of the day. */
  readonly rows: number;
}

async function compareDay(
  connection: ClickHouseConnection,
  { tables, table, day, rows }: DayOfTable,
  { repair, isInBackground, signal }: CompareOptions,
): Promise<Pick<DerivedDifference, "missing" | "surplus" | "isRepaired">> {
  const sum = { missing: 0, surplus: 0, isRepaired: false };
  const parts = table.isByTrace ? Math.ceil(rows / spansAtOnce) : 1;
  for (let part = 0; part < parts; part++) {
    const slice: DaySlice = { day, part, parts };
    const some = [
      ...(rows > spansAtOnce ? [manyRowsSettings] : []),
      ...(isInBackground === true ? ["max_threads = 1"] : []),
    ];
    const settings = some.length === 0 ? "" : ` SETTINGS ${some.join(", ")}`;
    const [row] = await connection.rows<{ missing: number | string; surplus: number | string }>(
      `${table.compare(tables, slice)}${settings}`,
      {},
      { signal },
    );
    sum.missing += Number(row?.missing ?? 0);
    sum.surplus += Number(row?.surplus ?? 0);
    if (repair && Number(row?.missing ?? 0) > 0) {
      await connection.longCommand(`${table.repair(tables, slice)}${settings}`, statementTimeoutMs, signal);
      sum.isRepaired = true;
    }
  }
  return sum;
}

async function daysOf(
  connection: ClickHouseConnection,
  tables: TableName,
  { days, signal }: CompareOptions,
): Promise<{ day: string; rows: number }[]> {
  const since = { ended: "", recent: " AND received >= today() - 4", all: "" };
  const ended = days === "all" ? "" : `WHERE received < today() - 1${since[days]}`;
  const sql = `SELECT toString(received) AS day, count() AS rows FROM ${tables("spans")} ${ended} GROUP BY received ORDER BY received`;
  const found = await connection.rows<{ day: string; rows: number | string }>(sql, {}, { signal });
  return found.map(({ day, rows }) => ({ day, rows: Number(rows) }));
}
