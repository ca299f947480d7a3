import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../api/storage-error.ts";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { clickHouseSettings } from "../clickhouse-settings.ts";
import type { ClickHouseStoreOptions } from "../clickhouse-store-options.ts";
import { checkCluster } from "../cluster/cluster-query-settings.ts";
import { localTable } from "../cluster/cluster-statements.ts";
import { clusterView } from "../cluster/cluster-view.ts";
import { hostStates, patientLookMs } from "../cluster/host-state.ts";
import type { TableName } from "../derived/derived-table.ts";
import { spanHash } from "../repeated/span-identity.ts";
import { bytesLiteral } from "../sql-text.ts";
import { deleteRows } from "./delete-rows.ts";
import { type DeletionSelection, deletionCondition, wholeTenantCondition } from "./deletion-condition.ts";

/**
 * Maximum number of trace ids that are held in memory for cleaning `trace_minutes`; `idsOfStatement` is the limit of
 * one statement.
 */
const maxIds = 100_000;
const idsOfStatement = 1_500;
const statementTimeoutMs = 3_600_000;
/** Maximum number of rounds of deleting. Each round deletes spans that arrived during the round before. */
const maxRounds = 5;

/** Tables whose rows a deletion removes. */
const spanTables = ["spans", "archived_spans"] as const;
const sumTables = ["operations", "span_metrics", "dependency_calls", "repeated_spans"] as const;

/** Result of the deletion in one table of one shard. */
export interface TableDeletion {
  readonly table: string;
  /** Address of the server that ran the deletion. */
  readonly url: string;
  /** Number of rows that matched the condition. */
  readonly rows: number;
  /** Number of rows that still match the condition, on that server of the shard that has the most. */
  readonly remaining: number;
  /** Statement that counts the matching rows. */
  readonly proof: string;
}

/** The result of a deletion, or of a dry run. */
export interface DeletionReport {
  readonly tables: readonly TableDeletion[];
  /** Number of traces with at least one matching span. */
  readonly traces: number;
  /** Servers that did not answer. Such a server deletes the rows when it is up again, but this was not verified. */
  readonly away: readonly string[];
  /**
   * True when more traces matched than can be held in memory. The ids and minutes of these traces stay in
   * `trace_minutes`.
   */
  readonly leavesMinutes: boolean;
}

/** Options of a deletion. */
export interface DeletionRun {
  /** True: the rows are only counted. */
  readonly isDryRun: boolean;
  /** True: archived spans stay, because retention does not concern them. Default: false. */
  readonly keepsArchive?: boolean;
  /** Called about twice a second with the table and the number of parts that are not rewritten yet. */
  readonly onProgress?: (table: string, partsToDo: number) => void;
  /** Stops the wait. Mutations that have started continue in the server. */
  readonly signal?: AbortSignal | undefined;
}

/** The servers of one shard. The deletion runs on the first server. */
interface Shard {
  readonly servers: readonly { readonly url: string; readonly connection: ClickHouseConnection }[];
}

/**
 * Deletes spans, also in the archive, and the rows of other tables that contain the ids of their traces. Parts are
 * rewritten without these rows. On a cluster the deletion runs on each shard, and every answering server is checked.
 * @throws StorageError STORAGE_BAD_QUERY for a selection without a condition; STORAGE_UNAVAILABLE, before anything is
 *   deleted, when a shard has no server; STORAGE_REFUSED when a server cannot rewrite a part
 */
export async function deleteSpans(
  options: ClickHouseStoreOptions,
  selection: DeletionSelection,
  run: DeletionRun,
): Promise<DeletionReport> {
  const where = deletionCondition(selection);
  const settings = clickHouseSettings({ ...options, requestTimeoutMs: statementTimeoutMs });
  const { cluster } = options;
  const { database } = settings;
  const connection = new ClickHouseConnection(settings);
  const tables: TableName = (table) => `${database}.${cluster === undefined ? table : localTable(table)}`;
  try {
    const { shards, away } = await shardsOf(connection, options, database, run.signal);
    const done = new Map<string, TableDeletion>();
    let traces = 0;
    let leavesMinutes = false;
    for (const [index, shard] of shards.entries()) {
      const deletion = new ShardDeletion(shard, tables, run, (found) => {
        done.set(`${index} ${found.table}`, found);
      });
      const found = await deletion.delete(where, wholeTenantCondition(selection));
      traces += found.traces;
      leavesMinutes ||= found.leavesMinutes;
    }
    return { tables: [...done.values()], traces, away, leavesMinutes };
  } finally {
    await connection.close();
  }
}

/** @throws StorageError STORAGE_UNAVAILABLE when a shard has no answering server */
async function shardsOf(
  connection: ClickHouseConnection,
  { cluster }: ClickHouseStoreOptions,
  database: string,
  signal: AbortSignal | undefined,
): Promise<{ shards: Shard[]; away: readonly string[] }> {
  if (cluster === undefined) {
    return { shards: [{ servers: connection.each().slice(0, 1) }], away: [] };
  }
  checkCluster(cluster);
  const look = { signal, longestMs: patientLookMs };
  const { states, away } = await hostStates(connection, database, cluster, look);
  const places = Map.groupBy(states, ({ shard }) => shard);
  const [first] = states;
  const known = first === undefined ? 0 : (await clusterView(first, cluster.name, signal)).shards.length;
  if (places.size < known) {
    throw new StorageError(
      "STORAGE_UNAVAILABLE",
      `servers of ${places.size} of ${known} shards answer or are named, so nothing was deleted; away: ${away.join(", ") || "none"}`,
    );
  }
  return { shards: [...places.values()].map((servers) => ({ servers })), away };
}

