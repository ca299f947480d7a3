import { StorageError } from "../../../api/storage-error.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { clusterVersionOffset } from "../schema/ensure-schema.ts";
import { migrations, schemaVersion, stepsFrom } from "../schema/migrations.ts";
import { sourcesOfViews } from "../schema/without-inserts.ts";
import { type ShardLayout, shardingKey } from "./shard-layout.ts";

/** Limits for recognizing a repeated token: one week and 10,000 blocks, as on a single server. */
const replicatedWindow =
  "replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800";

/**
 * Tables whose rows are distributed by trace id. All spans of a trace, and all data derived from them, are in one
 * shard. Data that collectors share is in the first shard.
 */
const byTrace = new Set(["spans", "archived_spans", "trace_minutes"]);
const inFirstShard = new Set(["operation_throughput", "sampling_probabilities", "leases"]);

/** Name of the local table that holds the rows of one shard. */
export function localTable(table: string): string {
  return `${table}_local`;
}

/** Local tables whose inserts trigger views. */
export const localSources: readonly string[] = sourcesOfViews.map(localTable);

/** A statement of a step. */
export interface ClusterStatement {
  readonly sql: string;
  /**
   * True: the statement fills a table from other tables, so it runs once for each shard. False: every replica runs it.
   */
  readonly copies: boolean;
}

/**
 * The statements of a migration for one server of a cluster. Every table becomes a local table of the shard,
 * `<name>_local`, replicated if requested. Views work within the shard.
 * @throws StorageError STORAGE_REFUSED for a statement that cannot be converted for a cluster
 */
export function clusterStatements(
  statements: readonly string[],
  database: string,
  cluster: ClusterSettings,
): ClusterStatement[] {
  return statements.map((statement) => ({
    sql: onCluster(replicated(withLocalTables(statement, database), database, cluster), cluster),
    copies: /^\s*INSERT\b/.test(statement),
  }));
}

/**
 * The tables that span the cluster, with the names that reads and writes use. These tables contain no data, so each
 * migration recreates them with the current columns.
 * @param layout undefined: spans are distributed over all shards that the servers' configuration has at the time of
 * arrival
 */
export function distributedStatements(
  database: string,
  cluster: ClusterSettings,
  layout?: ShardLayout,
): string[] {
  return tableNames(database).map((table) => {
    const key = byTrace.has(table) ? shardingKey(layout) : inFirstShard.has(table) ? "toUInt8(0)" : undefined;
    const engine = `Distributed('${cluster.name}', '${database}', '${localTable(table)}'${key === undefined ? "" : `, ${key}`})`;
    return onCluster(
      `CREATE OR REPLACE TABLE ${database}.${table} AS ${database}.${localTable(table)}\nENGINE = ${engine}`,
      cluster,
    );
  });
}

/** Stores the version as a view, because `ON CLUSTER` works for such a statement on every server. */
export function versionStatement(database: string, version: number, cluster: ClusterSettings): string {
  const noted = clusterVersionOffset + version;
  return onCluster(
    `CREATE OR REPLACE VIEW ${database}.schema_migrations AS
SELECT toUInt32(${noted}) AS version, '${cluster.name}' AS cluster, ${cluster.isReplicated ? 1 : 0} AS replicated`,
    cluster,
  );
}

export function databaseStatement(database: string, cluster: ClusterSettings): string {
  return onCluster(`CREATE DATABASE IF NOT EXISTS ${database}`, cluster);
}

/** Names of the tables that all migrations create. */
function tableNames(database: string): string[] {
  const all = migrations.flatMap((migration) => migration.statements(database));
  const names = all.flatMap((statement) => {
    const name = new RegExp(`^\\s*CREATE TABLE IF NOT EXISTS ${database}\\.(\\w+)`).exec(statement)?.[1];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)];
}

/** Changes a statement so that it uses the local tables of one shard. */
export function withLocalTables(statement: string, database: string): string {
  const tables = new Set(tableNames(database));
  return statement.replaceAll(new RegExp(`\\b${database}\\.(\\w+)`, "g"), (reference, name: string) =>
    tables.has(name) ? `${database}.${localTable(name)}` : reference,
  );
}

function replicated(statement: string, database: string, { isReplicated }: ClusterSettings): string {
  if (!isReplicated) {
    return statement;
  }
  const table = new RegExp(`^\\s*CREATE TABLE IF NOT EXISTS ${database}\\.(\\w+)`).exec(statement)?.[1];
  if (table === undefined) {
    return statement;
  }
  const path = `'/clickhouse/tables/{shard}/${database}/${table}', '{replica}'`;
  return statement
    .replace(
      /\bENGINE = (\w*)MergeTree\b(?:\(\(?([^)]*)\)?\))?/,
      (_, kind: string, args: string | undefined) => {
        const more = args === undefined || args === "" ? "" : `, ${args.includes(",") ? `(${args})` : args}`;
        return `ENGINE = Replicated${kind}MergeTree(${path}${more})`;
      },
    )
    .replace(/non_replicated_deduplication_window = \d+/, replicatedWindow);
}

const heads = [
  /^\s*CREATE (?:OR REPLACE )?(?:TABLE|VIEW|MATERIALIZED VIEW|DATABASE)(?: IF NOT EXISTS)? [\w.]+/,
  /^\s*ALTER TABLE [\w.]+/,
  /^\s*DROP (?:TABLE|VIEW)(?: IF EXISTS)? [\w.]+/,
  /^\s*KILL MUTATION\b/,
];

function onCluster(statement: string, cluster: ClusterSettings): string {
  if (/^\s*INSERT\b/.test(statement)) {
    return statement;
  }
  const head = heads.map((pattern) => pattern.exec(statement)?.[0]).find((text) => text !== undefined);
  if (head === undefined) {
    const start = statement.trim().slice(0, 60);
    throw new StorageError("STORAGE_REFUSED", `no form for a cluster of the statement "${start}…"`);
  }
  if (!cluster.onCluster) {
    return statement;
  }
  return `${head} ON CLUSTER '${cluster.name}'${statement.slice(head.length)}`;
}

/**
 * All statements for an empty server of a cluster, for operators who read or run them. The operator must run them on
 * each server, or with `ON CLUSTER` on one server.
 * @param database a plain name: letters, digits and _
 */
export function clusterSchemaStatements(database: string, cluster: ClusterSettings): string[] {
  return [
    databaseStatement(database, cluster),
    ...stepsFrom(0, true).flatMap((migration) =>
      clusterStatements(migration.statements(database), database, cluster)
        .filter(({ copies }) => !copies)
        .map(({ sql }) => sql),
    ),
    ...distributedStatements(database, cluster),
    versionStatement(database, schemaVersion, cluster),
  ];
}