class ShardDeletion {
  readonly #shard: Shard;
  readonly #tables: TableName;
  readonly #run: DeletionRun;
  readonly #report: (found: TableDeletion) => void;
  readonly #connection: ClickHouseConnection;
  readonly #url: string;

  constructor(shard: Shard, tables: TableName, run: DeletionRun, report: (found: TableDeletion) => void) {
    const [first] = shard.servers;
    if (first === undefined) {
      throw new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
    }
    this.#shard = shard;
    this.#tables = tables;
    this.#run = run;
    this.#report = report;
    this.#connection = first.connection;
    this.#url = first.url;
  }

  /** @param ofTenant condition for derived counts, when a whole tenant is deleted */
  async delete(
    where: string,
    ofTenant: string | undefined,
  ): Promise<{ traces: number; leavesMinutes: boolean }> {
    const ownTables = this.#run.keepsArchive === true ? spanTables.slice(0, 1) : spanTables;
    // Ids must be read before their spans are deleted.
    const ids = await this.#texts(
      ownTables
        .map((table) => `SELECT lower(hex(trace_id)) AS text FROM ${this.#tables(table)} WHERE ${where}`)
        .join(" UNION DISTINCT "),
    );
    const copies = await this.#texts(
      `SELECT DISTINCT toString(${spanHash}) AS text FROM ${this.#tables("spans")} WHERE ${where} ` +
        `AND ${spanHash} IN (SELECT span FROM ${this.#tables("repeated_spans")})`,
    );
    for (const table of ownTables) {
      await this.#deleteFrom(table, where);
    }
    if (ofTenant !== undefined) {
      for (const table of sumTables) {
        await this.#deleteFrom(table, ofTenant);
      }
    } else {
      await this.#deleteInSlices("repeated_spans", copies, (some) => `span IN (${some.join(", ")})`);
    }
    const leavesMinutes = ids.length > maxIds;
    if (!leavesMinutes) {
      await this.#deleteInSlices("trace_minutes", await this.#withoutSpans(ids), idCondition);
    }
    return { traces: ids.length, leavesMinutes };
  }

  /** Ids of traces that have no spans left; in a dry run, all ids. */
  async #withoutSpans(ids: readonly string[]): Promise<string[]> {
    if (this.#run.isDryRun) {
      return [...ids];
    }
    const gone: string[] = [];
    for (const some of slicesOf(ids)) {
      const there = new Set(
        await this.#texts(
          `SELECT DISTINCT lower(hex(trace_id)) AS text FROM ${this.#tables("spans")} WHERE ${idCondition(some)}`,
        ),
      );
      gone.push(...some.filter((id) => !there.has(id)));
    }
    return gone;
  }

  async #deleteInSlices(
    table: string,
    values: readonly string[],
    conditionOf: (values: readonly string[]) => string,
  ): Promise<void> {
    let [rows, remaining, proof] = [0, 0, ""];
    for (const some of slicesOf(values)) {
      const found = await this.#deleted(table, conditionOf(some));
      [rows, remaining, proof] = [rows + found.rows, remaining + found.remaining, found.proof];
    }
    if (rows > 0) {
      this.#report({ ...{ table, rows, remaining, proof }, url: this.#url });
    }
  }

  async #deleteFrom(table: string, where: string): Promise<void> {
    this.#report({ ...(await this.#deleted(table, where)), table, url: this.#url });
  }

  async #deleted(table: string, where: string): Promise<Pick<TableDeletion, "rows" | "remaining" | "proof">> {
    const { isDryRun, onProgress, signal } = this.#run;
    const proof = `SELECT count() AS rows FROM ${this.#tables(table)} WHERE ${where}`;
    const rows = await this.#count(proof);
    let remaining = rows;
    for (let round = 0; remaining > 0 && !isDryRun && round < maxRounds; round++) {
      await deleteRows(this.#connection, this.#tables(table), where, {
        signal,
        onProgress: (parts) => onProgress?.(table, parts),
      });
      remaining = await this.#mostRemaining(proof);
    }
    return { rows, remaining, proof };
  }

  /** Other replicas rewrite their parts independently, mostly within a second. */
  async #mostRemaining(proof: string): Promise<number> {
    let most = 0;
    for (let look = 0; look < 60; look++) {
      const counts = await Promise.all(
        this.#shard.servers.map(({ connection }) => this.#count(proof, connection)),
      );
      most = Math.max(...counts);
      if (most === 0 || counts.length === 1) {
        return most;
      }
      await sleep(500, undefined, { signal: this.#run.signal });
    }
    return most;
  }

  async #count(sql: string, connection = this.#connection): Promise<number> {
    const [row] = await connection.rows<{ rows: number | string }>(sql, {}, { signal: this.#run.signal });
    return Number(row?.rows);
  }

  async #texts(sql: string): Promise<string[]> {
    const rows = await this.#connection.rows<{ text: string }>(
      `SELECT text FROM (${sql}) LIMIT ${maxIds + 1}`,
      {},
      { signal: this.#run.signal },
    );
    return rows.map(({ text }) => text);
  }
}

function idCondition(ids: readonly string[]): string {
  return `trace_id IN (${ids.map(bytesLiteral).join(", ")})`;
}

function* slicesOf(values: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < values.length; at += idsOfStatement) {
    yield values.slice(at, at + idsOfStatement);
  }
}
